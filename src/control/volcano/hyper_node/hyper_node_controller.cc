#include "control/volcano/hyper_node/hyper_node_controller.h"

#include <set>
#include <string>

#include "control/volcano/hyper_node/hyper_node_discovery.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/schema/pattern.h"
#include "kube/api/selector_text.h"
#include "kube/api/views/config_map_view.h"
#include "kube/api/views/hyper_node_view.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {
using NodeNames = std::set<std::string_view>;

template <class Chosen>  // chosen(name, node) -> bool
void take_nodes(const ControllerCache& seen, NodeNames& names, Chosen&& chosen) {
  for (const auto& [name, node] : seen.all(VolcanoKind::Node)) {
    if (chosen(name, *node)) names.insert(name);
  }
}

// Adds what one member selects. A selector that cannot be read selects nothing.
void take_members(const ControllerCache& seen, api::MemberSelectorView selector, NodeNames& names) {
  const std::string_view exact = selector.exact_match().name();
  if (!exact.empty()) names.insert(exact);
  const std::string_view pattern = selector.regex_match().pattern();
  if (!pattern.empty()) {
    const auto compiled = api::Pattern::compile(pattern);
    if (compiled) {
      take_nodes(seen, names, [&](const std::string& name, const text::Value&) { return (*compiled)->matches(name); });
    }
  }
  const text::Value* labels = selector ? api::rules::member_of(*selector.json(), "labelMatch") : nullptr;
  if (labels == nullptr) return;
  api::Causes causes;
  const api::LabelQuery query = api::LabelQuery::from_selector(*labels, "labelMatch", causes);
  if (!causes.empty() || query.matches_everything()) return;  // an empty selector means no node, not all
  take_nodes(seen, names, [&](const std::string&, const text::Value& node) { return query.matches(node); });
}

int64_t node_count(const ControllerCache& seen, const text::Object& hyper_node) {
  NodeNames names;
  for (const api::MemberView member : api::HyperNodeView(hyper_node).spec().members()) {
    take_members(seen, member.selector(), names);
  }
  return static_cast<int64_t>(names.size());
}

// Its count depends on which nodes there are.
bool looks_at_nodes(const text::Object& hyper_node) {
  bool looks = false;
  for (const api::MemberView member : api::HyperNodeView(hyper_node).spec().members()) {
    looks = looks || member.selector().regex_match() || member.selector().label_match();
  }
  return looks;
}

std::string config_key(const VolcanoControllerOptions& options) {
  return options.home_namespace + "/" + options.topology_config;
}

WritePlan plan_discovery(const VolcanoContext& context) {
  WritePlan plan;
  const text::Object* config_map = context.seen.find(VolcanoKind::ConfigMap, config_key(context.options));
  if (config_map == nullptr) return plan;
  const std::optional<std::string_view> text = api::ConfigMapView(*config_map).data().find(kDiscoveryKey);
  if (!text) return plan;
  const auto config = read_label_discovery(*text);
  const auto complain = [&](const std::string& message) {
    plan.notes.push_back(warning(VolcanoKind::ConfigMap, *config_map, "InvalidTopologyDiscovery", message));
  };
  if (!config) {
    complain(std::string(kDiscoveryKey) + ": " + config.error().message);
    return plan;
  }
  for (const std::string& complaint : config->complaints) complain(complaint);
  if (config->enabled) replace_hyper_nodes(context.seen, discover(context.seen, *config), plan);
  return plan;
}

void plan_count(const VolcanoContext& context, const text::Object& hyper_node, WritePlan& plan) {
  if (is_leaving(hyper_node)) return;
  const int64_t count = node_count(context.seen, hyper_node);
  if (api::HyperNodeView(hyper_node).status().node_count().value_or(0) == count) return;
  plan.write(patch_status(VolcanoKind::HyperNode, hyper_node, {{"nodeCount", count}}));
}

WritePlan plan_hyper_nodes(const VolcanoContext& context, const std::string& item, Instant /*now*/) {
  if (item == kDiscoveryItem) return plan_discovery(context);
  WritePlan plan;
  if (item == kNodesItem) {
    for (const auto& [name, hyper_node] : context.seen.all(VolcanoKind::HyperNode)) {
      if (looks_at_nodes(hyper_node->get_object())) plan_count(context, hyper_node->get_object(), plan);
    }
  } else if (const text::Object* hyper_node = context.seen.find(VolcanoKind::HyperNode, item)) {
    plan_count(context, *hyper_node, plan);
  }
  return plan;
}

bool same_labels(const text::Object& left, const text::Object& right) {
  return api::rules::same_member(api::metadata_of(left), api::metadata_of(right), "labels");
}

void wake_for_node(const ObjectChange& change, std::vector<std::string>& items) {
  if (change.before != nullptr && change.now != nullptr && same_labels(*change.before, *change.now)) return;
  items.emplace_back(kNodesItem);
  items.emplace_back(kDiscoveryItem);
}

void wake_for_hyper_node(const ObjectChange& change, std::vector<std::string>& items) {
  const text::Object* before = change.before;
  const text::Object* now = change.now;
  const bool same_spec = before != nullptr && now != nullptr && api::rules::same_member(*before, *now, "spec");
  if (now != nullptr) items.emplace_back(change.key);
  if (same_spec && same_labels(*before, *now)) return;
  items.emplace_back(kDiscoveryItem);
}

void wake_hyper_nodes(const VolcanoContext& context, const ObjectChange& change, std::vector<std::string>& items) {
  if (change.kind == VolcanoKind::Node) return wake_for_node(change, items);
  if (change.kind == VolcanoKind::HyperNode) return wake_for_hyper_node(change, items);
  if (change.kind == VolcanoKind::ConfigMap && change.key == config_key(context.options))
    items.emplace_back(kDiscoveryItem);
}

}  // namespace

VolcanoController hyper_node_controller() {
  return {.name = "hyperNode-controller", .wake = wake_hyper_nodes, .plan = plan_hyper_nodes};
}

}  // namespace basalt::volcano
