#include <fmt/format.h>

#include "server/chain/step.h"

namespace basalt::server::admission {
namespace {

bool is_immortal(std::string_view name) { return name == "default" || name == "kube-system" || name == "kube-public"; }

}  // namespace

Verdict check_namespace(const Request& request) {
  if (request.resource.group.empty() && request.resource.kind == "Namespace") {
    if (request.operation == Operation::Delete && is_immortal(request.name())) {
      return request.forbid("this namespace may not be deleted");
    }
    return {};
  }
  if (!request.resource.namespaced || request.operation == Operation::Delete) return {};
  const std::string_view space = request.space();
  const ObjectPtr found = request.around.get("namespaces", space);
  if (found == nullptr) return std::unexpected(api::not_found("", "namespaces", space));
  if (request.operation != Operation::Create || !found->is_object()) return {};
  if (string_at(part_of(found->get_object(), "status"), "phase") != "Terminating") return {};
  auto refusal =
      request.forbid(fmt::format("unable to create new content in namespace {} because it is being terminated", space));
  refusal.error().causes.push_back({.reason = "NamespaceTerminating",
                                    .message = fmt::format("namespace {} is being terminated", space),
                                    .field = "metadata.namespace"});
  return refusal;
}

}  // namespace basalt::server::admission
