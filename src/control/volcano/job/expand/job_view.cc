#include "control/volcano/job/expand/job_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kube/api/views/metadata_view.h"
#include "kube/api/views/pod_spec_view.h"
#include "kube/api/views/volcano_job_view.h"

namespace basalt::volcano {
namespace {

constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();  // counts are int32 in the API: sums cannot overflow

std::optional<int64_t> count_of(std::optional<int64_t> number) {
  if (!number) return std::nullopt;
  return std::clamp<int64_t>(*number, 0, kMaxCount);
}

// An empty object stands for an absent one.
const text::Object* or_empty(const text::Object* object) {
  static const text::Object kEmpty;
  return object == nullptr ? &kEmpty : object;
}

// Elements that are no strings are empty ones.
std::vector<std::string_view> words_of(api::ListView<std::string_view> list) {
  std::vector<std::string_view> words;
  for (size_t i = 0; i < list.size(); ++i) words.push_back(list[i]);
  return words;
}

PartitionPolicy read_partition(api::PartitionPolicySpecView policy) {
  return {.total = count_of(policy.total_partitions()).value_or(0),
          .size = count_of(policy.partition_size()).value_or(0),
          .min = count_of(policy.min_partitions()).value_or(0),
          .network_topology = policy.network_topology().json()};
}

TaskView read_task(api::TaskSpecView task) {
  const api::PodSpecView pod = task.template_().spec();
  TaskView out;
  out.name = task.name();
  out.replicas = count_of(task.replicas()).value_or(0);
  out.min_available = count_of(task.min_available());
  out.max_retry = task.max_retry().value_or(0);
  out.pod_template = or_empty(task.template_().json());
  out.template_spec = or_empty(pod.json());
  out.hostname = pod.hostname();
  out.subdomain = pod.subdomain();
  out.priority_class = pod.priority_class_name();
  out.depends_on = words_of(task.depends_on().name());
  out.depends_on_any = task.depends_on().iteration() == "any";
  if (task.partition_policy()) out.partition = read_partition(task.partition_policy());
  out.topology_policy = task.topology_policy();
  out.policies = task.policies().json();
  return out;
}

void read_spec(api::VolcanoJobSpecView spec, JobView& out) {
  out.queue = spec.queue();
  out.scheduler_name = spec.scheduler_name();
  out.priority_class = spec.priority_class_name();
  out.min_available = count_of(spec.min_available()).value_or(0);
  out.min_success = count_of(spec.min_success());
  out.ttl_seconds = count_of(spec.ttl_seconds_after_finished());
  out.max_retry = count_of(spec.max_retry()).value_or(0);
  for (const api::TaskSpecView task : spec.tasks()) out.tasks.push_back(read_task(task));
  for (const api::VolumeSpecView volume : spec.volumes()) {
    out.volumes.push_back({.mount_path = volume.mount_path(),
                           .claim_name = volume.volume_claim_name(),
                           .claim = volume.volume_claim().json()});
  }
  for (const auto& plugin : *or_empty(spec.plugins().json())) {
    out.plugins.push_back({.name = plugin.key(), .arguments = words_of(spec.plugins()[plugin.key()])});
  }
  out.network_topology = spec.network_topology().json();
  out.policies = spec.policies().json();
}

void read_status(api::VolcanoJobStatusView status, JobView& out) {
  out.status = or_empty(status.json());
  out.phase = status.state().phase();
  out.version = count_of(status.version()).value_or(0);
  out.retry_count = count_of(status.retry_count()).value_or(0);
  out.status_min_available = count_of(status.min_available()).value_or(0);
  out.controlled_resources = or_empty(status.controlled_resources().json());
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
  const api::VolcanoJobView fields(job);
  const api::ObjectMetaView metadata = fields.metadata();
  name = metadata.name();
  namespace_name = metadata.namespace_name();
  uid = metadata.uid();
  labels = or_empty(metadata.labels().json());
  annotations = or_empty(metadata.annotations().json());
  deleting = !metadata.deletion_timestamp().empty();
  read_spec(fields.spec(), *this);
  read_status(fields.status(), *this);
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
