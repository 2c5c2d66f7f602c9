// Refusals shared by a role, as Volcano's predicate error cache has them (predicateErrorCacheEnable: true).
//
// Volcano takes the pods of one role for alike: a node that refused one of them is not asked again for another one of
// the same role during the same attempt, even if that pod has other ports or another selector. Where all pods of a role
// are alike this changes nothing, so it only acts on roles with several classes. Off by default: see docs/compat.md.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "engine/core/node_search.h"
#include "engine/core/session.h"

namespace basalt::actions {

class RoleRefusals {
 public:
  explicit RoleRefusals(bool enabled) : enabled_(enabled) {}

  // The best node for the task among those that refused none of its role before. Cost: as best_node for a role of one
  // class, else O(nodes).
  std::optional<engine::NodeColumn::Choice> best_node(engine::Session& session, model::TaskId task);

 private:
  struct Role {
    model::TaskId first;  // the first task seen, standing for its class
    std::set<engine::ClassId> classes;
    std::vector<uint8_t> refused;  // by rank, once a second class has come up
  };
  void note(engine::Session& session, model::TaskId task, Role& role) const;

  const bool enabled_;
  std::map<uint32_t, Role> roles_;  // by index into Job::roles
};

}  // namespace basalt::actions
