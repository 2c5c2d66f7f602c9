// The pod template of a task, judged by the rules of pods.
#include <fmt/format.h>

#include "base/check.h"
#include "kube/api/name_validation.h"
#include "kube/api/object_view.h"
#include "kube/api/rules/pod_template.h"
#include "kube/api/rules/resource_checks.h"
#include "kube/api/schema/defaults.h"
#include "kube/api/schema/normalize.h"
#include "kube/api/views/volcano_job_view.h"
#include "server/admission/job_admission.h"

namespace basalt::admission {
namespace {

const api::Schema& template_schema() {
  const api::Schema* schema = api::builtin_schemas().find("io.k8s.api.core.v1.PodTemplateSpec");
  check(schema != nullptr, "pods have templates");
  return *schema;
}

// What is wrong, field by field, each ended by ". ". The copy is needed: defaults are filled in before judging.
std::string template_complaints(const AdmissionRequest& request, api::TaskSpecView task) {
  const text::Value* given = member_of(*task.json(), "template");
  text::Value copy = given == nullptr ? text::Value(text::Object()) : *given;
  if (const auto read = api::normalize(template_schema(), copy); !read) {
    return "template: " + read.error().message + ". ";
  }
  if (!copy.is_object()) copy.emplace_object();
  text::Object& pod_template = copy.get_object();
  text::Object& pod = make_object(pod_template, "spec");
  if (!request.options.pod_level_resources) pod.erase("resources");
  if (const auto filled = api::apply_defaults(template_schema(), copy); !filled) {
    return "template: " + filled.error().message + ". ";
  }
  api::rules::complete_pod_spec(pod, api::rules::SpecOf::Template);
  api::Causes causes;
  const std::string_view own = api::ObjectView(*request.object).metadata().namespace_name();
  const text::Object metadata{{"name", task.name()}, {"namespace", own.empty() ? request.namespace_name : own}};
  api::validate_metadata(metadata, true, api::NameRule::Subdomain, causes);
  api::rules::validate_pod_template(pod_template, "template", causes);
  std::string text;
  for (const api::Cause& cause : causes.list()) {
    if (text.size() > kMaxRefusalBytes) break;
    text += fmt::format("{}: {}. ", cause.field, cause.message);
  }
  return text;
}

// Whole cpus, at least one; requests, or limits where there are no requests.
bool has_whole_cpus(api::ContainerView container) {
  const api::ResourceRequirementsView resources = container.resources();
  const text::Value* cpu = (resources.requests().empty() ? resources.limits() : resources.requests())["cpu"];
  if (cpu == nullptr || cpu->is_null()) return false;
  const text::Quantity amount = api::rules::amount_of(*cpu);
  return !amount.is_zero() && text::Quantity::from_units(amount.value()) == amount;
}

void check_whole_cpus(api::TaskSpecView task, size_t index, RefusalMessage& refusal) {
  const std::string_view policy = task.topology_policy();
  if (policy.empty() || policy == "none") return;
  const api::PodSpecView pod = task.template_().spec();
  size_t number = 0;
  for (const api::ListView<api::ContainerView> list : {pod.containers(), pod.init_containers()}) {
    bool wrong = false;
    for (const api::ContainerView container : list) {
      wrong = wrong || !has_whole_cpus(container);
      if (!wrong) ++number;
    }
    if (!wrong) continue;
    refusal.say(fmt::format("the cpu request isn't an integer in spec.task[{}] container[{}].", index, number));
    refusal.remedy(fmt::format("topologyPolicy {} needs whole cpus, at least 1, in every container", policy));
    return;
  }
}

}  // namespace

void check_task_template(const AdmissionRequest& request, api::TaskSpecView task, size_t index,
                         RefusalMessage& refusal) {
  if (const std::string complaints = template_complaints(request, task); !complaints.empty()) {
    refusal.say(fmt::format("spec.task[{}].{}", index, complaints));
    return;
  }
  check_whole_cpus(task, index, refusal);
}

}  // namespace basalt::admission
