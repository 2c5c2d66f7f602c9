#include <algorithm>
#include <string_view>
#include <utility>

#include "control/volcano/controller_annotations.h"
#include "control/volcano/job/expand/pod_group_builder.h"
#include "control/volcano/pod_group_parts.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/views/volcano_pod_group_view.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {

namespace keys = api::keys;
using api::rules::part_of;

// kubectl's own note about the object it stands on; a fresh copy on another object would say nothing true.
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

// The schema's default may have been filled in on one side only.
text::Value with_mode(text::Value topology) {
  if (text::Object* object = topology.if_object();
      object != nullptr && api::NetworkTopologyView(*object).mode().empty()) {
    (*object)["mode"] = "hard";
  }
  return topology;
}

text::Array with_modes(const text::Array* policies) {
  text::Array out = policies == nullptr ? text::Array() : *policies;
  for (text::Value& policy : out) {
    text::Object* object = policy.if_object();
    text::Value* topology = object == nullptr ? nullptr : object->if_contains("networkTopology");
    if (topology != nullptr) *topology = with_mode(std::move(*topology));
  }
  return out;
}

const text::Value* policy_named(const text::Array& policies, std::string_view name) {
  const auto found = std::ranges::find_if(policies, [&](const text::Value& policy) {
    return policy.is_object() && api::SubGroupPolicySpecView(policy.get_object()).name() == name;
  });
  return found == policies.end() ? nullptr : &*found;
}

// The policies of the job's tasks as they should be, and behind them those that somebody else named otherwise.
std::optional<text::Array> sub_group_change(const JobView& job, const text::Object& wanted,
                                            const text::Object& current) {
  text::Array policies = with_modes(api::PodGroupSpecView(wanted).sub_group_policy().json());
  const text::Array have = with_modes(api::PodGroupSpecView(current).sub_group_policy().json());
  bool same = true;
  for (const TaskView& task : job.tasks) {
    const text::Value* want_one = policy_named(policies, task.key());
    const text::Value* have_one = policy_named(have, task.key());
    same = same && (want_one == nullptr) == (have_one == nullptr) && (want_one == nullptr || *want_one == *have_one);
  }
  if (same) return std::nullopt;
  for (const text::Value& policy : have) {
    const bool foreign =
        policy.is_object() && job.find_task(api::SubGroupPolicySpecView(policy.get_object()).name()) == nullptr;
    if (foreign) policies.push_back(policy);
  }
  return policies;
}

text::Object spec_change(const JobView& job, const text::Object& wanted, const text::Object& current) {
  text::Object change;
  if (api::PodGroupSpecView(current).min_member().value_or(0) != job.min_available)
    change["minMember"] = job.min_available;
  const auto put_map = [&](std::string_view key, auto same) {
    text::Object map = map_change(part_of(wanted, key), part_of(current, key), true, same);
    if (!map.empty()) change[key] = std::move(map);
  };
  put_map("minTaskMember", same_json);
  put_map("minResources", same_amount);
  // Admission may have put the namespace's queue in the place of "default".
  const std::string_view queue = api::PodGroupSpecView(current).queue();
  if (!job.queue.empty() && job.queue != keys::kDefaultQueue && job.queue != queue) change["queue"] = job.queue;
  if (api::PodGroupSpecView(current).priority_class_name() != job.priority_class) {
    change["priorityClassName"] = job.priority_class.empty() ? text::Value(nullptr) : text::Value(job.priority_class);
  }
  const text::Value* topology = wanted.if_contains("networkTopology");
  if (topology != nullptr) {
    const text::Object& have = part_of(current, "networkTopology");
    text::Object map = map_change(with_mode(*topology).get_object(), with_mode(have).get_object(), true, same_json);
    if (have.empty()) map = topology->get_object();
    if (!map.empty()) change["networkTopology"] = std::move(map);
  }
  if (auto policies = sub_group_change(job, wanted, current)) change["subGroupPolicy"] = std::move(*policies);
  return change;
}

text::Object metadata_change(const JobView& job, const text::Object& current) {
  text::Object change;
  const auto put_map = [&](std::string_view key, text::Object wanted) {
    for (const std::string_view note_of_its_own : {kLastApplied, kDelayedActionsAnnotation})
      wanted.erase(note_of_its_own);
    text::Object map = map_change(wanted, part_of(part_of(current, "metadata"), key), false, same_json);
    if (!map.empty()) change[key] = std::move(map);
  };
  put_map("labels", *job.labels);
  put_map("annotations", *job.annotations);
  return change;
}

}  // namespace

std::optional<text::Object> pod_group_change(const JobView& job, const text::Object& current,
                                             const PriorityLookup& priorities) {
  text::Object change;
  text::Object metadata = metadata_change(job, current);
  if (!metadata.empty()) change["metadata"] = std::move(metadata);
  const text::Object wanted = make_pod_group(job, priorities);
  text::Object spec = spec_change(job, part_of(wanted, "spec"), part_of(current, "spec"));
  if (!spec.empty()) change["spec"] = std::move(spec);
  if (change.empty()) return std::nullopt;
  return change;
}

}  // namespace basalt::volcano
