// What Deployments, ReplicaSets, StatefulSets, DaemonSets and Jobs have in common: a selector and a pod template.
#pragma once

#include <string_view>

#include "kube/api/rules/checks.h"

namespace basalt::api::rules {

// Fills in the pod template at spec.template.
void complete_template(text::Object& object);

// spec.selector: required, well-formed, not empty, and matching the template's labels.
void check_selector_and_labels(const text::Object& spec, std::string_view kind, Causes& causes);
// spec.template of pods that are to run forever.
void check_lasting_template(const text::Object& spec, std::string_view kind, Causes& causes);

// The number, or the percentage as a number; 0 when not given.
[[nodiscard]] int64_t count_or_percent(const text::Object& object, std::string_view name);
// Also not above 100%.
void check_share(const text::Object& object, std::string_view name, const FieldPath& at, Causes& causes);

// Members of status that count something: not negative, and none above `total` (a member; "": no bound).
void check_counts(const text::Object& object, std::initializer_list<std::string_view> counts, std::string_view total,
                  Causes& causes);
// status.collisionCount only rises.
void check_collisions(const text::Object& next, const text::Object& old, Causes& causes);

}  // namespace basalt::api::rules
