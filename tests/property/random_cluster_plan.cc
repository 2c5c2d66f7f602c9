#include "tests/property/random_cluster_plan.h"

#include <algorithm>
#include <charconv>

namespace basalt::property {

namespace {

using model::ClusterState;

constexpr int64_t kNonzeroCpuMilli = 100;
constexpr int64_t kNonzeroMemory = int64_t{200} * 1024 * 1024;

model::LabelSet labels_of(const Labels& written, StringPool& names) {
  model::LabelSet labels;
  for (const auto& [key, value] : written) labels.push_back({.key = names.intern(key), .value = names.intern(value)});
  model::normalize(labels);
  return labels;
}

model::Requirement requirement_of(const MatchPlan& match, StringPool& names) {
  model::Requirement made{.key = names.intern(match.key), .op = match.op, .values = {}};
  if (match.op == model::SelectorOp::Gt || match.op == model::SelectorOp::Lt) {
    const std::string& text = match.values.front();
    std::from_chars(text.data(), text.data() + text.size(), made.bound);
    return made;
  }
  for (const std::string& value : match.values) made.values.push_back(names.intern(value));
  std::sort(made.values.begin(), made.values.end());
  return made;
}

std::vector<model::Requirement> requirements_of(const std::vector<MatchPlan>& matches, StringPool& names) {
  std::vector<model::Requirement> made;
  for (const MatchPlan& match : matches) made.push_back(requirement_of(match, names));
  return made;
}

model::ResourceVec amounts_of(const PlanAmounts& written, ClusterState& state) {
  model::ResourceVec vec;
  for (const auto& [name, amount] : written) vec.at(state.schema.intern(name)) = amount;
  return vec;
}

model::Quota quota_of(const PlanAmounts& written, ClusterState& state) {
  model::Quota quota;
  for (const auto& [name, amount] : written) quota.set(state.schema.intern(name), amount);
  return quota;
}

model::NodeSpec node_spec(const std::string& name, const NodePlan& plan, ClusterState& state) {
  model::NodeSpec spec{.name = name, .labels = labels_of(plan.labels, state.names)};
  for (const TaintPlan& taint : plan.taints) {
    spec.taints.push_back(
        {.key = state.names.intern(taint.key), .value = state.names.intern(taint.value), .effect = taint.effect});
  }
  spec.unschedulable = plan.unschedulable;
  spec.allocatable = amounts_of(plan.allocatable, state);
  spec.max_pods = spec.allocatable[model::kPods];
  for (const auto& [image, size] : plan.images) {
    spec.images.push_back({.name = state.names.intern(image), .size_bytes = std::stoll(size)});
  }
  spec.revocable_zone = state.names.intern(plan.revocable_zone);
  return spec;
}

model::QueueSpec queue_spec(const std::string& name, const QueuePlan& plan, ClusterState& state) {
  model::QueueSpec spec{.name = name, .created = plan.created, .weight = plan.weight, .priority = plan.priority};
  spec.reclaimable = plan.reclaimable;
  spec.state = plan.state;
  spec.parent = plan.parent;
  spec.capability = quota_of(plan.capability, state);
  spec.guarantee = quota_of(plan.guarantee, state);
  spec.deserved = quota_of(plan.deserved, state);
  spec.hierarchy = plan.hierarchy;
  spec.hierarchy_weights = plan.hierarchy_weights;
  spec.has_affinity = !plan.groups_required.empty() || !plan.groups_avoided.empty();
  spec.group_affinity.required = plan.groups_required;
  spec.group_anti_affinity.required = plan.groups_avoided;
  return spec;
}

model::JobSpec job_spec(const JobPlan& plan, ClusterState& state) {
  model::JobSpec spec{.ns = plan.ns, .name = plan.name, .uid = plan.ns + "/" + plan.name, .queue = plan.queue};
  spec.min_available = plan.min_available;
  for (const auto& [role, minimum] : plan.min_task_member) {
    spec.min_task_member.emplace_back(state.names.intern(role), minimum);
  }
  spec.priority_class = plan.priority_class;
  if (plan.min_resources) spec.min_resources = quota_of(*plan.min_resources, state);
  spec.created = plan.created;
  spec.waiting_time = plan.waiting_time;
  spec.preemptable = plan.preemptable;
  for (const SubGroupPlan& group : plan.sub_groups) {
    model::SubGroupPolicy policy{.name = group.name, .size = group.size, .min_groups = group.min_groups};
    policy.selector.nothing = true;  // no selector given: every pod
    policy.match_label_keys = {state.names.intern(group.label_key)};
    spec.sub_groups.push_back(std::move(policy));
  }
  spec.topology_affinity = plan.topology_affinity;
  spec.topology_anti_affinity = plan.topology_anti_affinity;
  spec.status = plan.status;
  return spec;
}

std::vector<model::PodTerm> pod_terms(const std::vector<PodTermPlan>& plans, const std::string& ns, StringPool& names) {
  std::vector<model::PodTerm> terms;
  for (const PodTermPlan& plan : plans) {
    model::PodTerm term{.selector = {.requirements = requirements_of(plan.selector, names)}};
    term.namespaces = {names.intern(ns)};
    term.topology_key = names.intern(plan.topology_key);
    term.weight = plan.weight;
    terms.push_back(std::move(term));
  }
  return terms;
}

void fill_requests(const PodPlan& plan, ClusterState& state, model::PodShape& shape) {
  shape.best_effort = plan.request.empty();
  model::ResourceVec request = amounts_of(plan.request, state);
  request.at(model::kPods) = 1;
  shape.request = model::to_demand(request);
  shape.nonzero_cpu_milli = plan.request.contains("cpu") ? request[model::kCpu] : kNonzeroCpuMilli;
  shape.nonzero_memory = plan.request.contains("memory") ? request[model::kMemory] : kNonzeroMemory;
}

model::PodShape shape_of(const PodPlan& plan, ClusterState& state) {
  StringPool& names = state.names;
  model::PodShape shape;
  fill_requests(plan, state, shape);
  shape.node_selector = labels_of(plan.node_selector, names);
  shape.has_required_node_terms = !plan.node_terms.empty();
  for (const auto& term : plan.node_terms) {
    shape.required_node_terms.push_back({.labels = requirements_of(term, names), .fields = {}});
  }
  for (const auto& term : plan.preferred_nodes) {
    shape.preferred_node_terms.push_back(
        {.weight = 10, .term = {.labels = requirements_of(term, names), .fields = {}}});
  }
  for (const TaintPlan& toleration : plan.tolerations) {
    shape.tolerations.push_back({.key = names.intern(toleration.key),
                                 .exists = toleration.value.empty(),
                                 .value = names.intern(toleration.value),
                                 .effect = toleration.effect});
  }
  for (const int32_t port : plan.host_ports) {
    shape.host_ports.push_back({.ip = names.intern("0.0.0.0"), .protocol = names.intern("TCP"), .port = port});
  }
  std::sort(shape.host_ports.begin(), shape.host_ports.end());
  shape.required_affinity = pod_terms(plan.affinity, plan.ns, names);
  shape.required_anti_affinity = pod_terms(plan.anti_affinity, plan.ns, names);
  shape.preferred_affinity = pod_terms(plan.preferred_affinity, plan.ns, names);
  shape.preferred_anti_affinity = pod_terms(plan.preferred_anti_affinity, plan.ns, names);
  for (const SpreadPlan& spread : plan.spread) {
    shape.spread.push_back({.max_skew = spread.max_skew,
                            .topology_key = names.intern(spread.topology_key),
                            .hard = spread.hard,
                            .selector = {.requirements = requirements_of(spread.selector, names)}});
  }
  for (const std::string& image : plan.images) shape.images.push_back(names.intern(image));
  shape.containers = static_cast<int32_t>(std::max<size_t>(1, plan.images.size()));
  return shape;
}

model::TaskSpec task_spec(const std::string& uid, const PodPlan& plan, ClusterState& state) {
  model::TaskSpec spec{.ns = plan.ns, .name = plan.name, .uid = uid, .group = plan.group, .node_name = plan.node};
  spec.status = plan.status;
  spec.shape = state.shapes.intern(shape_of(plan, state));
  spec.labels = state.label_sets.intern(labels_of(plan.labels, state.names));
  spec.role = state.names.intern(plan.role);
  spec.priority_class = state.names.intern(plan.priority_class);
  spec.priority = plan.priority;
  spec.pod_priority = plan.priority;
  spec.created = plan.created;
  spec.started = plan.status == model::TaskStatus::Running ? plan.created : kNever;
  spec.nominated_node = plan.nominated;
  spec.preemptable = plan.preemptable;
  spec.revocable = plan.revocable;
  spec.gated = plan.gated;
  spec.never_preempts = plan.never_preempts;
  spec.preemption_target = plan.status == model::TaskStatus::Releasing;
  return spec;
}

}  // namespace

void apply(const RandomClusterPlan& plan, const PlanChange& change, ClusterState& state) {
  switch (change.kind) {
    case PlanKind::Node:
      if (auto at = plan.nodes.find(change.key); at != plan.nodes.end()) {
        state.upsert_node(node_spec(at->first, at->second, state));
      } else {
        state.remove_node(change.key);
      }
      return;
    case PlanKind::Queue:
      if (auto at = plan.queues.find(change.key); at != plan.queues.end()) {
        state.upsert_queue(queue_spec(at->first, at->second, state));
      } else {
        state.remove_queue(change.key);
      }
      return;
    case PlanKind::Job:
      if (auto at = plan.jobs.find(change.key); at != plan.jobs.end()) {
        state.upsert_job(job_spec(at->second, state));
      } else {
        const size_t slash = change.key.find('/');
        state.remove_job(change.key.substr(0, slash), change.key.substr(slash + 1));
      }
      return;
    case PlanKind::Pod:
      if (auto at = plan.pods.find(change.key); at != plan.pods.end()) {
        state.upsert_task(task_spec(at->first, at->second, state));
      } else {
        state.remove_task(change.key);
      }
      return;
    case PlanKind::PriorityClass:
      if (auto at = plan.priority_classes.find(change.key); at != plan.priority_classes.end()) {
        state.upsert_priority_class(at->first, at->second, /*global_default=*/false);
      } else {
        state.remove_priority_class(change.key);
      }
      return;
  }
}

void apply_limits(const RandomClusterPlan& plan, ClusterState& state) {
  for (const auto& [name, quota] : plan.quotas) {
    model::ResourceQuota& row = state.limits.quotas[quota.ns + "/" + name];
    row = {.ns = quota.ns, .name = name, .hard = quota_of(quota.hard, state), .used = quota_of(quota.used, state)};
  }
  for (const auto& [name, budget] : plan.budgets) {
    model::DisruptionBudgetObject& row = state.limits.budgets[budget.ns + "/" + name];
    row.ns = budget.ns;
    row.name = name;
    row.selector.requirements = requirements_of(budget.selector, state.names);
    row.disruptions_allowed = budget.allowed;
  }
}

std::vector<PlanChange> everything(const RandomClusterPlan& plan) {
  std::vector<PlanChange> all;
  for (const auto& [key, value] : plan.priority_classes) all.push_back({.kind = PlanKind::PriorityClass, .key = key});
  for (const auto& [key, value] : plan.nodes) all.push_back({.kind = PlanKind::Node, .key = key});
  for (const auto& [key, value] : plan.queues) all.push_back({.kind = PlanKind::Queue, .key = key});
  for (const auto& [key, value] : plan.jobs) all.push_back({.kind = PlanKind::Job, .key = key});
  for (const auto& [key, value] : plan.pods) all.push_back({.kind = PlanKind::Pod, .key = key});
  return all;
}

}  // namespace basalt::property
