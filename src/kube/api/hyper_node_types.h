// HyperNodes (topology.volcano.sh/v1alpha1): groups of nodes, or of groups, that are near each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube/api/metadata.h"
#include "kube/api/selector.h"

namespace basalt::api {

struct HyperNodeMember {
  std::string type;  // Node or HyperNode
  std::optional<std::string> exact_name;
  std::optional<std::string> regex_pattern;  // unanchored, on the node's name
  std::optional<LabelSelector> label_match;  // an empty selector matches no node
};

struct HyperNodeSpec {
  int32_t tier = 0;
  std::string tier_name;
  std::vector<HyperNodeMember> members;
};

struct HyperNode {
  ObjectMeta metadata;
  HyperNodeSpec spec;
};

[[nodiscard]] Result<void> read(const text::Field& at, HyperNode& out);
[[nodiscard]] Result<HyperNode> decode_hyper_node(const text::Value& value);

}  // namespace basalt::api
