#include "control/volcano/hyper_node/hyper_node_controller.h"

#include <set>
#include <string>

#include "control/volcano/hyper_node/discovery.h"
#include "control/volcano/writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/fields.h"
#include "kube/api/schema/pattern.h"
#include "kube/api/selector_text.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {

using api::string_at;
using api::rules::part_of;
using NodeNames = std::set<std::string_view>;

template <class Chosen>  // chosen(name, node) -> bool
void take_nodes(const Observed& seen, NodeNames& names, Chosen&& chosen) {
  for (const auto& [name, node] : seen.all(Kind::Node)) {
    if (chosen(name, *node)) names.insert(name);
  }
}

// Adds what one member selects. A selector that cannot be read selects nothing.
void take_members(const Observed& seen, const text::Object& selector, NodeNames& names) {
  const std::string_view exact = string_at(selector, {"exactMatch", "name"});
  if (!exact.empty()) names.insert(exact);
  const std::string_view pattern = string_at(selector, {"regexMatch", "pattern"});
  if (!pattern.empty()) {
    const auto compiled = api::Pattern::compile(pattern);
    if (compiled) {
      take_nodes(seen, names, [&](const std::string& name, const text::Value&) { return (*compiled)->matches(name); });
    }
  }
  const text::Value* labels = api::rules::member_of(selector, "labelMatch");
  if (labels == nullptr) return;
  api::Causes causes;
  const api::LabelQuery query = api::LabelQuery::from_selector(*labels, "labelMatch", causes);
  if (!causes.empty() || query.matches_everything()) return;  // an empty selector means no node, not all
  take_nodes(seen, names, [&](const std::string&, const text::Value& node) { return query.matches(node); });
}

int64_t node_count(const Observed& seen, const text::Object& hyper_node) {
  NodeNames names;
  api::rules::each_object(part_of(hyper_node, "spec"), "members", [&](const text::Object& member, size_t) {
    take_members(seen, part_of(member, "selector"), names);
  });
  return static_cast<int64_t>(names.size());
}

// Its count depends on which nodes there are.
bool looks_at_nodes(const text::Object& hyper_node) {
  bool looks = false;
  api::rules::each_object(part_of(hyper_node, "spec"), "members", [&](const text::Object& member, size_t) {
    const text::Object& selector = part_of(member, "selector");
    looks = looks || api::rules::has(selector, "regexMatch") || api::rules::has(selector, "labelMatch");
  });
  return looks;
}

std::string config_key(const Options& options) { return options.home_namespace + "/" + options.topology_config; }

Plan plan_discovery(const World& world) {
  Plan plan;
  const text::Object* config_map = world.seen.find(Kind::ConfigMap, config_key(world.options));
  if (config_map == nullptr) return plan;
  const text::Value* text = api::value_at(*config_map, {"data", kDiscoveryKey});
  if (text == nullptr || !text->is_string()) return plan;
  const auto config = read_label_discovery(api::rules::view_of(*text));
  const auto complain = [&](const std::string& message) {
    plan.notes.push_back(warning(Kind::ConfigMap, *config_map, "InvalidTopologyDiscovery", message));
  };
  if (!config) {
    complain(std::string(kDiscoveryKey) + ": " + config.error().message);
    return plan;
  }
  for (const std::string& complaint : config->complaints) complain(complaint);
  if (config->enabled) replace_hyper_nodes(world.seen, discover(world.seen, *config), plan);
  return plan;
}

void plan_count(const World& world, const text::Object& hyper_node, Plan& plan) {
  if (is_leaving(hyper_node)) return;
  const int64_t count = node_count(world.seen, hyper_node);
  if (api::int_at(hyper_node, {"status", "nodeCount"}) == count) return;
  plan.write(patch_status(Kind::HyperNode, hyper_node, {{"nodeCount", count}}));
}

Plan plan_hyper_nodes(const World& world, const std::string& item, Instant /*now*/) {
  if (item == kDiscoveryItem) return plan_discovery(world);
  Plan plan;
  if (item == kNodesItem) {
    for (const auto& [name, hyper_node] : world.seen.all(Kind::HyperNode)) {
      if (looks_at_nodes(hyper_node->get_object())) plan_count(world, hyper_node->get_object(), plan);
    }
  } else if (const text::Object* hyper_node = world.seen.find(Kind::HyperNode, item)) {
    plan_count(world, *hyper_node, plan);
  }
  return plan;
}

bool same_labels(const text::Object& left, const text::Object& right) {
  return api::rules::same_member(api::metadata_of(left), api::metadata_of(right), "labels");
}

void wake_for_node(const Change& change, std::vector<std::string>& items) {
  if (change.before != nullptr && change.now != nullptr && same_labels(*change.before, *change.now)) return;
  items.emplace_back(kNodesItem);
  items.emplace_back(kDiscoveryItem);
}

void wake_for_hyper_node(const Change& change, std::vector<std::string>& items) {
  const text::Object* before = change.before;
  const text::Object* now = change.now;
  const bool same_spec = before != nullptr && now != nullptr && api::rules::same_member(*before, *now, "spec");
  if (now != nullptr) items.emplace_back(change.key);
  if (same_spec && same_labels(*before, *now)) return;
  items.emplace_back(kDiscoveryItem);
}

void wake_hyper_nodes(const World& world, const Change& change, std::vector<std::string>& items) {
  if (change.kind == Kind::Node) return wake_for_node(change, items);
  if (change.kind == Kind::HyperNode) return wake_for_hyper_node(change, items);
  if (change.kind == Kind::ConfigMap && change.key == config_key(world.options)) items.emplace_back(kDiscoveryItem);
}

}  // namespace

Controller hyper_node_controller() {
  return {.name = "hyperNode-controller", .wake = wake_hyper_nodes, .plan = plan_hyper_nodes};
}

}  // namespace basalt::volcano
