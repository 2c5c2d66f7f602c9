#include "control/volcano/job/expand/pod_group_builder.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "control/volcano/pod_group_parts.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {

namespace keys = api::keys;

std::vector<const TaskView*> by_priority(const JobView& job, const PriorityLookup& priorities) {
  std::vector<std::pair<int64_t, const TaskView*>> ranked;
  for (const TaskView& task : job.tasks) {
    ranked.emplace_back(task.priority_class.empty() ? 0 : priorities(task.priority_class), &task);
  }
  std::ranges::stable_sort(ranked, [](const auto& left, const auto& right) { return left.first > right.first; });
  std::vector<const TaskView*> tasks;
  for (const auto& [priority, task] : ranked) tasks.push_back(task);
  return tasks;
}

text::Object network_topology(const text::Object& from, bool both_tiers) {
  text::Object out;
  api::copy_member(out, from, "mode");
  api::copy_member(out, from, "highestTierAllowed");
  if (both_tiers || !api::rules::has(from, "highestTierAllowed")) api::copy_member(out, from, "highestTierName");
  return out;
}

text::Object sub_group_policy(const TaskView& task) {
  text::Object policy{
      {"name", task.key()},
      {"subGroupSize", task.partition->size},
      {"minSubGroups", task.partition->min},
      {"labelSelector", text::Object{{"matchLabels", text::Object{{keys::kTaskSpec, task.key()}}}}},
      {"matchLabelKeys", text::Array{keys::kPartitionId}},
  };
  if (const text::Object* topology = task.partition->network_topology) {
    policy["networkTopology"] = network_topology(*topology, true);
  }
  return policy;
}

text::Object wanted_spec(const JobView& job, const PriorityLookup& priorities) {
  text::Object spec{{"minMember", job.min_available}};
  text::Object& members = api::object_in(spec, "minTaskMember");
  for (const TaskView& task : job.tasks) members[task.key()] = task.min_members();
  if (!job.queue.empty()) spec["queue"] = job.queue;
  if (!job.priority_class.empty()) spec["priorityClassName"] = job.priority_class;
  text::Object& resources = api::object_in(spec, "minResources");
  for (const auto& [name, amount] : min_resources(job, priorities)) resources[name] = amount.to_string();
  if (job.network_topology != nullptr) spec["networkTopology"] = network_topology(*job.network_topology, false);
  text::Array policies;
  for (const TaskView& task : job.tasks) {
    if (task.partition) policies.push_back(sub_group_policy(task));
  }
  if (!policies.empty()) spec["subGroupPolicy"] = std::move(policies);
  return spec;
}

}  // namespace

api::ResourceList min_resources(const JobView& job, const PriorityLookup& priorities) {
  const std::vector<const TaskView*> tasks = by_priority(job, priorities);
  int64_t minimum_of_tasks = 0;
  for (const TaskView* task : tasks) minimum_of_tasks += task->min_available.value_or(task->replicas);
  api::ResourceList total;
  int64_t left = job.min_available;
  if (left < minimum_of_tasks) {
    for (const TaskView* task : tasks) {
      const int64_t count = std::min(left, task->replicas);
      add_pods(total, *task->template_spec, count);
      left -= count;
    }
    return total;
  }
  for (const TaskView* task : tasks) {
    const int64_t count = std::min(left, task->min_available.value_or(0));
    add_pods(total, *task->template_spec, count);
    left -= count;
  }
  for (const TaskView* task : tasks) {
    const int64_t unused = std::max<int64_t>(task->replicas - task->min_available.value_or(0), 0);
    const int64_t count = std::min(left, unused);
    add_pods(total, *task->template_spec, count);
    left -= count;
  }
  return total;
}

text::Object make_pod_group(const JobView& job, const PriorityLookup& priorities) {
  text::Object metadata = owned_metadata(job, job.group_name());
  if (!job.labels->empty()) metadata["labels"] = *job.labels;
  if (!job.annotations->empty()) metadata["annotations"] = *job.annotations;
  return {{"apiVersion", "scheduling.volcano.sh/v1beta1"},
          {"kind", "PodGroup"},
          {"metadata", std::move(metadata)},
          {"spec", wanted_spec(job, priorities)}};
}

}  // namespace basalt::volcano
