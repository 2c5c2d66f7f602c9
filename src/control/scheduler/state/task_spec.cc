// Pods.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "control/scheduler/state/annotations.h"
#include "control/scheduler/state/build_pod_shape.h"
#include "control/scheduler/state/keys.h"
#include "control/scheduler/state/selectors.h"
#include "control/scheduler/state/specs.h"
#include "kube/text/go_duration.h"
#include "kube/text/scalar.h"

namespace basalt::state {

namespace {

std::string role_of(const api::ObjectMeta& meta) {
  for (const auto* map : {&meta.annotations, &meta.labels}) {
    const std::string* role = api::find_in(*map, keys::kTaskSpec);
    if (role != nullptr && !role->empty()) return *role;
  }
  return "";
}

Duration cooldown_of(const api::ObjectMeta& meta) {
  const std::string* text = api::find_in(meta.labels, keys::kCooldownTime);
  if (text == nullptr) text = api::find_in(meta.annotations, keys::kCooldownTime);
  return text == nullptr ? Duration() : text::parse_duration(*text).value_or(Duration());
}

const api::Condition* find_condition(const api::Pod& pod, std::string_view type) {
  for (const api::Condition& condition : pod.status.conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

void fill_priority(const api::Pod& pod, model::TaskSpec& out) {
  out.pod_priority = pod.spec.priority.value_or(0);
  out.priority = pod.spec.priority.value_or(1);
  if (const std::string* text = api::find_in(pod.metadata.annotations, keys::kTaskPriority)) {
    out.priority = text::parse_int32(*text).value_or(out.priority);
  }
}

void fill_gates(const api::Pod& pod, StringPool& names, model::TaskSpec& out) {
  const auto& gates = pod.spec.scheduling_gates;
  if (!gates.empty()) out.gates = names.intern(fmt::format("{}", fmt::join(gates, ", ")));
  out.gated = !gates.empty();
  out.only_queue_gate = gates.size() == 1 && gates[0] == keys::kQueueGate;
  const std::string* opt_in = api::find_in(pod.metadata.annotations, keys::kQueueGate);
  out.gate_opt_in = opt_in != nullptr && *opt_in == "true";
}

}  // namespace

std::string task_uid(const api::Pod& pod) { return pod.metadata.uid.empty() ? pod.metadata.key() : pod.metadata.uid; }

model::TaskStatus task_status(const api::Pod& pod) {
  using model::TaskStatus;
  const std::string& phase = pod.status.phase;
  const bool leaving = pod.metadata.deletion_time.is_set();
  if (phase == "Running") return leaving ? TaskStatus::Releasing : TaskStatus::Running;
  if (phase == "Pending") {
    if (leaving) return TaskStatus::Releasing;
    return pod.spec.node_name.empty() ? TaskStatus::Pending : TaskStatus::Bound;
  }
  if (phase == "Succeeded") return TaskStatus::Succeeded;
  if (phase == "Failed") return TaskStatus::Failed;
  return TaskStatus::Unknown;
}

Result<model::TaskSpec> task_spec(const api::Pod& pod, model::ClusterState& state) {
  auto shape = build_shape(pod, state.names, state.schema);
  if (!shape) return std::unexpected(shape.error());

  const api::ObjectMeta& meta = pod.metadata;
  model::TaskSpec out{.ns = meta.namespace_name, .name = meta.name, .uid = task_uid(pod)};
  if (const std::string* group = api::find_in(meta.annotations, keys::kGroupName)) out.group = *group;
  out.node_name = pod.spec.node_name;
  out.status = task_status(pod);
  out.shape = state.shapes.intern(*shape);
  out.labels = state.label_sets.intern(compile_labels(meta.labels, state.names));
  out.role = state.names.intern(role_of(meta));
  out.priority_class = state.names.intern(pod.spec.priority_class_name);
  fill_priority(pod, out);
  out.created = meta.creation_time;
  out.started = pod.status.start_time;
  if (const api::Condition* scheduled = find_condition(pod, "PodScheduled");
      scheduled != nullptr && scheduled->status == "True") {
    out.scheduled_at = scheduled->last_transition_time;
  }
  out.cooldown = cooldown_of(meta);
  out.nominated_node = pod.status.nominated_node_name;
  out.preemptable = is_preemptable(meta, /*fallback=*/true);
  out.revocable = is_revocable(meta);
  fill_gates(pod, state.names, out);
  out.never_preempts = pod.spec.preemption_policy == "Never";
  const api::Condition* target = find_condition(pod, "DisruptionTarget");
  out.preemption_target = meta.deletion_time.is_set() && target != nullptr && target->status == "True" &&
                          target->reason == "PreemptionByScheduler";
  return out;
}

}  // namespace basalt::state
