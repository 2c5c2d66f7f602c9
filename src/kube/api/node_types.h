// Nodes, as far as scheduling looks at them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kube/api/metadata.h"

namespace basalt::api {

struct Taint {
  std::string key, value, effect;  // effect: NoSchedule, PreferNoSchedule, NoExecute
};

struct ContainerImage {
  std::vector<std::string> names;
  int64_t size_bytes = 0;
};

struct NodeSpec {
  bool unschedulable = false;
  std::vector<Taint> taints;
};

struct NodeStatus {
  ResourceList capacity, allocatable;
  std::vector<ContainerImage> images;
  std::vector<Condition> conditions;
};

struct Node {
  ObjectMeta metadata;
  NodeSpec spec;
  NodeStatus status;
};

[[nodiscard]] Result<void> read(const text::Field& at, Node& out);
[[nodiscard]] Result<Node> decode_node(const text::Value& value);

}  // namespace basalt::api
