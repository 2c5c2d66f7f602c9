// PodGroups: the queue of their namespace, and whether that queue takes work.
#include <fmt/format.h>

#include "kube/api/job_limits.h"
#include "kube/api/views/volcano_pod_group_view.h"
#include "kube/api/volcano_keys.h"
#include "server/admission/job_admission.h"
#include "server/admission/queue_admission.h"
#include "server/admission/refusal_message.h"

namespace basalt::admission {
namespace {

std::string queue_complaint(const AdmissionRequest& request, std::string_view name) {
  if (name.empty()) return "";
  const ObjectPtr queue = request.lookup.queue(name);
  if (queue == nullptr || !queue->is_object()) return "unable to find queue: " + queue_not_found(name);
  if (takes_work(queue->get_object())) return "";
  return fmt::format("can only submit PodGroup to queue with state `Open`, queue `{}` status is `{}`.", name,
                     queue_state(queue->get_object()));
}

std::string tier_complaint(api::PodGroupSpecView spec) {
  std::string text;
  if (const std::string_view own = topology_complaint(spec.network_topology()); !own.empty())
    text = fmt::format("{}.", own);
  for (const api::SubGroupPolicySpecView policy : spec.sub_group_policy()) {
    const std::string_view complaint = topology_complaint(policy.network_topology());
    if (complaint.empty()) continue;
    if (!text.empty()) text += ' ';
    return text + fmt::format("in subGroupPolicy '{}': {}.", policy.name(), complaint);
  }
  return text;
}

// Nobody has so many pods, and amounts for them need not fit into a number.
WebhookResult check_members(api::PodGroupSpecView spec) {
  const auto too_many = [](const std::string& field, int64_t number) {
    return deny(fmt::format("a PodGroup may have up to {} members", api::kMaxPodsPerJob),
                fmt::format("{} is {}", field, number));
  };
  if (const int64_t least = spec.min_member().value_or(0); least > api::kMaxPodsPerJob) {
    return too_many("spec.minMember", least);
  }
  for (const auto& [task, least] : spec.min_task_member()) {
    if (least > api::kMaxPodsPerJob) return too_many(fmt::format("spec.minTaskMember.{}", task), least);
  }
  return {};
}

}  // namespace

WebhookResult mutate_pod_group(const AdmissionRequest& request, text::Object& group) {
  if (api::PodGroupView(group).spec().queue() != api::keys::kDefaultQueue) return {};
  const std::string_view own = api::PodGroupView(group).metadata().namespace_name();
  const ObjectPtr namespace_object = request.lookup.namespace_name(own.empty() ? request.namespace_name : own);
  if (namespace_object == nullptr || !namespace_object->is_object()) return {};
  const text::Object& annotations = part_of(part_of(namespace_object->get_object(), "metadata"), "annotations");
  if (const text::Value* queue = member_of(annotations, api::keys::kQueueName)) {
    make_object(group, "spec")["queue"] = view_of(*queue);
  }
  return {};
}

WebhookResult validate_pod_group(const AdmissionRequest& request) {
  if (request.object == nullptr) return {};
  const api::PodGroupSpecView spec = api::PodGroupView(*request.object).spec();
  if (WebhookResult size = check_members(spec); !size) return size;
  const std::string queue = queue_complaint(request, spec.queue());
  const std::string tiers = tier_complaint(spec);
  if (queue.empty() && tiers.empty()) return {};
  std::string_view remedy;
  if (!queue.empty()) remedy = "spec.queue must name a queue that exists and is open";
  return deny(queue.empty() || tiers.empty() ? queue + tiers : queue + "; " + tiers, remedy);
}

}  // namespace basalt::admission
