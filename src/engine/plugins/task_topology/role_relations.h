// Which roles of a job want to be together and which apart, from the pod group's annotations.
//
//   volcano.sh/task-topology-affinity        "ps,worker;evaluator"   groups by ';', roles by ','
//   volcano.sh/task-topology-anti-affinity   "ps;worker,chief"       a group of one is about the role itself
//   volcano.sh/task-topology-task-order      "ps,worker"             earlier is placed first
//
// Roles are indexes into Job::roles.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/string_pool.h"
#include "engine/model/job.h"

namespace basalt::plugins {

struct RoleRelations {
  struct Row {
    int32_t order = 0;     // higher first; 0: not listed
    int32_t priority = 0;  // by kind of relation: self-anti 4, affinity 3, self-affinity 2, anti 1; 0: related to none
  };
  std::vector<Row> roles;
  std::vector<int8_t> pull;  // roles × roles: how much one task of the column draws one of the row
  std::vector<int8_t> push;  // roles × roles: the same for repulsion, 0 or −1

  [[nodiscard]] int32_t pull_between(uint32_t row, uint32_t column) const { return pull[row * roles.size() + column]; }
  [[nodiscard]] int32_t push_between(uint32_t row, uint32_t column) const { return push[row * roles.size() + column]; }
  // Positive if `a` goes before `b`: user order, then kind of relation.
  [[nodiscard]] int32_t rank(uint32_t a, uint32_t b) const;
};

// Nothing if the job has no such annotation, or one names a role without pods or twice in a group.
std::optional<RoleRelations> read_relations(const model::Job& job, const StringPool& names);

}  // namespace basalt::plugins
