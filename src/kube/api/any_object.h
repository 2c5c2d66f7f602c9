// From a stream of documents to typed objects, by apiVersion and kind.
//
// Kinds that scheduling reads become structs; kinds it will only need by name for now (volumes, claims, classes)
// become a NamedObject; everything else is listed as unknown and otherwise ignored. A `List` (or `PodList` …) stands
// for its items. Objects keep their order.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kube/api/hyper_node_types.h"
#include "kube/api/node_types.h"
#include "kube/api/pod_group_types.h"
#include "kube/api/pod_types.h"
#include "kube/api/policy_types.h"
#include "kube/api/queue_types.h"
#include "kube/text/yaml.h"

namespace basalt::api {

inline constexpr size_t kMaxObjects = 2'000'000;  // in one stream, lists unfolded

// An object known by name only.
struct NamedObject {
  std::string api_version, kind;
  ObjectMeta metadata;
};

// An object of a kind that is not read here.
struct UnknownKind {
  std::string api_version, kind, name;
};

using AnyObject = std::variant<Pod, Node, PodGroup, Queue, PriorityClass, ResourceQuota, PodDisruptionBudget, Namespace,
                               HyperNode, NamedObject, UnknownKind>;

[[nodiscard]] Result<void> read(const text::Field& at, NamedObject& out);

// The object at `root`, which must have apiVersion and kind and may not be a list.
[[nodiscard]] Result<AnyObject> decode_any(const text::Field& root);
[[nodiscard]] Result<AnyObject> decode_any(const text::Value& value);

// All objects of the documents, lists unfolded. The first wrong one is the error, with its line if it is known.
[[nodiscard]] Result<std::vector<AnyObject>> decode_all(std::span<const text::Document> documents);

// Whether decode_any makes a struct or NamedObject of it.
[[nodiscard]] bool is_known_kind(std::string_view api_version, std::string_view kind);

}  // namespace basalt::api
