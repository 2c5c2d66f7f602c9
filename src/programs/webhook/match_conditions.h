// CEL expressions by which kube-apiserver decides whether to ask a webhook at all (matchConditions, Kubernetes 1.28).
//
// What does not match is let through without a call, so an outage of ours is not noticed there. Pure.
#pragma once

#include "kube/text/json.h"
#include "server/admission/webhooks.h"

namespace basalt::webhook {

// {name, expression} each; all must be true.
[[nodiscard]] text::Array match_conditions(const admission::Webhook& webhook,
                                           const admission::VolcanoAdmissionOptions& options);

}  // namespace basalt::webhook
