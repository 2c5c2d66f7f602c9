#include "control/scheduler/state_fields.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "control/scheduler/state/queue_state_words.h"

namespace basalt::scheduler {

using model::Amount;
using model::ResourceId;

namespace {

std::string_view text_of(model::TaintEffect effect) {
  switch (effect) {
    case model::TaintEffect::Any:
      return "Any";
    case model::TaintEffect::NoSchedule:
      return "NoSchedule";
    case model::TaintEffect::PreferNoSchedule:
      return "PreferNoSchedule";
    case model::TaintEffect::NoExecute:
      break;
  }
  return "NoExecute";
}

void put_topology(const model::NetworkTopology& topology, FieldTexts& out) {
  out.put(topology.given).put(" ").put(topology.hard ? "hard" : "soft").put(" ");
  if (topology.highest_tier) out.put(int64_t{*topology.highest_tier});
  out.put(" ").put(topology.highest_tier_name);
}

void put_group_affinity(std::string_view what, const model::NodeGroupAffinity& affinity, FieldTexts& out) {
  out.begin(what);
  for (const std::string& group : affinity.required) out.put(group).put(" ");
  out.put("| ");
  for (const std::string& group : affinity.preferred) out.put(group).put(" ");
}

}  // namespace

void FieldTexts::clear() {
  text_.clear();
  starts_.clear();
}

FieldTexts& FieldTexts::begin(std::string_view name) {
  starts_.emplace_back(name, text_.size());
  return *this;
}

FieldTexts& FieldTexts::put(std::string_view text) {
  text_ += text;
  return *this;
}

FieldTexts& FieldTexts::put(int64_t number) {
  char digits[24];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), number);
  return put(std::string_view(digits, error == std::errc() ? static_cast<size_t>(end - digits) : 0));
}

FieldTexts::Field FieldTexts::field(size_t index) const {
  const size_t start = starts_[index].second;
  const size_t end = index + 1 < starts_.size() ? starts_[index + 1].second : text_.size();
  return {.name = starts_[index].first, .value = std::string_view(text_).substr(start, end - start)};
}

StateFields::StateFields(const model::ClusterState& state) : state_(state), shapes_(state.shapes.size()) {
  for (size_t r = 0; r < state.schema.size(); ++r) by_name_.emplace_back(r);
  std::sort(by_name_.begin(), by_name_.end(),
            [&](ResourceId a, ResourceId b) { return state.schema.name(a) < state.schema.name(b); });
}

std::string_view StateFields::name(NameId id) const { return id.valid() ? state_.names.text(id) : std::string_view(); }

void StateFields::put_amounts(std::span<const Amount> amounts, FieldTexts& out) const {
  for (const ResourceId id : by_name_) {
    if (id.index() >= amounts.size() || amounts[id.index()] == 0) continue;
    out.put(state_.schema.name(id)).put("=").put(amounts[id.index()]).put(" ");
  }
}

void StateFields::put_quota(const model::Quota& quota, FieldTexts& out) const {
  for (const ResourceId id : by_name_) {
    if (quota.has(id)) out.put(state_.schema.name(id)).put("=").put(quota[id]).put(" ");
  }
}

void StateFields::put_labels(model::LabelSpan labels, FieldTexts& out) {
  labels_.clear();
  for (const model::Label& label : labels) labels_.emplace_back(name(label.key), name(label.value));
  std::sort(labels_.begin(), labels_.end());
  for (const auto& [key, value] : labels_) out.put(key).put("=").put(value).put(" ");
}

void StateFields::node(model::NodeId id, FieldTexts& out) {
  const model::Node& node = state_.node(id);
  out.clear();
  out.begin("allocatable");
  put_amounts(state_.allocatable(id), out);
  out.begin("max pods").put(node.max_pods);
  out.begin("unschedulable").put(node.unschedulable);
  out.begin("labels");
  put_labels(node.labels, out);
  out.begin("taints");
  for (const model::Taint& taint : node.taints) {
    out.put(name(taint.key)).put("=").put(name(taint.value)).put(":").put(text_of(taint.effect)).put(" ");
  }
  out.begin("images");
  for (const model::ImageState& image : node.images) out.put(name(image.name)).put("=").put(image.size_bytes).put(" ");
  out.begin("revocable zone").put(name(node.revocable_zone));
}

void StateFields::task(model::TaskId id, bool settled, FieldTexts& out) {
  const model::Task& task = state_.task(id);
  out.clear();
  out.begin("job").put(task.job.valid() ? std::string_view(state_.job(task.job).id) : std::string_view());
  if (settled) {
    out.begin("status").put(model::to_string(task.status));
    out.begin("node").put(task.node.valid() ? std::string_view(state_.node(task.node).name) : std::string_view());
    out.begin("counted on its node").put(task.in_view);
    out.begin("started").put(task.started.nanos);
    out.begin("scheduled at").put(task.scheduled_at.nanos);
    out.begin("nominated node").put(name(task.nominated_name));
  }
  out.begin("shape").put(shape_text(task.shape));
  out.begin("labels");
  if (task.labels.valid()) put_labels(state_.label_sets[task.labels], out);
  out.begin("role").put(name(task.role));
  out.begin("priority").put(int64_t{task.priority}).put(" ").put(int64_t{task.pod_priority});
  out.put(" ").put(name(task.priority_class));
  out.begin("created").put(task.created.nanos);
  out.begin("cooldown").put(task.cooldown.nanos);
  out.begin(kGates).put(task.gated).put(" ").put(task.only_queue_gate).put(" ").put(task.gate_opt_in);
  out.begin("preemption").put(task.preemptable).put(" ").put(task.revocable).put(" ").put(task.never_preempts);
  if (settled) out.put(" ").put(task.preemption_target);
}

