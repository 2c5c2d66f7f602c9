// The requests that plans are made of.
//
// Every patch and deletion names the uid of the object that the plan saw: an object of the same name with another uid
// is not touched. A patch of members that only its controller writes needs no more. One that depends on what others
// write names the version too, and is refused and planned again when the object has changed since.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "control/loop/write_plan.h"
#include "control/volcano/cached_pod.h"
#include "control/volcano/volcano_kinds.h"
#include "kube/api/call.h"
#include "kube/text/json.h"

namespace basalt::volcano {

inline constexpr std::string_view kFieldManager = "vc-controller-manager";

enum class RefuseIf : uint8_t { Replaced, Changed };  // what makes the server refuse: another uid, another version

[[nodiscard]] api::Call create_object(VolcanoKind kind, text::Object object);

// A merge patch of the object / of its status. `change` has no metadata.uid and no metadata.resourceVersion.
// Servers look at the version of a patch of the status, not at its uid: without RefuseIf::Changed it may hit a
// namesake.
[[nodiscard]] api::Call patch_object(VolcanoKind kind, const text::Object& object, text::Object change,
                                     RefuseIf refuse_if = RefuseIf::Replaced);
[[nodiscard]] api::Call patch_status(VolcanoKind kind, const text::Object& object, text::Object status,
                                     RefuseIf refuse_if = RefuseIf::Replaced);

// `propagation`: Background, Foreground or Orphan.
[[nodiscard]] api::Call delete_object(VolcanoKind kind, const text::Object& object,
                                      std::string_view propagation = "Background",
                                      RefuseIf refuse_if = RefuseIf::Replaced);

// The same about a pod of a job. `ns`: its namespace, which is its job's.
[[nodiscard]] api::Call patch_pod(std::string_view ns, const CachedPod& pod, text::Object change,
                                  RefuseIf refuse_if = RefuseIf::Replaced);
[[nodiscard]] api::Call delete_pod(std::string_view ns, const CachedPod& pod);

// metadata.ownerReferences' entry by which `owner` controls what it makes.
[[nodiscard]] text::Object controller_reference(VolcanoKind kind, const text::Object& owner);

// What an EventNote regards: apiVersion, kind, namespace, name and uid of the object.
[[nodiscard]] text::Object reference_to(VolcanoKind kind, const text::Object& object);

[[nodiscard]] loop::EventNote normal(VolcanoKind kind, const text::Object& about, std::string reason,
                                     std::string message);
[[nodiscard]] loop::EventNote warning(VolcanoKind kind, const text::Object& about, std::string reason,
                                      std::string message);

// metadata.deletionTimestamp is set.
[[nodiscard]] bool is_leaving(const text::Object& object);

}  // namespace basalt::volcano
