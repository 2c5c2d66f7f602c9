// The PodGroup that pods without one should have, as pod and owners say.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

inline constexpr std::string_view kGroupPrefix = "podgroup-";

// Annotations of an object's owners that are ReplicaSets, StatefulSets, DaemonSets or Kubernetes' Jobs; where several
// have a key, the first owner's. `known`: how many of them were seen; `missing`: how many were not.
struct OwnerAnnotations {
  text::Object annotations;
  size_t known = 0, missing = 0;
};
[[nodiscard]] OwnerAnnotations owner_annotations_of(const ControllerCache& seen, const text::Object& object);

// The ReplicaSet or StatefulSet that controls the object; null: none that was seen.
[[nodiscard]] const text::Object* workload_of(const ControllerCache& seen, const text::Object& object);

// The whole group, called `name`, to be created for this pod.
[[nodiscard]] text::Object draft_group(const text::Object& pod, std::string_view name, const text::Object& inherited);

// The merge patch that brings a group in step with its draft; nothing when it is. Labels and annotations that the draft
// does not have stay. A queue that admission put in the place of the default one stays, too.
[[nodiscard]] std::optional<text::Object> change_from_draft(const text::Object& draft, const text::Object& group);

// The same when only the owners' annotations are at hand. What pods decide stays; minResources is that of as many of
// the same pods as the new minMember says.
[[nodiscard]] std::optional<text::Object> change_from_owners(const text::Object& inherited, const text::Object& group);

}  // namespace basalt::volcano
