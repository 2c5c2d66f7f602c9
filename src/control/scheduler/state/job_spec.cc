// Pod groups.
#include "control/scheduler/state/amount_conversion.h"
#include "control/scheduler/state/annotations.h"
#include "control/scheduler/state/keys.h"
#include "control/scheduler/state/selectors.h"
#include "control/scheduler/state/specs.h"
#include "kube/text/document_path.h"
#include "kube/text/go_duration.h"

namespace basalt::state {

namespace {

std::optional<Duration> waiting_time(const api::ObjectMeta& meta) {
  for (const std::string_view key : {keys::kWaitingTime, keys::kWaitingTimeOld}) {
    const std::string* text = api::find_in(meta.annotations, key);
    if (text == nullptr) continue;
    const auto length = text::parse_duration(*text);
    if (length && length->nanos > 0) return *length;
  }
  return std::nullopt;
}

model::DisruptionBudget budget_of(const api::ObjectMeta& meta) {
  if (const std::string* minimum = api::find_in(meta.annotations, keys::kMinAvailable)) {
    return {.min_available = *minimum, .max_unavailable = ""};
  }
  return {.min_available = "", .max_unavailable = annotation_or_empty(meta, keys::kMaxUnavailable)};
}

Result<model::NetworkTopology> topology_of(const std::optional<api::NetworkTopology>& written) {
  model::NetworkTopology out;
  if (!written) return out;
  if (!written->mode.empty() && written->mode != "hard" && written->mode != "soft") {
    return invalid("networkTopology.mode: unknown mode " + text::in_quotes(written->mode) + "; write hard or soft");
  }
  out.given = true;
  out.hard = written->mode != "soft";
  out.highest_tier = written->highest_tier_allowed;
  out.highest_tier_name = written->highest_tier_name;
  return out;
}

Result<model::SubGroupPolicy> sub_group(const api::SubGroupPolicy& written, StringPool& names) {
  model::SubGroupPolicy out{.name = written.name,
                            .size = written.sub_group_size.value_or(1),
                            .min_groups = written.min_sub_groups.value_or(0)};
  auto topology = topology_of(written.network_topology);
  if (!topology) return std::unexpected(topology.error());
  out.topology = std::move(*topology);
  auto selector = compile_selector(written.label_selector, names);
  if (!selector) return std::unexpected(selector.error().within("labelSelector"));
  out.selector = std::move(*selector);
  for (const std::string& key : written.match_label_keys) out.match_label_keys.push_back(names.intern(key));
  return out;
}

Result<model::PodGroupStatus> status_of(const api::PodGroupStatus& written) {
  model::PodGroupStatus out{.running = written.running, .succeeded = written.succeeded, .failed = written.failed};
  const auto phase = pod_group_phase(written.phase);
  if (!phase) return std::unexpected(phase.error().within("status.phase"));
  out.phase = *phase;
  for (const api::Condition& condition : written.conditions) {
    out.conditions.push_back(
        {.type = condition.type, .status = condition.status, .reason = condition.reason, .message = condition.message});
  }
  return out;
}

Result<void> fill_sub_groups(const api::PodGroupSpec& spec, StringPool& names, model::JobSpec& out) {
  auto topology = topology_of(spec.network_topology);
  if (!topology) return std::unexpected(topology.error().within("spec"));
  out.topology = std::move(*topology);
  for (size_t i = 0; i < spec.sub_group_policy.size(); ++i) {
    auto policy = sub_group(spec.sub_group_policy[i], names);
    if (!policy) {
      std::string place = "spec.subGroupPolicy";
      text::append_index(place, i);
      return std::unexpected(policy.error().within(place));
    }
    out.sub_groups.push_back(std::move(*policy));
  }
  return {};
}

}  // namespace

Result<model::PodGroupPhase> pod_group_phase(std::string_view text) {
  using model::PodGroupPhase;
  for (const PodGroupPhase phase : {PodGroupPhase::None, PodGroupPhase::Pending, PodGroupPhase::Inqueue,
                                    PodGroupPhase::Running, PodGroupPhase::Unknown, PodGroupPhase::Completed}) {
    if (model::to_string(phase) == text) return phase;
  }
  return invalid("unknown phase " + text::in_quotes(text) +
                 "; it is one of Pending, Inqueue, Running, Unknown, Completed");
}

Result<model::JobSpec> job_spec(const api::PodGroup& group, std::string_view default_queue,
                                model::ClusterState& state) {
  const api::ObjectMeta& meta = group.metadata;
  const api::PodGroupSpec& spec = group.spec;
  if (spec.min_member < 0) {
    return invalid("spec.minMember: " + std::to_string(spec.min_member) + " is negative; write 0 or more");
  }
  model::JobSpec out{.ns = meta.namespace_name,
                     .name = meta.name,
                     .uid = meta.uid,
                     .queue = spec.queue.empty() ? std::string(default_queue) : spec.queue,
                     .min_available = spec.min_member,
                     .priority_class = spec.priority_class_name,
                     .created = meta.creation_time,
                     .waiting_time = waiting_time(meta),
                     .preemptable = is_preemptable(meta, /*fallback=*/false),
                     .revocable = is_revocable(meta),
                     .budget = budget_of(meta),
                     .topology_affinity = annotation_or_empty(meta, keys::kTopologyAffinity),
                     .topology_anti_affinity = annotation_or_empty(meta, keys::kTopologyAntiAffinity),
                     .topology_task_order = annotation_or_empty(meta, keys::kTopologyTaskOrder)};
  auto status = status_of(group.status);
  if (!status) return std::unexpected(status.error());
  out.status = std::move(*status);
  if (auto done = fill_sub_groups(spec, state.names, out); !done) return std::unexpected(done.error());
  if (spec.min_resources) {
    auto minimum = to_quota(*spec.min_resources, state.schema);
    if (!minimum) return std::unexpected(minimum.error().within("spec.minResources"));
    out.min_resources = std::move(*minimum);
  }
  for (const auto& [role, minimum] : spec.min_task_member) {
    out.min_task_member.emplace_back(state.names.intern(role), minimum);
  }
  return out;
}

}  // namespace basalt::state
