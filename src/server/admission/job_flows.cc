// JobFlows: their flows must have an order.
#include <fmt/format.h>

#include "kube/api/go_quote.h"
#include "kube/api/views/volcano_flow_view.h"
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
  const api::ListView<api::FlowEntryView> flows = api::JobFlowView(*request.object).spec().flows();
  for (size_t i = 0; i < flows.size() && size; ++i) {
    size = check_job_size(flows[i].patch().job_spec(), {}, fmt::format("spec.flows[{}].patch.jobSpec", i));
  }
  return size;
}

}  // namespace

WebhookResult validate_job_flow(const AdmissionRequest& request) {
  if (request.object == nullptr) return {};
  if (WebhookResult size = check_patches(request); !size) return size;
  std::vector<Dependent> flows;
  for (const api::FlowEntryView flow : api::JobFlowView(*request.object).spec().flows()) {
    Dependent one{.name = flow.name(), .on = {}};
    for (const std::string_view target : flow.depends_on().targets()) one.on.push_back(target);
    flows.push_back(std::move(one));
  }
  const auto fault = find_dependency_error(flows);
  if (!fault) return {};
  if (!fault->cycle.empty()) return deny("jobflow Flow is not DAG", "flows wait for each other: " + fault->cycle);
  return deny(fmt::format("jobflow Flow is not DAG: vertex is not defined: {}", fault->missing),
              fmt::format("flow {} depends on it: spec.flows must name it", api::go_quote(fault->name)));
}

}  // namespace basalt::admission
