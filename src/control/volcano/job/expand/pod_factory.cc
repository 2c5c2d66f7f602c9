#include "control/volcano/job/expand/pod_factory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "control/volcano/job/expand/job_claims.h"
#include "kube/api/views/pod_spec_view.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {

namespace keys = api::keys;

// The pod's spec before plugins: the template's, with what it leaves open taken from the job.
text::Object inherited_spec(const JobView& job, const TaskView& task) {
  text::Object spec = *task.template_spec;
  if (api::PodSpecView(spec).scheduler_name().empty() && !job.scheduler_name.empty()) {
    spec["schedulerName"] = job.scheduler_name;
  }
  if (task.priority_class.empty() && !job.priority_class.empty()) spec["priorityClassName"] = job.priority_class;
  return spec;
}

// One volume per claim; of two entries with the same claim the first one counts.
void mount_volumes(TaskPodDraft& draft, const JobView& job) {
  const std::vector<JobClaim> claims = job_claims(job);
  std::vector<std::string_view> seen;
  for (size_t i = 0; i < claims.size(); ++i) {
    const std::string& claim = claims[i].name;
    if (std::ranges::find(seen, claim) != seen.end()) continue;
    seen.push_back(claim);
    const std::string name = pod_volume_name(job, claim);
    draft.add_volume({{"name", name}, {"persistentVolumeClaim", text::Object{{"claimName", claim}}}});
    draft.add_mount(ContainerList::Main, {{"name", name}, {"mountPath", job.volumes[i].mount_path}});
  }
}

// What users write on the job and the scheduler reads from pods.
void inherit_hints(TaskPodDraft& draft, const JobView& job) {
  const auto annotate = [&](std::string_view key) {
    const text::Value* value = job.annotations->if_contains(key);
    if (value == nullptr || !value->is_string()) return false;
    draft.set_annotation(key, std::string_view(value->get_string()));
    return true;
  };
  annotate(keys::kPreemptable);
  annotate(keys::kCooldownTime);
  annotate(keys::kRevocableZone);
  if (!annotate(keys::kMinAvailable)) annotate(keys::kMaxUnavailable);
  for (const std::string_view key : {keys::kPreemptable, keys::kCooldownTime}) {
    const text::Value* value = job.labels->if_contains(key);
    if (value != nullptr && value->is_string()) draft.set_label(key, std::string_view(value->get_string()));
  }
}

void set_keys(TaskPodDraft& draft, const JobView& job, const TaskView& task) {
  draft.set_annotation(keys::kTaskIndex, IndexText{});
  draft.set_annotation(keys::kTaskSpec, task.key());
  draft.set_annotation(keys::kGroupName, job.group_name());
  draft.set_annotation(keys::kJobName, job.name);
  draft.set_annotation(keys::kJobQueue, job.queue);
  draft.set_annotation(keys::kJobVersion, fmt::to_string(job.version));
  draft.set_annotation(keys::kTemplateUid, fmt::format("{}-{}", job.name, task.name));
  draft.set_annotation(keys::kJobRetryCount, fmt::to_string(job.retry_count));
  if (!task.topology_policy.empty()) draft.set_annotation(keys::kNumaPolicy, task.topology_policy);
  draft.set_label(keys::kTaskIndex, IndexText{});
  draft.set_label(keys::kJobName, job.name);
  draft.set_label(keys::kTaskSpec, task.key());
  draft.set_label(keys::kJobNamespace, job.namespace_name);
  draft.set_label(keys::kJobQueue, job.queue);
  if (!task.partition) return;
  if (task.partition->size > 0) {
    draft.set_label(keys::kPartitionId, IndexText{.divisor = task.partition->size});
  } else {
    draft.set_label(keys::kPartitionId, "0");
  }
}

}  // namespace

TaskPodDraft draft_pod(const JobView& job, const TaskView& task, bool forwarded) {
  text::Object metadata = owned_metadata(job, {});
  const api::ObjectMetaView given = api::PodTemplateSpecView(*task.pod_template).metadata();
  if (given.labels()) metadata["labels"] = *given.labels().json();
  if (given.annotations()) metadata["annotations"] = *given.annotations().json();
  TaskPodDraft draft(text::Object{
      {"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", std::move(metadata)}, {"spec", inherited_spec(job, task)}});
  draft.set_name({.before = fmt::format("{}-{}-", job.name, task.name)});
  mount_volumes(draft, job);
  set_keys(draft, job, task);
  inherit_hints(draft, job);
  if (forwarded) {
    draft.set_annotation(keys::kJobForwarding, "true");
    draft.set_label(keys::kJobForwarding, "true");
  }
  return draft;
}

Result<PodFactory> PodFactory::of(const JobView& job, const TaskView& task, const JobPluginSet& plugins,
                                  bool forwarded) {
  TaskPodDraft draft = draft_pod(job, task, forwarded);
  if (auto shaped = plugins.shape(draft, job, task); !shaped) return std::unexpected(shaped.error());
  return PodFactory(std::move(draft));
}

}  // namespace basalt::volcano
