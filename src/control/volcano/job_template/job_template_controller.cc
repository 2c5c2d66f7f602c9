#include "control/volcano/job_template/job_template_controller.h"

#include "control/volcano/writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {

using api::string_at;

// The annotation is there even where the text is too long for a label.
std::string_view template_of(const text::Object& job) {
  return string_at(job, {"metadata", "annotations", api::keys::kCreatedByTemplate});
}

void wake_job_templates(const World& world, const Change& change, std::vector<std::string>& items) {
  if (change.kind == Kind::JobTemplate && change.now != nullptr) items.emplace_back(change.key);
  if (change.kind != Kind::Job || (change.before != nullptr && change.now != nullptr)) return;  // came or went
  const std::string_view origin = template_of(change.either());
  const std::string space(api::namespace_of(change.either()));
  if (!origin.starts_with(space + ".")) return;
  std::string key = space + "/" + std::string(origin.substr(space.size() + 1));
  if (world.seen.find(Kind::JobTemplate, key) != nullptr) items.push_back(std::move(key));
}

Plan plan_job_templates(const World& world, const std::string& item, Instant /*now*/) {
  Plan plan;
  const text::Object* job_template = world.seen.find(Kind::JobTemplate, item);
  if (job_template == nullptr || is_leaving(*job_template)) return plan;
  const std::string origin = origin_of(*job_template);
  text::Array jobs;
  world.seen.each_in(Kind::Job, api::namespace_of(*job_template), [&](const std::string&, const text::Object& job) {
    if (template_of(job) == origin) jobs.emplace_back(api::name_of(job));
  });
  const text::Array* old = api::array_at(*job_template, {"status", "jobDependsOnList"});
  if (old == nullptr ? jobs.empty() : *old == jobs) return plan;
  plan.write(patch_status(Kind::JobTemplate, *job_template, {{"jobDependsOnList", std::move(jobs)}}, Unless::Changed));
  return plan;
}

}  // namespace

std::string origin_of(const text::Object& object) {
  std::string origin(api::namespace_of(object));
  return origin.append(".").append(api::name_of(object));
}

Controller job_template_controller() {
  return {.name = "jobtemplate-controller", .wake = wake_job_templates, .plan = plan_job_templates};
}

}  // namespace basalt::volcano
