// The requests that plans are made of.
//
// Every patch and deletion names the uid of the object that the plan saw: a plan does not touch a namesake that came
// later. A patch of members that only its controller writes needs no more. One that depends on what others write names
// the version too, and is refused and planned again when the object has changed since.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "control/loop/plan.h"
#include "control/volcano/kinds.h"
#include "control/volcano/pod_view.h"
#include "kube/api/call.h"
#include "kube/text/json.h"

namespace basalt::volcano {

inline constexpr std::string_view kFieldManager = "vc-controller-manager";

enum class Unless : uint8_t { Replaced, Changed };  // what makes the server refuse: another uid, another version

[[nodiscard]] api::Call create_object(Kind kind, text::Object object);

// A merge patch of the object / of its status. `change` has no metadata.uid and no metadata.resourceVersion.
// Servers look at the version of a patch of the status, not at its uid: without Unless::Changed it may hit a namesake.
[[nodiscard]] api::Call patch_object(Kind kind, const text::Object& object, text::Object change,
                                     Unless unless = Unless::Replaced);
[[nodiscard]] api::Call patch_status(Kind kind, const text::Object& object, text::Object status,
                                     Unless unless = Unless::Replaced);

// `propagation`: Background, Foreground or Orphan.
[[nodiscard]] api::Call delete_object(Kind kind, const text::Object& object,
                                      std::string_view propagation = "Background", Unless unless = Unless::Replaced);

// The same about a pod of a job. `space`: its namespace, which is its job's.
[[nodiscard]] api::Call patch_pod(std::string_view space, const PodView& pod, text::Object change,
                                  Unless unless = Unless::Replaced);
[[nodiscard]] api::Call delete_pod(std::string_view space, const PodView& pod);

// metadata.ownerReferences' entry by which `owner` controls what it makes.
[[nodiscard]] text::Object controller_reference(Kind kind, const text::Object& owner);

// What a Note regards: apiVersion, kind, namespace, name and uid of the object.
[[nodiscard]] text::Object reference_to(Kind kind, const text::Object& object);

[[nodiscard]] loop::Note normal(Kind kind, const text::Object& about, std::string reason, std::string message);
[[nodiscard]] loop::Note warning(Kind kind, const text::Object& about, std::string reason, std::string message);

// metadata.deletionTimestamp is set.
[[nodiscard]] bool is_leaving(const text::Object& object);

}  // namespace basalt::volcano
