#include "engine/plugins/task_topology/role_relations.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace basalt::plugins {

namespace {

constexpr int32_t kSelfApart = 4;
constexpr int32_t kTogether = 3;
constexpr int32_t kSelfTogether = 2;
constexpr int32_t kApart = 1;

using Group = std::vector<uint32_t>;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// The index of a role that has pods.
std::optional<uint32_t> find_role(const model::Job& job, const StringPool& names, std::string_view name) {
  for (uint32_t r = 0; r < job.roles.size(); ++r) {
    const model::TaskRole& role = job.roles[r];
    if (names.text(role.name) != name) continue;
    if (std::accumulate(role.counts.begin(), role.counts.end(), 0) > 0) return r;
  }
  return std::nullopt;
}

std::optional<Group> read_group(const model::Job& job, const StringPool& names, std::string_view text) {
  Group group;
  for (const std::string_view name : split(text, ',')) {
    if (name.empty()) continue;
    const std::optional<uint32_t> role = find_role(job, names, name);
    if (!role || std::find(group.begin(), group.end(), *role) != group.end()) return std::nullopt;
    group.push_back(*role);
  }
  return group;
}

struct Kind {
  int32_t among_priority, self_priority;
  int8_t amount;
};

void relate(RoleRelations& relations, std::vector<int8_t>& matrix, const Group& group, const Kind& kind) {
  const size_t width = relations.roles.size();
  const bool self = group.size() == 1;
  for (const uint32_t a : group) {
    RoleRelations::Row& row = relations.roles[a];
    row.priority = std::max(row.priority, self ? kind.self_priority : kind.among_priority);
    for (const uint32_t b : group) {
      if (self || a != b) matrix[a * width + b] = kind.amount;
    }
  }
}

// False if the annotation does not describe this job.
bool relate_all(RoleRelations& relations, std::vector<int8_t>& matrix, const model::Job& job, const StringPool& names,
                std::string_view annotation, const Kind& kind) {
  for (const std::string_view text : split(annotation, ';')) {
    const std::optional<Group> group = read_group(job, names, text);
    if (!group) return false;
    relate(relations, matrix, *group, kind);
  }
  return true;
}

}  // namespace

int32_t RoleRelations::rank(uint32_t a, uint32_t b) const {
  if (roles[a].order != roles[b].order) return roles[a].order - roles[b].order;
  return roles[a].priority - roles[b].priority;
}

std::optional<RoleRelations> read_relations(const model::Job& job, const StringPool& names) {
  if (job.topology_affinity.empty() && job.topology_anti_affinity.empty() && job.topology_task_order.empty()) {
    return std::nullopt;
  }
  RoleRelations relations;
  relations.roles.resize(job.roles.size());
  relations.pull.assign(job.roles.size() * job.roles.size(), 0);
  relations.push = relations.pull;
  constexpr Kind kAttraction{.among_priority = kTogether, .self_priority = kSelfTogether, .amount = 1};
  constexpr Kind kRepulsion{.among_priority = kApart, .self_priority = kSelfApart, .amount = -1};
  if (!relate_all(relations, relations.pull, job, names, job.topology_affinity, kAttraction)) return std::nullopt;
  if (!relate_all(relations, relations.push, job, names, job.topology_anti_affinity, kRepulsion)) return std::nullopt;
  const std::optional<Group> order = read_group(job, names, job.topology_task_order);
  if (!order) return std::nullopt;
  for (size_t i = 0; i < order->size(); ++i) {
    relations.roles[(*order)[i]].order = static_cast<int32_t>(order->size() - i);
  }
  return relations;
}

}  // namespace basalt::plugins
