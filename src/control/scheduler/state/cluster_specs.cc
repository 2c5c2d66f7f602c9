// Nodes, queues and the small objects that bound jobs.
#include <algorithm>

#include "control/scheduler/state/amount_conversion.h"
#include "control/scheduler/state/keys.h"
#include "control/scheduler/state/selectors.h"
#include "control/scheduler/state/specs.h"
#include "kube/api/typed_decode.h"
#include "kube/text/document_path.h"
#include "kube/text/json.h"
#include "kube/text/scalar.h"

namespace basalt::state {

namespace {

model::Amount oversubscribed(const api::Node& node, std::string_view key) {
  const std::string* text = api::find_in(node.metadata.annotations, key);
  if (text == nullptr) return 0;
  const double amount = text::parse_double(*text).value_or(0);
  return static_cast<model::Amount>(std::clamp(amount, 0.0, static_cast<double>(kMaxAmount)));
}

Result<model::QueueState> queue_state(std::string_view text) {
  if (text == "Open") return model::QueueState::Open;
  if (text == "Closed") return model::QueueState::Closed;
  if (text == "Closing") return model::QueueState::Closing;
  if (text == "Unknown" || text.empty()) return model::QueueState::Unknown;
  return invalid("unknown state " + text::in_quotes(text) + "; it is one of Open, Closed, Closing, Unknown");
}

model::NodeGroupAffinity group_affinity(const std::optional<api::NodeGroupTerms>& terms) {
  if (!terms) return {};
  return {.required = terms->required, .preferred = terms->preferred};
}

using GroupLimits = std::map<std::string, api::ResourceList, std::less<>>;

Result<void> fill_group_limits(std::string_view text, model::ResourceSchema& schema, model::QueueSpec& out) {
  const auto value = text::parse_json(text);
  if (!value) return std::unexpected(value.error());
  GroupLimits limits;
  if (auto ok = api::read(text::Field(*value), limits); !ok) return ok;
  for (const auto& [group, list] : limits) {
    auto quota = to_quota(list, schema);
    if (!quota) return std::unexpected(quota.error());
    out.group_limits.emplace_back(group, std::move(*quota));
  }
  return {};
}

Result<void> fill_quotas(const api::QueueSpec& spec, model::ResourceSchema& schema, model::QueueSpec& out) {
  struct Line {
    const api::ResourceList& list;
    std::string_view field;
    model::Quota& quota;
  };
  for (const Line& line : {Line{spec.capability, "spec.capability", out.capability},
                           Line{spec.guarantee, "spec.guarantee.resource", out.guarantee},
                           Line{spec.deserved, "spec.deserved", out.deserved}}) {
    auto quota = to_quota(line.list, schema);
    if (!quota) return std::unexpected(quota.error().within(line.field));
    line.quota = std::move(*quota);
  }
  return {};
}

}  // namespace

Result<model::NodeSpec> node_spec(const api::Node& node, model::ClusterState& state) {
  model::NodeSpec out{.name = node.metadata.name,
                      .labels = compile_labels(node.metadata.labels, state.names),
                      .unschedulable = node.spec.unschedulable};
  auto allocatable = to_vec(node.status.allocatable, state.schema);
  if (!allocatable) return std::unexpected(allocatable.error().within("status.allocatable"));
  out.allocatable = std::move(*allocatable);
  out.allocatable.at(model::kCpu) += oversubscribed(node, keys::kOversubscriptionCpu);
  out.allocatable.at(model::kMemory) += oversubscribed(node, keys::kOversubscriptionMemory);
  for (size_t r = 0; r < out.allocatable.size(); ++r) {
    model::Amount& amount = out.allocatable.at(model::ResourceId(r));
    amount = std::min(amount, kMaxNodeAmount);
  }
  out.max_pods = out.allocatable[model::kPods];
  for (size_t i = 0; i < node.spec.taints.size(); ++i) {
    const auto taint = compile_taint(node.spec.taints[i], state.names);
    if (!taint) {
      std::string place = "spec.taints";
      text::append_index(place, i);
      return std::unexpected(taint.error().within(place));
    }
    out.taints.push_back(*taint);
  }
  for (const api::ContainerImage& image : node.status.images) {
    for (const std::string& name : image.names) {
      out.images.push_back({.name = state.names.intern(name), .size_bytes = image.size_bytes});
    }
  }
  if (const std::string* zone = api::find_in(node.metadata.labels, keys::kRevocableZone)) {
    out.revocable_zone = state.names.intern(*zone);
  }
  return out;
}

Result<model::QueueSpec> queue_spec(const api::Queue& queue, model::ClusterState& state) {
  const api::QueueSpec& spec = queue.spec;
  model::QueueSpec out{.name = queue.metadata.name,
                       .created = queue.metadata.creation_time,
                       .weight = spec.weight.value_or(1),
                       .priority = spec.priority,
                       .reclaimable = spec.reclaimable.value_or(true),
                       .parent = spec.parent};
  const auto written = queue_state(queue.status.state);
  if (!written) return std::unexpected(written.error().within("status.state"));
  out.state = *written;
  if (auto ok = fill_quotas(spec, state.schema, out); !ok) return std::unexpected(ok.error());
  if (const auto* path = api::find_in(queue.metadata.annotations, keys::kHierarchy)) out.hierarchy = *path;
  if (const auto* weights = api::find_in(queue.metadata.annotations, keys::kHierarchyWeights)) {
    out.hierarchy_weights = *weights;
  }
  if (spec.affinity) {
    out.has_affinity = true;
    out.group_affinity = group_affinity(spec.affinity->node_group);
    out.group_anti_affinity = group_affinity(spec.affinity->node_group_anti);
  }
  const std::string* limits = api::find_in(queue.metadata.annotations, keys::kGroupLimits);
  if (limits != nullptr && !limits->empty() && !fill_group_limits(*limits, state.schema, out)) {
    out.group_limits_malformed = true;
    out.group_limits.clear();
  }
  return out;
}

Result<model::ResourceQuota> quota_row(const api::ResourceQuota& quota, model::ClusterState& state) {
  auto use = to_quota_use(quota.status_hard, quota.status_used, state.schema);
  if (!use) return std::unexpected(use.error().within("status.hard"));
  return model::ResourceQuota{.ns = quota.metadata.namespace_name,
                              .name = quota.metadata.name,
                              .hard = std::move(use->hard),
                              .used = std::move(use->used)};
}

Result<model::DisruptionBudgetObject> budget_row(const api::PodDisruptionBudget& budget, model::ClusterState& state) {
  model::DisruptionBudgetObject out{.ns = budget.metadata.namespace_name,
                                    .name = budget.metadata.name,
                                    .disruptions_allowed = budget.disruptions_allowed};
  auto selector = compile_selector(budget.selector, state.names);
  if (!selector) return std::unexpected(selector.error().within("spec.selector"));
  out.selector = std::move(*selector);
  for (const auto& [pod, when] : budget.disrupted_pods) out.disrupted_pods.insert(pod);
  return out;
}

}  // namespace basalt::state
