// JobFlows: their flows must have an order.
#include <fmt/format.h>

#include "kube/api/go_quote.h"
#include "server/admission/dependency_order.h"
#include "server/admission/job_admission.h"
#include "server/admission/refusal_message.h"
#include "server/admission/webhook_handlers.h"

namespace basalt::admission {
namespace {

// What the flows change of their templates.
WebhookResult check_patches(const AdmissionRequest& request) {
  const bool same = request.old != nullptr && api::rules::same_member(*request.object, *request.old, "spec");
  WebhookResult size;
  if (same) return size;
  each_object(part_of(*request.object, "spec"), "flows", [&size](const text::Object& flow, size_t i) {
    if (!size) return;
    size = check_job_size(part_of(part_of(flow, "patch"), "jobSpec"), nullptr,
                          fmt::format("spec.flows[{}].patch.jobSpec", i));
  });
  return size;
}

}  // namespace

WebhookResult validate_job_flow(const AdmissionRequest& request) {
  if (request.object == nullptr) return {};
  if (WebhookResult size = check_patches(request); !size) return size;
  std::vector<Dependent> flows;
  each_object(part_of(*request.object, "spec"), "flows", [&flows](const text::Object& flow, size_t) {
    Dependent one{.name = string_at(flow, "name"), .on = {}};
    each_string(part_of(flow, "dependsOn"), "targets",
                [&one](std::string_view target, size_t) { one.on.push_back(target); });
    flows.push_back(std::move(one));
  });
  const auto fault = find_dependency_error(flows);
  if (!fault) return {};
  if (!fault->cycle.empty()) return deny("jobflow Flow is not DAG", "flows wait for each other: " + fault->cycle);
  return deny(fmt::format("jobflow Flow is not DAG: vertex is not defined: {}", fault->missing),
              fmt::format("flow {} depends on it: spec.flows must name it", api::go_quote(fault->name)));
}

}  // namespace basalt::admission
