// Queues (scheduling.volcano.sh/v1beta1): who may use how much of the cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube/api/metadata.h"

namespace basalt::api {

// Names of node groups (label volcano.sh/nodegroup-name).
struct NodeGroupTerms {
  std::vector<std::string> required, preferred;
};

struct QueueAffinity {
  std::optional<NodeGroupTerms> node_group, node_group_anti;
};

struct QueueSpec {
  std::optional<int32_t> weight;  // not given: the CRD's default is 1
  ResourceList capability;        // resources that are not named are unbounded
  ResourceList deserved;
  ResourceList guarantee;           // guarantee.resource
  std::optional<bool> reclaimable;  // not given: true
  std::string parent;               // "": the root
  int32_t priority = 0;
  std::optional<QueueAffinity> affinity;
};

struct QueueStatus {
  std::string state;  // Open, Closed, Closing, Unknown
  ResourceList allocated;
};

struct Queue {
  ObjectMeta metadata;
  QueueSpec spec;
  QueueStatus status;
};

[[nodiscard]] Result<void> read(const text::Field& at, Queue& out);
[[nodiscard]] Result<Queue> decode_queue(const text::Value& value);

}  // namespace basalt::api
