// The Mutating- and ValidatingWebhookConfigurations of the webhooks: one object for each path, named as in Volcano's
// chart, which this program's caBundles go into.
//
// An outage of the webhook server must not stop other people's work, so kube-apiserver itself decides whom to ask for:
//
// 1. jobs, queues, podgroups, jobflows, cronjobs, hypernodes: failurePolicy Fail. These are our kinds, outside of
//    kube-system and our own namespace; updates of what is being deleted are let through unasked.
// 2. /pods/validate: Ignore, and only for pods of our schedulers that have an annotation to be judged.
// 3. /pods/mutate: Ignore, and only for pods that a resource group matches; without groups it is not registered.
//
// Pure. The objects have every field that the server would fill in, so that they compare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/api/api_resource.h"
#include "kube/text/json.h"
#include "server/admission/webhooks.h"

namespace basalt::webhook {

inline constexpr size_t kMaxConditionBytes = size_t{8} * 1024;  // a longer CEL expression is replaced by "true"

// On objects that this program made: only those are ever deleted.
inline constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManagerName = "vc-webhook-manager";

// Where kube-apiserver finds the server: a Service, or (outside of the cluster) a URL, which wins.
struct WebhookClientConfig {
  std::string namespace_name = "volcano-system";      // also where the Secret is
  std::string service = "volcano-admission-service";  // its port is 443
  std::string url;                                    // "https://10.0.0.7:8443"; "": the Service
};

// "volcano-admission-service-jobs-mutate" for "/jobs/mutate".
[[nodiscard]] std::string configuration_name(std::string_view path);
[[nodiscard]] bool is_configuration_name(std::string_view name);
[[nodiscard]] api::GroupVersionResource configuration_resource(bool mutating);

// Whether the path has anything to do: /pods/mutate has not without groups and gates.
[[nodiscard]] bool is_registered(const admission::Webhook& webhook, const admission::VolcanoAdmissionOptions& options);

// Without caBundle. The object is apiVersion, kind, metadata and webhooks.
[[nodiscard]] text::Object configuration_of(const admission::Webhook& webhook, const WebhookClientConfig& place,
                                            const admission::VolcanoAdmissionOptions& options);

// Whether `present` has all of `wanted`: members one by one, lists place by place.
[[nodiscard]] bool contains(const text::Value& present, const text::Value& wanted);

}  // namespace basalt::webhook
