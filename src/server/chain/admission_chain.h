// What a request needs to know about other objects: the admission chain.
//
// A table of named steps (admission_chain.cc), each for some kinds and operations. A step looks at the request and,
// through `AdmissionContext`, at other objects; it changes the new object or refuses the request. Steps are pure: same
// request and same context, same outcome. They come in two rows, as in Kubernetes: all that change the object run
// first, then those that only judge; the kind's own validation (kube/api/kind_rules.h) belongs between the two rows.
//
// Left out on purpose, because nobody would undo it without the controllers of Kubernetes:
// - StorageObjectInUseProtection: its finalizers on volumes and claims would never be removed.
// - ServiceAccount mounts no token: there is nobody to sign one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "kube/api/api_error.h"
#include "kube/api/api_resource.h"
#include "kube/api/call.h"
#include "kube/api/quota_usage.h"
#include "kube/text/json.h"
#include "server/admission/webhooks.h"

namespace basalt::server::chain {

// What a server wants of the chain.
struct AdmissionChainOptions {
  // Pods get the account "default", and the account must exist. Off: the field stays as given.
  bool service_accounts = false;
  // New nodes start with the taint node.kubernetes.io/not-ready:NoSchedule, as Kubernetes does it; whoever watches
  // nodes must take it off when the node's Ready condition is true.
  bool taint_new_nodes = true;
  // On: a quota binds as soon as it exists, by spec.hard. Off: as Kubernetes, only by status.hard, which a controller
  // copies from the spec.
  bool quota_by_spec = true;
  // The addresses of services: the first `service_address_bits` bits are those of `service_network`.
  std::string service_network = "10.96.0.0";
  int service_address_bits = 16;
  // Volcano's webhooks, called in process as kube-apiserver would call them over the network; null: they are not.
  std::shared_ptr<const basalt::admission::VolcanoAdmissionOptions> volcano;
  // Called, with one line, for what Volcano's webhooks refuse; from any thread; may be empty.
  std::function<void(const std::string& line)> denied;
  // Whoever makes something that will not do what it says is warned (admission_warnings.h): no other controllers
  // work on this cluster.
  bool warns_on_create = false;
  std::vector<std::string> schedulers;  // names for which pods are placed here; empty: not known
};

using text::ObjectPtr;

// Where the other objects are. Resources go by their store names ("pods", "priorityclasses.scheduling.k8s.io"), keys
// are "namespace/name" or "name". A step asks only for what it needs; creating a pod costs the namespace, the priority
// classes, and the limit ranges and quotas of the namespace.
struct AdmissionContext {
  std::function<ObjectPtr(std::string_view resource, std::string_view key)> get;  // null: not there
  std::function<std::vector<ObjectPtr>(std::string_view resource, std::string_view prefix)> list;
  // What all objects of a kind in a namespace use, as far as the quota's scopes choose them; unset: summed from list().
  std::function<api::ResourceList(const api::QuotaKind& kind, std::string_view ns, const text::Object& quota)> used;
  const api::UserInfo* user = nullptr;
  Instant now;
  const AdmissionChainOptions* options = nullptr;  // never null
};

enum class AdmissionOperation : uint8_t { Create, Update, Delete };

// Both rows, one after the other; the first refusal ends it. `next` is null for a delete, `old` for a create.
// Quotas count the objects that are there; two creates at the same time may both fit. Who must exclude that admits and
// writes under one lock per namespace that has a quota.
[[nodiscard]] api::ApiResult<void> admit(AdmissionOperation operation, const api::ApiResource& resource,
                                         std::string_view subresource, text::Object* next, const text::Object* old,
                                         const AdmissionContext& admission_context);

// The rows apart: before and after the kind's validation.
[[nodiscard]] api::ApiResult<void> admit_mutating(AdmissionOperation operation, const api::ApiResource& resource,
                                                  std::string_view subresource, text::Object* next,
                                                  const text::Object* old, const AdmissionContext& admission_context);
[[nodiscard]] api::ApiResult<void> admit_validating(AdmissionOperation operation, const api::ApiResource& resource,
                                                    std::string_view subresource, const text::Object* next,
                                                    const text::Object* old, const AdmissionContext& admission_context);

}  // namespace basalt::server::chain
