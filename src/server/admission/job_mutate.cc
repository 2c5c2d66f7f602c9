// What a new Job leaves out.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "kube/api/rules/resource_checks.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/volcano_keys.h"
#include "server/admission/job_admission.h"

namespace basalt::admission {
namespace {

void fill_limits(text::Object& container) {
  text::Object* resources = object_at(container, "resources");
  const text::Object* requests = resources == nullptr ? nullptr : object_at(*resources, "requests");
  if (requests == nullptr) return;
  std::vector<std::string> devices;
  for (const auto& request : *requests) {
    if (api::rules::is_extended_resource(request.key())) devices.emplace_back(request.key());
  }
  for (const std::string& device : devices) {
    text::Object& limits = make_object(*resources, "limits");
    if (!limits.contains(device)) limits[device] = part_of(*resources, "requests").at(device);
  }
}

void fill_task(text::Object& task, size_t index) {
  if (api::TaskSpecView(task).name().empty()) task["name"] = fmt::format("default{}", index);
  text::Object* pod_template = object_at(task, "template");
  text::Object* pod = pod_template == nullptr ? nullptr : object_at(*pod_template, "spec");
  if (pod != nullptr && api::PodSpecView(*pod).host_network() && api::PodSpecView(*pod).dns_policy().empty()) {
    (*pod)["dnsPolicy"] = "ClusterFirstWithHostNet";
  }
  if (pod_template != nullptr) fill_device_limits(*pod_template);
  if (!has(task, "minAvailable")) {
    const api::PartitionPolicySpecView partitions = api::TaskSpecView(task).partition_policy();
    const int64_t whole = partitions.min_partitions().value_or(0);
    int64_t pods = 0;
    // What does not fit is refused by the schema; here it only must not overflow.
    const bool fits = !__builtin_mul_overflow(whole, partitions.partition_size().value_or(0), &pods);
    task["minAvailable"] = whole > 0 && fits ? pods : api::TaskSpecView(task).replicas().value_or(0);
  }
  if (api::TaskSpecView(task).max_retry().value_or(0) == 0) task["maxRetry"] = kDefaultMaxRetry;
}

int64_t sum_of_minima(const text::Object& spec) {
  int64_t sum = 0;
  for (const api::TaskSpecView task : api::VolcanoJobSpecView(spec).tasks()) {
    const auto own = task.min_available();
    // A sum beyond what fits is beyond what the schema lets through, too.
    if (__builtin_add_overflow(sum, own ? *own : task.replicas().value_or(0), &sum)) sum = 0;
  }
  return sum;
}

// The frameworks talk over the network, mpi by ssh: what they need comes with them.
void add_needed_plugins(text::Object& spec) {
  text::Object* plugins = object_at(spec, "plugins");
  if (plugins == nullptr) return;
  const auto named = [plugins](std::string_view name) { return plugins->contains(name); };
  const auto add = [plugins](std::string_view name) {
    if (!plugins->contains(name)) (*plugins)[name].emplace_array();
  };
  if (named("tensorflow") || named("mpi") || named("pytorch") || named("ray")) add("svc");
  if (named("mpi")) add("ssh");
}

}  // namespace

void fill_device_limits(text::Object& pod_template) {
  text::Object* pod = object_at(pod_template, "spec");
  if (pod == nullptr) return;
  for (const std::string_view list : {"containers", "initContainers"}) {
    each_object(*pod, list, [](text::Object& container, size_t) { fill_limits(container); });
  }
}

WebhookResult mutate_job(const AdmissionRequest& request, text::Object& job) {
  text::Object& spec = make_object(job, "spec");
  if (api::VolcanoJobSpecView(spec).queue().empty()) spec["queue"] = api::keys::kDefaultQueue;
  if (api::VolcanoJobSpecView(spec).scheduler_name().empty()) {
    const auto& names = request.options.scheduler_names;
    spec["schedulerName"] = names.empty() ? api::keys::kScheduler : std::string_view(names.front());
  }
  if (api::VolcanoJobSpecView(spec).max_retry().value_or(0) == 0) spec["maxRetry"] = kDefaultMaxRetry;
  each_object(spec, "tasks", fill_task);
  if (api::VolcanoJobSpecView(spec).min_available().value_or(0) == 0) spec["minAvailable"] = sum_of_minima(spec);
  add_needed_plugins(spec);
  return {};
}

}  // namespace basalt::admission
