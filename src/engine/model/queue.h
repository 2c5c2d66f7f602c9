// A queue: how much of the cluster a group of jobs may use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "engine/model/resource_vec.h"

namespace basalt::model {

enum class QueueState : uint8_t { Open, Closed, Closing, Unknown };

struct NodeGroupAffinity {
  std::vector<std::string> required, preferred;  // group names; preferred in order of preference
  friend bool operator==(const NodeGroupAffinity&, const NodeGroupAffinity&) = default;
};

struct QueueSpec {
  std::string name;
  Instant created;
  int32_t weight = 1;
  int32_t priority = 0;
  bool reclaimable = true;
  QueueState state = QueueState::Open;
  std::string parent;  // empty: below root
  Quota capability, guarantee, deserved;
  std::string hierarchy, hierarchy_weights;  // drf annotations: root/a/b and 1/2/3
  bool has_affinity = false;
  NodeGroupAffinity group_affinity, group_anti_affinity;
  // Annotation volcano.sh/nodegroup-resource-limits: how much this queue may use in a node group.
  bool group_limits_malformed = false;
  std::vector<std::pair<std::string, Quota>> group_limits;
  friend bool operator==(const QueueSpec&, const QueueSpec&) = default;
};

struct Queue : QueueSpec {
  bool alive = false;
};

}  // namespace basalt::model
