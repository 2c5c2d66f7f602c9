#include "control/volcano/job_flow/job_flow_controller.h"

#include <fmt/format.h>

#include "control/volcano/job_flow/flow_probe.h"
#include "control/volcano/job_flow/flow_status.h"
#include "control/volcano/job_template/job_template_controller.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/volcano_flow_view.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/merge_difference.h"

namespace basalt::volcano {
namespace {

constexpr size_t kMaxLabelValue = 63;

text::Object make_job(const text::Object& flow, const FlowStep& step, const text::Object& job_template) {
  text::Object metadata{{"name", step.job_name}, {"namespace", api::namespace_of(flow)}};
  for (const auto& [key, origin] : {std::pair(api::keys::kCreatedByTemplate, origin_of(job_template)),
                                    std::pair(api::keys::kCreatedByFlow, origin_of(flow))}) {
    api::object_in(metadata, "annotations")[key] = origin;
    if (origin.size() <= kMaxLabelValue) api::object_in(metadata, "labels")[key] = origin;
  }
  metadata["ownerReferences"] = text::Array{text::Value(controller_reference(VolcanoKind::JobFlow, flow))};
  const text::Object* spec = api::JobTemplateView(job_template).spec().json();
  return {{"apiVersion", api_version_of(VolcanoKind::Job)},
          {"kind", row_of(VolcanoKind::Job).name},
          {"metadata", std::move(metadata)},
          {"spec", patched_spec(spec == nullptr ? text::Object() : *spec, step.entry.patch().job_spec().json())}};
}

void start_step(const VolcanoContext& context, const FlowView& view, const FlowStep& step, Instant now,
                WritePlan& plan) {
  StepReadiness readiness = readiness_of(context, view, step, now);
  if (!readiness.ready) {
    if (readiness.asks.empty()) return;
    for (loop::Probe& ask : readiness.asks) plan.asks.emplace_back(std::move(ask));
    return plan.look_again(now + kProbeAgain);
  }
  const text::Object& flow = *view.flow;
  const std::string ns(api::namespace_of(flow));
  const text::Object* job_template = context.seen.find(VolcanoKind::JobTemplate, ns + "/" + std::string(step.name));
  if (job_template == nullptr) {
    plan.notes.push_back(warning(VolcanoKind::JobFlow, flow, "SyncJobFlow",
                                 fmt::format("JobTemplate {}/{} is not there; the flow waits for it", ns, step.name)));
    return;
  }
  if (context.seen.find(VolcanoKind::Job, ns + "/" + step.job_name) != nullptr) {
    plan.notes.push_back(
        warning(VolcanoKind::JobFlow, flow, "SyncJobFlow",
                fmt::format("job {} is there already and does not belong to this flow", step.job_name)));
    return;
  }
  plan.write(create_object(VolcanoKind::Job, make_job(flow, step, *job_template)),
             normal(VolcanoKind::JobFlow, flow, "Created",
                    fmt::format("create a job named {} with namespace {}", step.job_name, ns)));
}

WritePlan plan_job_flows(const VolcanoContext& context, const std::string& item, Instant now) {
  WritePlan plan;
  const text::Object* flow = context.seen.find(VolcanoKind::JobFlow, item);
  if (flow == nullptr || is_leaving(*flow)) return plan;
  const FlowView view(*flow, context.seen);
  const bool succeeded = api::JobFlowView(*flow).status().state().phase() == "Succeed";
  if (succeeded && api::JobFlowView(*flow).spec().job_retain_policy() == "delete") {
    for (const FlowStep& step : view.steps) {
      if (step.job != nullptr && !is_leaving(*step.job)) plan.write(delete_object(VolcanoKind::Job, *step.job));
    }
    return plan;
  }
  if (!succeeded && flow_phase(view) != "Failed") {
    for (const FlowStep& step : view.steps) {
      if (step.job == nullptr) start_step(context, view, step, now, plan);
    }
  }
  const text::Object* old = api::JobFlowView(*flow).status().json();
  text::Object change = text::merge_difference(old == nullptr ? text::Object() : *old, flow_status(view, now));
  if (!change.empty()) plan.write(patch_status(VolcanoKind::JobFlow, *flow, std::move(change), RefuseIf::Changed));
  return plan;
}

void wake_job_flows(const VolcanoContext& context, const ObjectChange& change, std::vector<std::string>& items) {
  const std::string ns(change.kind == VolcanoKind::Pod ? "" : api::namespace_of(change.either()));
  switch (change.kind) {
    case VolcanoKind::JobFlow:
      if (change.now != nullptr) items.emplace_back(change.key);
      return;
    case VolcanoKind::Job: {
      const std::string_view flow =
          api::ObjectView(change.either()).metadata().annotations()[api::keys::kCreatedByFlow];
      if (!flow.starts_with(ns + ".")) return;
      std::string key = ns + "/" + std::string(flow.substr(ns.size() + 1));
      if (context.seen.find(VolcanoKind::JobFlow, key) != nullptr) items.push_back(std::move(key));
      return;
    }
    case VolcanoKind::JobTemplate:  // a flow may have waited for it
      if (change.before != nullptr) return;
      context.seen.each_in(VolcanoKind::JobFlow, ns, [&](const std::string& key, const text::Object& flow) {
        if (FlowView(flow, context.seen).find(api::name_of(change.either())) != nullptr) items.push_back(key);
      });
      return;
    default:
      return;
  }
}

void refused_job_flows(const VolcanoContext& context, const std::string& item, const api::Call& call,
                       const api::ApiError& error, std::vector<EventNote>& notes) {
  const text::Object* flow = context.seen.find(VolcanoKind::JobFlow, item);
  if (flow == nullptr || call.resource.plural != "jobs" || error.code == 409) return;
  const bool creating = call.verb == api::Verb::Create;
  notes.push_back(warning(VolcanoKind::JobFlow, *flow, creating ? "FailedCreate" : "FailedDelete",
                          fmt::format("Error {} job: {}", creating ? "creating" : "deleting", error.message)));
}

}  // namespace

VolcanoController job_flow_controller() {
  return {.name = "jobflow-controller", .wake = wake_job_flows, .plan = plan_job_flows, .refused = refused_job_flows};
}

}  // namespace basalt::volcano
