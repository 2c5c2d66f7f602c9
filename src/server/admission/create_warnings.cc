#include "server/admission/create_warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kube/api/object_view.h"
#include "kube/api/views/pod_view.h"
#include "kube/api/views/volcano_cron_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/views/volcano_pod_group_view.h"
#include "server/admission/webhook_handlers.h"

namespace basalt::admission {
namespace {

// Collects each warning once.
class Advice {
 public:
  Advice(const ObjectLookup& lookup, std::span<const std::string> schedulers, std::string_view namespace_name)
      : lookup_(lookup), schedulers_(schedulers), namespace_name_(namespace_name) {}

  void scheduler(std::string_view name, std::string_view field) {
    if (name.empty() || schedulers_.empty() || std::ranges::find(schedulers_, name) != schedulers_.end()) return;
    say(fmt::format("{}: nobody in this cluster places pods for the scheduler \"{}\"; those here are {}", field, name,
                    fmt::join(schedulers_, ", ")));
  }
  void priority_class(std::string_view name, std::string_view field) {
    if (name.empty() || !lookup_.priority_class || lookup_.priority_class(name)) return;
    say(fmt::format("{}: there is no PriorityClass \"{}\"; pods are refused until it exists", field, name));
  }
  void claim(std::string_view name, std::string_view field) {
    if (name.empty() || !lookup_.claim || lookup_.claim(namespace_name_, name)) return;
    say(fmt::format("{}: there is no PersistentVolumeClaim \"{}\" in namespace {}; pods wait until it exists", field,
                    name, namespace_name_));
  }
  void pod_spec(api::PodSpecView spec, const std::string& at) {
    scheduler(spec.scheduler_name(), at + ".schedulerName");
    const api::ListView<api::VolumeView> volumes = spec.volumes();
    for (size_t i = 0; i < volumes.size(); ++i) {
      claim(volumes[i].persistent_volume_claim().claim_name(),
            fmt::format("{}.volumes[{}].persistentVolumeClaim.claimName", at, i));
    }
  }
  void job_spec(api::VolcanoJobSpecView spec, const std::string& at) {
    scheduler(spec.scheduler_name(), at + ".schedulerName");
    priority_class(spec.priority_class_name(), at + ".priorityClassName");
    const api::ListView<api::VolumeSpecView> volumes = spec.volumes();
    for (size_t i = 0; i < volumes.size(); ++i) {
      if (volumes[i].volume_claim()) continue;
      claim(volumes[i].volume_claim_name(), fmt::format("{}.volumes[{}].volumeClaimName", at, i));
    }
    const api::ListView<api::TaskSpecView> tasks = spec.tasks();
    for (size_t i = 0; i < tasks.size(); ++i) {
      const api::PodSpecView pod = tasks[i].template_().spec();
      const std::string here = fmt::format("{}.tasks[{}].template.spec", at, i);
      priority_class(pod.priority_class_name(), here + ".priorityClassName");
      pod_spec(pod, here);
    }
  }
  void say(std::string warning) {
    if (said_.size() < kMaxCreateWarnings && std::ranges::find(said_, warning) == said_.end()) said_.push_back(warning);
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(said_); }

 private:
  const ObjectLookup& lookup_;
  std::span<const std::string> schedulers_;
  std::string_view namespace_name_;
  std::vector<std::string> said_;
};

}  // namespace

std::vector<std::string> warnings_on_create(std::string_view group, std::string_view plural, const text::Object& object,
                                            const ObjectLookup& lookup, std::span<const std::string> schedulers) {
  Advice advice(lookup, schedulers, api::ObjectView(object).metadata().namespace_name());
  if (group.empty() && plural == "pods") advice.pod_spec(api::PodView(object).spec(), "spec");
  if (group == "batch.volcano.sh" && plural == "jobs") advice.job_spec(api::VolcanoJobView(object).spec(), "spec");
  if (group == "batch.volcano.sh" && plural == "cronjobs") {
    advice.job_spec(api::VolcanoCronJobView(object).spec().job_template().spec(), "spec.jobTemplate.spec");
  }
  if (group == "scheduling.volcano.sh" && plural == "podgroups") {
    advice.priority_class(api::PodGroupView(object).spec().priority_class_name(), "spec.priorityClassName");
  }
  return advice.take();
}

}  // namespace basalt::admission
