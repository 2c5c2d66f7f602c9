#include "server/admission/create_warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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
  Advice advice(lookup, schedulers, string_at(part_of(object, "metadata"), "namespace"));
  const text::Object& spec = part_of(object, "spec");
  if (group.empty() && plural == "pods") advice.pod_spec(spec, "spec");
  if (group == "batch.volcano.sh" && plural == "jobs") advice.job_spec(spec, "spec");
  if (group == "batch.volcano.sh" && plural == "cronjobs") {
    advice.job_spec(part_of(part_of(spec, "jobTemplate"), "spec"), "spec.jobTemplate.spec");
  }
  if (group == "scheduling.volcano.sh" && plural == "podgroups") {
    advice.priority_class(string_at(spec, "priorityClassName"), "spec.priorityClassName");
  }
  return advice.take();
}

}  // namespace basalt::admission
