// PodGroups: the queue of their namespace, and whether that queue takes work.
#include <fmt/format.h>

#include "kube/api/job_limits.h"
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

std::string tier_complaint(const text::Object& spec) {
  std::string text;
  if (const std::string_view own = topology_complaint(spec); !own.empty()) text = fmt::format("{}.", own);
  const text::Array* policies = array_at(spec, "subGroupPolicy");
  if (policies == nullptr) return text;
  for (const text::Value& value : *policies) {
    const text::Object* policy = value.if_object();
    const std::string_view complaint = policy == nullptr ? "" : topology_complaint(*policy);
    if (complaint.empty()) continue;
    if (!text.empty()) text += ' ';
    return text + fmt::format("in subGroupPolicy '{}': {}.", string_at(*policy, "name"), complaint);
  }
  return text;
}

// Nobody has so many pods, and amounts for them need not fit into a number.
WebhookResult check_members(const text::Object& spec) {
  const auto too_many = [](const std::string& field, int64_t number) {
    return deny(fmt::format("a PodGroup may have up to {} members", api::kMaxPodsPerJob),
                fmt::format("{} is {}", field, number));
  };
  if (const int64_t least = int_at(spec, "minMember").value_or(0); least > api::kMaxPodsPerJob) {
    return too_many("spec.minMember", least);
  }
  const text::Object& of_tasks = part_of(spec, "minTaskMember");
  for (const auto& task : of_tasks) {
    const int64_t least = int_at(of_tasks, task.key()).value_or(0);
    if (least > api::kMaxPodsPerJob)
      return too_many(fmt::format("spec.minTaskMember.{}", std::string_view(task.key())), least);
  }
  return {};
}

}  // namespace

WebhookResult mutate_pod_group(const AdmissionRequest& request, text::Object& group) {
  if (string_at(part_of(group, "spec"), "queue") != api::keys::kDefaultQueue) return {};
  const std::string_view own = string_at(part_of(group, "metadata"), "namespace");
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
  const text::Object& spec = part_of(*request.object, "spec");
  if (WebhookResult size = check_members(spec); !size) return size;
  const std::string queue = queue_complaint(request, string_at(spec, "queue"));
  const std::string tiers = tier_complaint(spec);
  if (queue.empty() && tiers.empty()) return {};
  std::string_view remedy;
  if (!queue.empty()) remedy = "spec.queue must name a queue that exists and is open";
  return deny(queue.empty() || tiers.empty() ? queue + tiers : queue + "; " + tiers, remedy);
}

}  // namespace basalt::admission
