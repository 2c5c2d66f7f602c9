// The requests that plans are made of.
//
// Patches carry the resourceVersion that the plan was made from, deletions the uid: a plan from an outdated view is
// refused and made again, it never does harm.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/kubernetes/object_record.h"
#include "control/loop/api_writes.h"
#include "kube/api/call.h"

namespace basalt::kubernetes {

inline constexpr std::string_view kFieldManager = "kube-controller-manager";

[[nodiscard]] api::Call call_of(api::Verb verb, const WatchedKind& kind, std::string_view ns, std::string_view name);

using loop::Deletion;
[[nodiscard]] api::Call delete_object(const WatchedKind& kind, const ObjectRecord& record, const Deletion& how = {});
[[nodiscard]] api::Call delete_all(const WatchedKind& kind, std::string_view ns);

// A merge patch. `change` without metadata.resourceVersion, which is added.
[[nodiscard]] api::Call patch_object(const WatchedKind& kind, const ObjectRecord& record, text::Object change);
[[nodiscard]] api::Call patch_status(const WatchedKind& kind, const ObjectRecord& record, text::Object status);

[[nodiscard]] api::Call drop_finalizer(const WatchedKind& kind, const ObjectRecord& record, std::string_view finalizer);
// The owner references of `record` but those to one of `uids`.
[[nodiscard]] api::Call drop_owners(const WatchedKind& kind, const ObjectRecord& record,
                                    const std::vector<std::string>& uids);
[[nodiscard]] api::Call set_owners(const WatchedKind& kind, const ObjectRecord& record,
                                   const std::vector<OwnerRecord>& owners);

// That the pod is about to be deleted by its cluster, and why: the condition DisruptionTarget, and with it a phase; "":
// that stays.
struct Disruption {
  std::string_view reason, message, phase;
};
[[nodiscard]] api::Call mark_disruption(const WatchedKind& kind, const ObjectRecord& pod, const Disruption& why,
                                        Instant now);

struct ConditionUpdate {
  std::string_view type, status, reason;
  std::string message;
};
// Sets a condition in the list, as Kubernetes keeps them: its time is that of the last change of status.
// False: it said so already.
bool set_condition(text::Array& conditions, const ConditionUpdate& condition, Instant now);
[[nodiscard]] std::string_view condition_status(const text::Object& object, std::string_view type);  // "": none

// A copy of status.conditions.
[[nodiscard]] text::Array conditions_of(const text::Object& object);

}  // namespace basalt::kubernetes
