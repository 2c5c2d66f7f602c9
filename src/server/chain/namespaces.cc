#include <fmt/format.h>

#include "kube/api/views/namespace_view.h"
#include "server/chain/admission_step.h"

namespace basalt::server::chain {
namespace {

bool is_immortal(std::string_view name) { return name == "default" || name == "kube-system" || name == "kube-public"; }

}  // namespace

StepResult check_namespace(const AdmissionAttributes& request) {
  if (request.resource.group.empty() && request.resource.kind == "Namespace") {
    if (request.operation == AdmissionOperation::Delete && is_immortal(request.name())) {
      return request.forbid("this namespace may not be deleted");
    }
    return {};
  }
  if (!request.resource.namespaced || request.operation == AdmissionOperation::Delete) return {};
  const std::string_view ns = request.ns();
  const ObjectPtr found = request.admission_context.get("namespaces", ns);
  if (found == nullptr) return std::unexpected(api::not_found("", "namespaces", ns));
  if (request.operation != AdmissionOperation::Create || !found->is_object()) return {};
  if (api::NamespaceView(found->get_object()).status().phase() != "Terminating") return {};
  auto refusal =
      request.forbid(fmt::format("unable to create new content in namespace {} because it is being terminated", ns));
  refusal.error().causes.push_back({.reason = "NamespaceTerminating",
                                    .message = fmt::format("namespace {} is being terminated", ns),
                                    .field = "metadata.namespace"});
  return refusal;
}

}  // namespace basalt::server::chain
