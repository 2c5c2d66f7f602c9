// What may change in a pod that exists (pod_update.cc), and in its status (pod_status.cc).
#pragma once

#include "kube/api/api_error.h"
#include "kube/text/json.h"

namespace basalt::api::rules {

void validate_pod_update(const text::Object& next, const text::Object& old, Causes& causes);

void prepare_pod_status(text::Object& next, const text::Object& old);
void validate_pod_status(const text::Object& next, const text::Object& old, Causes& causes);

// Annotations that a running pod cannot change: those of AppArmor, and the mark of a static pod.
void check_fixed_annotations(const text::Object& next, const text::Object& old, Causes& causes);

}  // namespace basalt::api::rules
