#include "server/admission/advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/unrun_kinds.h"
#include "server/admission/step.h"

namespace basalt::server::admission {
namespace {

constexpr std::string_view kPriorityClassStore = "priorityclasses.scheduling.k8s.io";

// Collects each warning once.
class Advice {
 public:
  Advice(const Surroundings& around, std::string_view space) : around_(around), space_(space) {}

  void scheduler(std::string_view name, std::string_view field) {
    const auto& ours = around_.options->schedulers;
    if (name.empty() || ours.empty() || std::ranges::find(ours, name) != ours.end()) return;
    say(fmt::format("{}: nobody in this cluster places pods for the scheduler \"{}\"; those here are {}", field, name,
                    fmt::join(ours, ", ")));
  }
  void priority_class(std::string_view name, std::string_view field) {
    if (name.empty() || around_.get(kPriorityClassStore, name) != nullptr) return;
    say(fmt::format("{}: there is no PriorityClass \"{}\"; pods are refused until it exists", field, name));
  }
  void claim(std::string_view name, std::string_view field) {
    if (name.empty() || around_.get("persistentvolumeclaims", fmt::format("{}/{}", space_, name)) != nullptr) return;
    say(fmt::format("{}: there is no PersistentVolumeClaim \"{}\" in namespace {}; pods wait until it exists", field,
                    name, space_));
  }
  void pod_spec(const text::Object& spec, const std::string& at) {
    scheduler(string_at(spec, "schedulerName"), at + ".schedulerName");
    each_object(spec, "volumes", [&](const text::Object& volume, size_t i) {
      claim(string_at(part_of(volume, "persistentVolumeClaim"), "claimName"),
            fmt::format("{}.volumes[{}].persistentVolumeClaim.claimName", at, i));
    });
  }
  void job_spec(const text::Object& spec, const std::string& at) {
    scheduler(string_at(spec, "schedulerName"), at + ".schedulerName");
    priority_class(string_at(spec, "priorityClassName"), at + ".priorityClassName");
    each_object(spec, "volumes", [&](const text::Object& volume, size_t i) {
      if (has(volume, "volumeClaim")) return;
      claim(string_at(volume, "volumeClaimName"), fmt::format("{}.volumes[{}].volumeClaimName", at, i));
    });
    each_object(spec, "tasks", [&](const text::Object& task, size_t i) {
      const text::Object& pod = part_of(part_of(task, "template"), "spec");
      const std::string here = fmt::format("{}.tasks[{}].template.spec", at, i);
      priority_class(string_at(pod, "priorityClassName"), here + ".priorityClassName");
      pod_spec(pod, here);
    });
  }
  void say(std::string warning) {
    if (said_.size() < kMaxAdvice && std::ranges::find(said_, warning) == said_.end()) said_.push_back(warning);
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(said_); }

 private:
  const Surroundings& around_;
  std::string_view space_;
  std::vector<std::string> said_;
};

}  // namespace

std::vector<std::string> advise_on_create(const api::Resource& resource, const text::Object& object,
                                          const Surroundings& around) {
  if (!around.options->advises) return {};
  const std::string_view space = string_at(part_of(object, "metadata"), "namespace");
  Advice advice(around, space);
  const text::Object& spec = part_of(object, "spec");
  const bool ours = space == "volcano-system";  // the parts of this process, and what a chart makes of them
  if (api::is_unrun(resource.group, resource.kind) && !ours) advice.say(api::unrun_text(resource.group, resource.kind));
  if (resource.group.empty() && resource.kind == "Pod") advice.pod_spec(spec, "spec");
  if (resource.group == "batch.volcano.sh") {
    if (resource.kind == "Job") advice.job_spec(spec, "spec");
    if (resource.kind == "CronJob") {
      advice.job_spec(part_of(part_of(spec, "jobTemplate"), "spec"), "spec.jobTemplate.spec");
    }
  }
  if (resource.group == "scheduling.volcano.sh" && resource.kind == "PodGroup") {
    advice.priority_class(string_at(spec, "priorityClassName"), "spec.priorityClassName");
  }
  return advice.take();
}

}  // namespace basalt::server::admission
