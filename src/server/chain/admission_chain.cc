#include "server/chain/admission_chain.h"

#include <array>
#include <span>

#include "server/chain/admission_step.h"

namespace basalt::server::chain {
namespace {

constexpr unsigned kCreate = 1;
constexpr unsigned kUpdate = 2;
constexpr unsigned kDelete = 4;

// A row of the chain. Kind "": every kind. Steps see the main resource only, not its subresources.
struct Step {
  std::string_view name, group, kind;
  unsigned operations;
  StepResult (*run)(const AdmissionAttributes& request);
};

constexpr std::array kChanging = {
    Step{"NamespaceLifecycle", "", "", kCreate | kUpdate | kDelete, check_namespace},
    Step{"LimitRanger", "", "Pod", kCreate, fill_container_limits},
    Step{"ServiceAccount", "", "Pod", kCreate, assign_service_account},
    Step{"TaintNodesByCondition", "", "Node", kCreate, taint_new_node},
    Step{"Priority", "", "Pod", kCreate | kUpdate, resolve_priority},
    Step{"DefaultTolerationSeconds", "", "Pod", kCreate | kUpdate, add_default_tolerations},
    Step{"DefaultStorageClass", "", "PersistentVolumeClaim", kCreate, choose_storage_class},
    Step{"RuntimeClass", "", "Pod", kCreate, apply_runtime_class},
    Step{"DefaultIngressClass", "networking.k8s.io", "Ingress", kCreate, choose_ingress_class},
    Step{"MutatingAdmissionWebhook", "", "", kCreate | kUpdate, call_mutating_webhooks},
    // A deletion has no second row: nothing is validated after this.
    Step{"ValidatingAdmissionWebhook", "", "", kDelete, call_validating_webhooks},
    Step{"ServiceAddress", "", "Service", kCreate | kUpdate, assign_service_address},
};

constexpr std::array kJudging = {
    Step{"LimitRanger", "", "Pod", kCreate, check_limit_ranges},
    Step{"LimitRanger", "", "PersistentVolumeClaim", kCreate | kUpdate, check_limit_ranges},
    Step{"Priority", "scheduling.k8s.io", "PriorityClass", kCreate | kUpdate, check_default_priority},
    Step{"ValidatingAdmissionWebhook", "", "", kCreate | kUpdate, call_validating_webhooks},
    Step{"ResourceQuota", "", "", kCreate, check_quotas},
};

unsigned bit_of(AdmissionOperation operation) {
  switch (operation) {
    case AdmissionOperation::Create:
      return kCreate;
    case AdmissionOperation::Update:
      return kUpdate;
    case AdmissionOperation::Delete:
      return kDelete;
  }
  return 0;
}

StepResult run(std::span<const Step> steps, const AdmissionAttributes& request) {
  const unsigned operation = bit_of(request.operation);
  for (const Step& step : steps) {
    if ((step.operations & operation) == 0) continue;
    if (!step.kind.empty() && (step.kind != request.resource.kind || step.group != request.resource.group)) continue;
    if (StepResult verdict = step.run(request); !verdict) return verdict;
  }
  return {};
}

}  // namespace

api::ApiResult<void> admit_mutating(AdmissionOperation operation, const api::ApiResource& resource,
                                    std::string_view subresource, text::Object* next, const text::Object* old,
                                    const AdmissionContext& admission_context) {
  if (!subresource.empty() || (next == nullptr && old == nullptr)) return {};
  return run(kChanging, {operation, resource, subresource, next, old, admission_context});
}

api::ApiResult<void> admit_validating(AdmissionOperation operation, const api::ApiResource& resource,
                                      std::string_view subresource, const text::Object* next, const text::Object* old,
                                      const AdmissionContext& admission_context) {
  if (!subresource.empty() || (next == nullptr && old == nullptr)) return {};
  // Judges have the same eyes as the steps that change, and leave the object alone.
  return run(kJudging, {operation, resource, subresource, const_cast<text::Object*>(next), old, admission_context});
}

api::ApiResult<void> admit(AdmissionOperation operation, const api::ApiResource& resource, std::string_view subresource,
                           text::Object* next, const text::Object* old, const AdmissionContext& admission_context) {
  if (StepResult verdict = admit_mutating(operation, resource, subresource, next, old, admission_context); !verdict)
    return verdict;
  return admit_validating(operation, resource, subresource, next, old, admission_context);
}

}  // namespace basalt::server::chain
