// The status of a PodDisruptionBudget: how many of its pods may be disturbed now.
//
// With maxUnavailable, or a percentage, the denominator is what the pods' controllers want (their scale), as in
// Kubernetes; pods whose controller has no scale make the budget fail safe: nothing may be disturbed.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "control/kubernetes/kubernetes_controller.h"
#include "control/kubernetes/kubernetes_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/views/condition_view.h"
#include "kube/text/rfc3339.h"

namespace basalt::kubernetes {
namespace {

using api::rules::member_of;
using api::rules::part_of;
using api::rules::view_of;

bool is_scaled(const RecordChange& change) { return !change.kind.replicas_path.empty(); }

bool chooses(const ObjectRecord& budget, const PodRecord& pod) {
  return budget.selector->matches_found([&](std::string_view key) { return pod.labels->find(key); });
}

void wake_budgets(const KubernetesContext& context, const RecordChange& change, std::vector<std::string>& items) {
  const ObjectRecord& one = change.either();
  if (change.is("policy", "PodDisruptionBudget")) {
    items.push_back(one.key());
    return;
  }
  const bool pod = one.pod != nullptr;
  const bool rescaled =
      is_scaled(change) && (change.before == nullptr || change.now == nullptr ||
                            change.before->replicas != change.now->replicas || change.before->uid != change.now->uid);
  if (!pod && !rescaled) return;
  context.cache.each_in(context.kinds.builtin("policy", "PodDisruptionBudget").id, one.namespace_name,
                        [&](const ObjectRecord& budget) {
                          const auto chosen = [&](const ObjectRecord* record) {
                            return record != nullptr && chooses(budget, *record->pod);
                          };
                          if (!pod || chosen(change.before) || chosen(change.now)) items.push_back(budget.key());
                        });
}

std::vector<const ObjectRecord*> pods_of(const KubernetesContext& context, const ObjectRecord& budget) {
  std::vector<const ObjectRecord*> pods;
  context.cache.each_in(context.kinds.builtin("", "Pod").id, budget.namespace_name, [&](const ObjectRecord& pod) {
    if (chooses(budget, *pod.pod)) pods.push_back(&pod);
  });
  return pods;
}

const ObjectRecord* controller_of(const KubernetesContext& context, const ObjectRecord& record) {
  for (const OwnerRecord& owner : record.owners()) {
    if (!owner.controller.value_or(false)) continue;
    const WatchedKind* kind = context.kinds.find_owner(owner.api_version, owner.kind);
    if (kind == nullptr) return nullptr;
    const ObjectRecord* found =
        context.cache.find(kind->id, kind->namespaced ? record.namespace_name + "/" + owner.name : owner.name);
    return found != nullptr && found->uid == owner.uid ? found : nullptr;
  }
  return nullptr;
}

// What the controllers of the pods want together; nothing when one of them has no scale. A ReplicaSet of a Deployment
// counts as the Deployment.
std::optional<int64_t> expected_scale(const KubernetesContext& context, const std::vector<const ObjectRecord*>& pods) {
  std::map<std::string, int64_t> scales;
  for (const ObjectRecord* pod : pods) {
    if (std::ranges::none_of(pod->owners(), [](const auto& owner) { return owner.controller.value_or(false); }))
      continue;
    const ObjectRecord* owner = controller_of(context, *pod);
    if (owner == nullptr || !owner->replicas) return std::nullopt;
    if (const ObjectRecord* above = controller_of(context, *owner); above != nullptr && above->replicas) owner = above;
    scales[owner->uid] = *owner->replicas;
  }
  int64_t sum = 0;
  for (const auto& [uid, scale] : scales) sum += scale;
  return sum;
}

// A number, or a percentage of `whole` rounded up.
int64_t amount_of(const text::Value& value, int64_t whole) {
  if (value.is_int64()) return value.get_int64();
  std::string_view text = view_of(value);
  if (text.ends_with('%')) text.remove_suffix(1);
  int64_t percent = 0;
  std::from_chars(text.data(), text.data() + text.size(), percent);
  return (whole * std::clamp<int64_t>(percent, 0, 100) + 99) / 100;
}

struct Count {
  int64_t expected = 0, desired = 0, healthy = 0;
  bool failed = false;
};

Count count_pods(const KubernetesContext& context, const text::Object& budget,
                 const std::vector<const ObjectRecord*>& pods) {
  Count count;
  const text::Object& spec = part_of(budget, "spec");
  const text::Value* unavailable = member_of(spec, "maxUnavailable");
  const text::Value* available = member_of(spec, "minAvailable");
  if (unavailable == nullptr && available == nullptr) return count;
  if (unavailable == nullptr && available->is_int64()) {
    count.expected = static_cast<int64_t>(pods.size());
    count.desired = available->get_int64();
    return count;
  }
  const std::optional<int64_t> scale = expected_scale(context, pods);
  count.failed = !scale;
  count.expected = scale.value_or(0);
  count.desired = unavailable != nullptr
                      ? std::max<int64_t>(count.expected - amount_of(*unavailable, count.expected), 0)
                      : amount_of(*available, count.expected);
  return count;
}

// Evictions that were granted and have not happened yet; `again` is when the first of them is taken back.
text::Object disrupted_pods(const KubernetesContext& context, const ObjectRecord& budget,
                            const std::vector<const ObjectRecord*>& pods, Instant now, Instant& again) {
  text::Object kept;
  const text::Object& old = part_of(part_of(budget.object(), "status"), "disruptedPods");
  for (const ObjectRecord* pod : old.empty() ? std::vector<const ObjectRecord*>() : pods) {
    const text::Value* at = member_of(old, pod->name);
    if (at == nullptr || pod->leaving()) continue;
    const Instant end = text::parse_time(view_of(*at)).value_or(kNever) + context.periods.disruption_life;
    if (end < now) continue;
    kept[pod->name] = *at;
    if (!again.is_set() || end < again) again = end;
  }
  if (again.is_set()) again = again + Duration::seconds(1);
  return kept;
}

text::Object status_of(const ObjectRecord& budget, const Count& count, text::Object disrupted, Instant now) {
  const int64_t allowed = count.expected <= 0 || count.failed ? 0 : std::max<int64_t>(count.healthy - count.desired, 0);
  const int64_t generation = api::ObjectView(budget.object()).metadata().generation();
  text::Array conditions = conditions_of(budget.object());
  const ConditionUpdate condition =
      count.failed ? ConditionUpdate{"DisruptionAllowed", "False", "SyncFailed", "a pod's controller has no scale"}
                   : ConditionUpdate{"DisruptionAllowed", allowed > 0 ? "True" : "False",
                                     allowed > 0 ? "SufficientPods" : "InsufficientPods", ""};
  set_condition(conditions, condition, now);
  for (text::Value& one : conditions) {
    if (one.is_object() && api::ConditionView(one).type() == "DisruptionAllowed") {
      one.get_object()["observedGeneration"] = generation;
    }
  }
  text::Object status{{"disruptionsAllowed", allowed},        {"currentHealthy", count.healthy},
                      {"desiredHealthy", count.desired},      {"expectedPods", count.expected},
                      {"observedGeneration", generation},     {"conditions", std::move(conditions)},
                      {"disruptedPods", std::move(disrupted)}};
  return status;
}

ControllerPlan plan_budgets(const KubernetesContext& context, const std::string& item, Instant now) {
  ControllerPlan plan;
  const WatchedKind& kind = context.kinds.builtin("policy", "PodDisruptionBudget");
  const ObjectRecord* budget = context.cache.find(kind.id, item);
  if (budget == nullptr || budget->leaving()) return plan;
  const std::vector<const ObjectRecord*> pods = pods_of(context, *budget);
  Count count = count_pods(context, budget->object(), pods);
  text::Object disrupted = disrupted_pods(context, *budget, pods, now, plan.again);
  for (const ObjectRecord* pod : pods) {
    count.healthy += pod->pod->ready && !pod->leaving() && !disrupted.contains(pod->name) ? 1 : 0;
  }
  const text::Object& old = part_of(budget->object(), "status");
  text::Object status = status_of(*budget, count, std::move(disrupted), now);
  const text::Value wished(status);
  const text::Value present(old);
  if (api::rules::same_value(&wished, &present)) return plan;
  // A merge patch keeps names that it does not know to be gone.
  for (const auto& pod : part_of(old, "disruptedPods")) {
    text::Object& names = api::object_in(status, "disruptedPods");
    if (!names.contains(pod.key())) names[pod.key()] = nullptr;
  }
  plan.writes.push_back(patch_status(kind, *budget, std::move(status)));
  return plan;
}

}  // namespace

KubernetesController budget_controller() { return {.name = "budgets", .wake = wake_budgets, .plan = plan_budgets}; }

}  // namespace basalt::kubernetes