void StateFields::put_sub_groups(const model::Job& job, FieldTexts& out) const {
  for (const model::SubGroupPolicy& policy : job.sub_groups) {
    out.put(policy.name).put(" ").put(int64_t{policy.size}).put(" ").put(int64_t{policy.min_groups}).put(" ");
    put_topology(policy.topology, out);
    out.put(" ").put(selector(policy.selector));
    for (const NameId key : policy.match_label_keys) out.put(" ").put(name(key));
    out.put("; ");
  }
}

void StateFields::job(model::JobId id, FieldTexts& out) {
  const model::Job& job = state_.job(id);
  out.clear();
  out.begin("pod group").put(job.has_pod_group).put(" ").put(job.uid);
  out.begin("queue").put(job.queue).put(job.queue_id.valid() ? "" : " (not there)");
  out.begin("min available").put(int64_t{job.min_available});
  out.begin("min task members");
  Texts minimums;
  for (const auto& [role, least] : job.min_task_member) {
    minimums.push_back(std::string(name(role)) + "=" + std::to_string(least) + " ");
  }
  std::sort(minimums.begin(), minimums.end());
  for (const std::string& minimum : minimums) out.put(minimum);
  out.begin("priority").put(int64_t{job.priority}).put(" ").put(job.priority_class);
  out.begin("min resources").put(job.min_resources.has_value()).put(" ");
  if (job.min_resources) put_quota(*job.min_resources, out);
  out.begin("created").put(job.created.nanos);
  out.begin("waiting time").put(job.waiting_time ? job.waiting_time->nanos : int64_t{-1});
  out.begin("preemptable").put(job.preemptable).put(" ").put(job.revocable);
  out.begin("disruption budget").put(job.budget.min_available).put(" ").put(job.budget.max_unavailable);
  out.begin("network topology");
  put_topology(job.topology, out);
  out.begin("sub groups");
  put_sub_groups(job, out);
  out.begin("task topology").put(job.topology_affinity).put("|").put(job.topology_anti_affinity);
  out.put("|").put(job.topology_task_order);
  out.begin("phase").put(model::to_string(job.status.phase));
  out.begin("status counts").put(int64_t{job.status.running}).put(" ").put(int64_t{job.status.succeeded});
  out.put(" ").put(int64_t{job.status.failed});
  out.begin("conditions");  // their messages follow the cluster from cycle to cycle
  for (const model::Condition& condition : job.status.conditions) {
    out.put(condition.type).put("=").put(condition.status).put(" ").put(condition.reason).put("; ");
  }
}

void StateFields::queue(model::QueueId id, FieldTexts& out) {
  const model::Queue& queue = state_.queue(id);
  out.clear();
  out.begin("created").put(queue.created.nanos);
  out.begin("weight").put(int64_t{queue.weight});
  out.begin("priority").put(int64_t{queue.priority});
  out.begin("reclaimable").put(queue.reclaimable);
  out.begin("state").put(state::queue_state_words(queue.state));
  out.begin("parent").put(queue.parent);
  out.begin("capability");
  put_quota(queue.capability, out);
  out.begin("guarantee");
  put_quota(queue.guarantee, out);
  out.begin("deserved");
  put_quota(queue.deserved, out);
  out.begin("hierarchy").put(queue.hierarchy).put(" ").put(queue.hierarchy_weights);
  out.begin("affinity").put(queue.has_affinity);
  put_group_affinity("group affinity", queue.group_affinity, out);
  put_group_affinity("group anti-affinity", queue.group_anti_affinity, out);
  out.begin("group limits").put(queue.group_limits_malformed).put(" ");
  for (const auto& [group, limit] : queue.group_limits) {
    out.put(group).put(": ");
    put_quota(limit, out);
  }
}

void StateFields::quota(const model::ResourceQuota& quota, FieldTexts& out) {
  out.clear();
  out.begin("hard");
  put_quota(quota.hard, out);
  out.begin("used");
  put_quota(quota.used, out);
}

void StateFields::budget(const model::DisruptionBudgetObject& budget, FieldTexts& out) {
  out.clear();
  out.begin("selector").put(selector(budget.selector));
  out.begin("disruptions allowed").put(int64_t{budget.disruptions_allowed});
  out.begin("disrupted pods");
  for (const std::string& pod : budget.disrupted_pods) out.put(pod).put(" ");
}

void StateFields::namespace_labels(model::LabelSpan labels, FieldTexts& out) {
  out.clear();
  out.begin("labels");
  put_labels(labels, out);
}

std::string_view StateFields::shape_text(model::ShapeId id) {
  if (!id.valid()) return {};
  std::string& text = shapes_[id.index()];
  if (text.empty()) text = shape(state_.shapes[id]);
  return text;
}

}  // namespace basalt::scheduler
