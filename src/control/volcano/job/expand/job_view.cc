#include "control/volcano/job/expand/job_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"

namespace basalt::volcano {
namespace {

using api::rules::part_of;

constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();  // counts are int32 in the API: sums cannot overflow

std::optional<int64_t> count_at(const text::Object& object, std::string_view key) {
  const auto number = api::rules::int_at(object, key);
  if (!number) return std::nullopt;
  return std::clamp<int64_t>(*number, 0, kMaxCount);
}

PartitionPolicy read_partition(const text::Object& policy) {
  return {.total = count_at(policy, "totalPartitions").value_or(0),
          .size = count_at(policy, "partitionSize").value_or(0),
          .min = count_at(policy, "minPartitions").value_or(0),
          .network_topology = api::rules::object_at(policy, "networkTopology")};
}

TaskView read_task(const text::Object& task) {
  TaskView out;
  out.name = api::string_at(task, "name");
  out.replicas = count_at(task, "replicas").value_or(0);
  out.min_available = count_at(task, "minAvailable");
  out.max_retry = api::rules::int_at(task, "maxRetry").value_or(0);
  out.pod_template = &part_of(task, "template");
  out.template_spec = &part_of(*out.pod_template, "spec");
  out.hostname = api::string_at(*out.template_spec, "hostname");
  out.subdomain = api::string_at(*out.template_spec, "subdomain");
  out.priority_class = api::string_at(*out.template_spec, "priorityClassName");
  const text::Object& depends = part_of(task, "dependsOn");
  api::rules::each_string(depends, "name", [&](std::string_view name, size_t) { out.depends_on.push_back(name); });
  out.depends_on_any = api::string_at(depends, "iteration") == "any";
  if (const text::Object* policy = api::rules::object_at(task, "partitionPolicy")) {
    out.partition = read_partition(*policy);
  }
  out.topology_policy = api::string_at(task, "topologyPolicy");
  out.policies = api::rules::array_at(task, "policies");
  return out;
}

void read_spec(const text::Object& spec, JobView& out) {
  out.queue = api::string_at(spec, "queue");
  out.scheduler_name = api::string_at(spec, "schedulerName");
  out.priority_class = api::string_at(spec, "priorityClassName");
  out.min_available = count_at(spec, "minAvailable").value_or(0);
  out.min_success = count_at(spec, "minSuccess");
  out.ttl_seconds = count_at(spec, "ttlSecondsAfterFinished");
  out.max_retry = count_at(spec, "maxRetry").value_or(0);
  api::rules::each_object(spec, "tasks",
                          [&](const text::Object& task, size_t) { out.tasks.push_back(read_task(task)); });
  api::rules::each_object(spec, "volumes", [&](const text::Object& volume, size_t) {
    out.volumes.push_back({.mount_path = api::string_at(volume, "mountPath"),
                           .claim_name = api::string_at(volume, "volumeClaimName"),
                           .claim = api::rules::object_at(volume, "volumeClaim")});
  });
  const text::Object& plugins = part_of(spec, "plugins");
  for (const auto& plugin : plugins) {
    PluginView& one = out.plugins.emplace_back();
    one.name = plugin.key();
    api::rules::each_string(plugins, plugin.key(),
                            [&](std::string_view argument, size_t) { one.arguments.push_back(argument); });
  }
  out.network_topology = api::rules::object_at(spec, "networkTopology");
  out.policies = api::rules::array_at(spec, "policies");
}

void read_status(const text::Object& status, JobView& out) {
  out.status = &status;
  out.phase = api::string_at(status, {"state", "phase"});
  out.version = count_at(status, "version").value_or(0);
  out.retry_count = count_at(status, "retryCount").value_or(0);
  out.status_min_available = count_at(status, "minAvailable").value_or(0);
  out.controlled_resources = &part_of(status, "controlledResources");
}

}  // namespace

int64_t TaskView::min_members() const {
  if (min_available) return *min_available;
  if (partition && partition->min != 0 && partition->size != 0) {
    return std::min(partition->min * partition->size, kMaxCount);  // both are int32: the product fits
  }
  return replicas;
}

JobView::JobView(const text::Object& job) : object(&job) {
  const text::Object& metadata = part_of(job, "metadata");
  name = api::string_at(metadata, "name");
  namespace_name = api::string_at(metadata, "namespace");
  uid = api::string_at(metadata, "uid");
  labels = &part_of(metadata, "labels");
  annotations = &part_of(metadata, "annotations");
  deleting = api::rules::has(metadata, "deletionTimestamp");
  read_spec(part_of(job, "spec"), *this);
  read_status(part_of(job, "status"), *this);
}

const TaskView* JobView::find_task(std::string_view task_name) const {
  const auto found = std::ranges::find_if(
      tasks, [&](const TaskView& task) { return task.name == task_name || task.key() == task_name; });
  return found == tasks.end() ? nullptr : &*found;
}

int64_t JobView::total_replicas() const {
  int64_t total = 0;
  for (const TaskView& task : tasks) total += task.replicas;
  return total;
}

std::string JobView::group_name() const { return fmt::format("{}-{}", name, uid); }

std::string pod_name(const JobView& job, const TaskView& task, int64_t index) {
  return fmt::format("{}-{}-{}", job.name, task.name, index);
}

std::string host_name(const JobView& job, const TaskView& task, int64_t index) {
  const std::string_view subdomain = task.subdomain.empty() ? job.name : task.subdomain;
  if (!task.hostname.empty()) return fmt::format("{}.{}", task.hostname, subdomain);
  return fmt::format("{}-{}-{}.{}", job.name, task.name, index, subdomain);
}

text::Object owner_reference(const JobView& job) {
  return {{"apiVersion", "batch.volcano.sh/v1alpha1"},
          {"kind", "Job"},
          {"name", job.name},
          {"uid", job.uid},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

text::Object owned_metadata(const JobView& job, std::string_view name) {
  text::Object metadata{{"name", name}};
  if (!job.namespace_name.empty()) metadata["namespace"] = job.namespace_name;
  metadata["ownerReferences"] = text::Array{owner_reference(job)};
  return metadata;
}

}  // namespace basalt::volcano
