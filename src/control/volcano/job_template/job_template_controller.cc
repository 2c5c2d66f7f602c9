#include "control/volcano/job_template/job_template_controller.h"

#include "control/volcano/volcano_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/volcano_flow_view.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {

// The annotation is there even where the text is too long for a label.
std::string_view template_of(const text::Object& job) {
  return api::ObjectView(job).metadata().annotations()[api::keys::kCreatedByTemplate];
}

void wake_job_templates(const VolcanoContext& context, const ObjectChange& change, std::vector<std::string>& items) {
  if (change.kind == VolcanoKind::JobTemplate && change.now != nullptr) items.emplace_back(change.key);
  if (change.kind != VolcanoKind::Job || (change.before != nullptr && change.now != nullptr)) return;  // came or went
  const std::string_view origin = template_of(change.either());
  const std::string ns(api::namespace_of(change.either()));
  if (!origin.starts_with(ns + ".")) return;
  std::string key = ns + "/" + std::string(origin.substr(ns.size() + 1));
  if (context.seen.find(VolcanoKind::JobTemplate, key) != nullptr) items.push_back(std::move(key));
}

WritePlan plan_job_templates(const VolcanoContext& context, const std::string& item, Instant /*now*/) {
  WritePlan plan;
  const text::Object* job_template = context.seen.find(VolcanoKind::JobTemplate, item);
  if (job_template == nullptr || is_leaving(*job_template)) return plan;
  const std::string origin = origin_of(*job_template);
  text::Array jobs;
  context.seen.each_in(VolcanoKind::Job, api::namespace_of(*job_template),
                       [&](const std::string&, const text::Object& job) {
                         if (template_of(job) == origin) jobs.emplace_back(api::name_of(job));
                       });
  const text::Array* old = api::JobTemplateView(*job_template).status().job_depends_on_list().json();
  if (old == nullptr ? jobs.empty() : *old == jobs) return plan;
  plan.write(patch_status(VolcanoKind::JobTemplate, *job_template, {{"jobDependsOnList", std::move(jobs)}},
                          RefuseIf::Changed));
  return plan;
}

}  // namespace

std::string origin_of(const text::Object& object) {
  std::string origin(api::namespace_of(object));
  return origin.append(".").append(api::name_of(object));
}

VolcanoController job_template_controller() {
  return {.name = "jobtemplate-controller", .wake = wake_job_templates, .plan = plan_job_templates};
}

}  // namespace basalt::volcano
