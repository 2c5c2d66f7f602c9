#include "control/scheduler/state/state_updater.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "control/scheduler/state/keys.h"
#include "control/scheduler/state/selectors.h"
#include "control/scheduler/state/specs.h"

namespace basalt::state {

namespace {

std::unexpected<Error> at_object(const Error& error, std::string_view kind, const api::ObjectMeta& meta) {
  return std::unexpected(error.within(std::string(kind) + " " + meta.key()));
}

// An update that says what is known already (mostly a status that moved elsewhere) frees nothing: it is no event.
bool same(const model::ResourceQuota& left, const model::ResourceQuota& right) {
  return left.hard == right.hard && left.used == right.used;
}
bool same(const model::DisruptionBudgetObject& left, const model::DisruptionBudgetObject& right) {
  return left.selector == right.selector && left.disruptions_allowed == right.disruptions_allowed &&
         left.disrupted_pods == right.disrupted_pods;
}
// False: it was so already.
template <class Row>
bool put_row(std::map<std::string, Row>& table, const std::string& key, Row row) {
  const auto [at, is_new] = table.try_emplace(key);
  if (!is_new && same(at->second, row)) return false;
  at->second = std::move(row);
  return true;
}

template <class T>
concept Fed =
    !std::is_same_v<T, api::HyperNode> && !std::is_same_v<T, api::NamedObject> && !std::is_same_v<T, api::UnknownKind>;

}  // namespace

StateUpdater::StateUpdater(model::ClusterState& state, StateOptions options)
    : state_(state), options_(std::move(options)) {}

bool StateUpdater::is_ours(const api::Pod& pod) const {
  const auto& names = options_.scheduler_names;
  return options_.every_pod || std::find(names.begin(), names.end(), pod.spec.scheduler_name) != names.end();
}

bool StateUpdater::admit(const api::Pod& pod, model::TaskStatus status) {
  const std::string* group = api::find_in(pod.metadata.annotations, keys::kGroupName);
  const bool in_group = group != nullptr && !group->empty();
  const bool on_node = !pod.spec.node_name.empty();
  const bool has_job = in_group && (is_ours(pod) || on_node);
  if (has_job || (on_node && model::is_on_node(status))) return true;
  remove(pod);
  return false;
}

Result<void> StateUpdater::put(const api::Pod& pod) {
  const auto spec = task_spec(pod, state_);
  if (!spec) return at_object(spec.error(), "Pod", pod.metadata);
  state_.upsert_task(*spec);
  return {};
}

Result<void> StateUpdater::apply(const api::Pod& pod) {
  const model::TaskStatus status = task_status(pod);
  if (!admit(pod, status)) return {};
  if (pod.spec.node_name.empty() && status == model::TaskStatus::Pending) {
    const model::TaskId known = state_.find_task(task_uid(pod));
    if (known.valid() && state_.task(known).status == model::TaskStatus::Binding) return {};
  }
  return put(pod);
}

Result<void> StateUpdater::apply_outcome(const api::Pod& pod) {
  if (!admit(pod, task_status(pod))) return {};
  return put(pod);
}

bool StateUpdater::is_ours(const api::Node& node) const {
  return options_.nodes.empty() || std::ranges::any_of(options_.nodes, [&](const auto& label) {
           const auto at = node.metadata.labels.find(label.first);
           return at != node.metadata.labels.end() && at->second == label.second;
         });
}

Result<void> StateUpdater::apply(const api::Node& node) {
  if (!is_ours(node)) return remove(node), Result<void>();
  auto spec = node_spec(node, state_);
  if (!spec) return at_object(spec.error(), "Node", node.metadata);
  state_.upsert_node(std::move(*spec));
  return {};
}

Result<void> StateUpdater::apply(const api::PodGroup& group) {
  auto spec = job_spec(group, options_.default_queue, state_);
  if (!spec) return at_object(spec.error(), "PodGroup", group.metadata);
  state_.upsert_job(std::move(*spec));
  return {};
}

Result<void> StateUpdater::apply(const api::Queue& queue) {
  auto spec = queue_spec(queue, state_);
  if (!spec) return at_object(spec.error(), "Queue", queue.metadata);
  state_.upsert_queue(std::move(*spec));
  return {};
}

Result<void> StateUpdater::apply(const api::PriorityClass& priority) {
  state_.upsert_priority_class(priority.metadata.name, priority.value, priority.global_default);
  return {};
}

Result<void> StateUpdater::apply(const api::ResourceQuota& quota) {
  auto row = quota_row(quota, state_);
  if (!row) return at_object(row.error(), "ResourceQuota", quota.metadata);
  if (put_row(state_.limits.quotas, quota.metadata.key(), std::move(*row))) state_.note_limits_changed();
  return {};
}

Result<void> StateUpdater::apply(const api::PodDisruptionBudget& budget) {
  auto row = budget_row(budget, state_);
  if (!row) return at_object(row.error(), "PodDisruptionBudget", budget.metadata);
  if (put_row(state_.limits.budgets, budget.metadata.key(), std::move(*row))) state_.note_limits_changed();
  return {};
}

Result<void> StateUpdater::apply(const api::Namespace& ns) {
  model::LabelSet labels = compile_labels(ns.metadata.labels, state_.names);
  const auto [at, is_new] = state_.limits.namespace_labels.try_emplace(state_.names.intern(ns.metadata.name));
  if (!is_new && at->second == labels) return {};
  at->second = std::move(labels);
  state_.note_limits_changed();
  return {};
}

Result<void> StateUpdater::apply(const api::AnyObject& object) {
  return std::visit(
      [this](const auto& known) -> Result<void> {
        if constexpr (Fed<std::decay_t<decltype(known)>>) return apply(known);
        return {};
      },
      object);
}

void StateUpdater::remove(const api::Pod& pod) { state_.remove_task(task_uid(pod)); }
void StateUpdater::remove(const api::Node& node) { state_.remove_node(node.metadata.name); }
void StateUpdater::remove(const api::PodGroup& group) {
  state_.remove_job(group.metadata.namespace_name, group.metadata.name);
}
void StateUpdater::remove(const api::Queue& queue) { state_.remove_queue(queue.metadata.name); }
void StateUpdater::remove(const api::PriorityClass& priority) { state_.remove_priority_class(priority.metadata.name); }
void StateUpdater::remove(const api::ResourceQuota& quota) {
  if (state_.limits.quotas.erase(quota.metadata.key()) > 0) state_.note_limits_changed();
}
void StateUpdater::remove(const api::PodDisruptionBudget& budget) {
  if (state_.limits.budgets.erase(budget.metadata.key()) > 0) state_.note_limits_changed();
}
void StateUpdater::remove(const api::Namespace& ns) {
  const NameId name = state_.names.find(ns.metadata.name);
  if (name.valid() && state_.limits.namespace_labels.erase(name) > 0) state_.note_limits_changed();
}

void StateUpdater::remove(const api::AnyObject& object) {
  std::visit(
      [this](const auto& known) {
        if constexpr (Fed<std::decay_t<decltype(known)>>) remove(known);
      },
      object);
}

}  // namespace basalt::state
