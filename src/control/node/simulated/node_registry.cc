#include "control/node/simulated/node_registry.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "control/loop/api_writes.h"
#include "kube/api/name_validation.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/node_view.h"

namespace basalt::node {
namespace {

const api::GroupVersionResource kNodeResource{.group = "", .version = "v1", .plural = "nodes"};

// Addresses of nodes: 172.16.0.0/12, by position. The first address of each block of 256 stays unused.
std::string node_address(uint32_t position) {
  const uint32_t block = position / 255;
  return fmt::format("172.{}.{}.{}", 16 + block / 256 % 16, block % 256, 1 + position % 255);
}

std::string internal_address(const text::Object& node) {
  for (const api::NodeAddressView one : api::NodeView(node).status().addresses()) {
    if (one.type() == "InternalIP") return std::string(one.address());
  }
  return "";
}

Result<NodeDescription> describe_group(const SimulatedNodeGroup& group) {
  NodeDescription node{
      .runtime = "simulated", .labels = group.labels, .annotations = group.annotations, .capacity = group.capacity};
  using text::Quantity;
  using text::QuantityFormat;
  node.capacity.emplace("cpu", Quantity::from_units(32));
  node.capacity.emplace("memory", Quantity::from_units(int64_t{128} << 30U, QuantityFormat::BinarySI));
  node.capacity.emplace("ephemeral-storage", Quantity::from_units(int64_t{1} << 40U, QuantityFormat::BinarySI));
  node.capacity.emplace("pods", Quantity::from_units(110));
  node.info.os_image = "Simulated";
  node.info.kernel_version = "simulated";
  node.info.runtime_version = "simulated://1";
  for (const std::string& text : group.taints) {
    auto taint = parse_taint(text);
    if (!taint) return std::unexpected(std::move(taint.error()));
    node.taints.push_back(std::move(*taint));
  }
  return node;
}

// Adds to `change`, unless it is about taints itself: the next look comes with its answer.
void take_off_not_ready(const text::Object& node, text::Object& change) {
  constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
  const text::Array* taints = api::NodeView(node).spec().taints().json();
  if (taints == nullptr || ready_status(node) != "True" || change.contains("spec")) return;
  text::Array others;
  for (const text::Value& taint : *taints) {
    if (api::TaintView(taint).key() != kNotReady) others.push_back(taint);
  }
  if (others.size() < taints->size()) change["spec"] = text::Object{{"taints", std::move(others)}};
}

}  // namespace

Result<SimulatedNodeRegistry> SimulatedNodeRegistry::make(const std::vector<SimulatedNodeGroup>& groups, bool alone) {
  SimulatedNodeRegistry registry;
  registry.alone_ = alone;
  std::set<std::string_view> names;
  uint32_t position = 0;
  for (const SimulatedNodeGroup& group : groups) {
    const std::string place = fmt::format("simulated nodes {}", group.name);
    if (!names.insert(group.name).second) return invalid(place + ": the name is given to two groups; set name=");
    if (const auto wrong = api::dns1123_label(group.name); !wrong.empty()) return invalid(place + ": " + wrong.front());
    if (group.count < 0 || group.count > kMaxSimulatedNodes - static_cast<int64_t>(position)) {
      return invalid(fmt::format("{}: expected at most {} nodes in all", place, kMaxSimulatedNodes));
    }
    auto described = describe_group(group);
    if (!described) return std::unexpected(described.error().within(place));
    const auto number = static_cast<uint32_t>(registry.groups_.size());
    registry.groups_.push_back(std::move(*described));
    for (uint32_t i = 0; i < static_cast<uint32_t>(group.count); ++i) {
      registry.wanted_.emplace(fmt::format("{}-{}", group.name, i), Wanted{.group = number, .position = position++});
    }
  }
  registry.absent_ = registry.wanted_;
  return registry;
}

NodeDescription SimulatedNodeRegistry::describe(const std::string& name, const Wanted& wanted) const {
  NodeDescription node = groups_[wanted.group];
  node.name = name;
  node.address = node_address(wanted.position);
  node.info.machine_id = node.info.system_uuid = node.info.boot_id = name;
  return node;
}

bool SimulatedNodeRegistry::learn(const text::Object& node, Instant now) {
  const std::string name(api::name_of(node));
  absent_.erase(name);
  const std::string_view version = api::NodeView(node).metadata().resource_version();
  Known& known = known_[name];
  if (!known.version.empty() && !api::is_later_version(version, known.version)) return false;
  known.uid = api::NodeView(node).metadata().uid();
  known.version = version;
  known.address = internal_address(node);
  changes_.erase(name);
  Change change;
  const auto wanted = wanted_.find(name);
  if (!known.in_step && wanted != wanted_.end()) {
    const NodeDescription described = describe(name, wanted->second);
    change.object = node_change(described, node);
    change.status = node_status_change(described, node, now);
    known.in_step = change.object.empty() && change.status.empty();
  } else if (ready_status(node) == "Unknown") {
    change.status["conditions"] = node_conditions(now);
  }
  if (alone_ && change.status.empty()) take_off_not_ready(node, change.object);
  if (change.object.empty() && change.status.empty()) return false;
  changes_[name] = std::move(change);
  return true;
}

void SimulatedNodeRegistry::forget(const std::string& name) {
  known_.erase(name);
  changes_.erase(name);
  absent_.erase(name);
  wanted_.erase(name);  // made again by somebody else, it is as they made it
}

std::vector<std::string> SimulatedNodeRegistry::names() const {
  std::vector<std::string> names;
  names.reserve(known_.size());
  for (const auto& [name, known] : known_) names.push_back(name);
  return names;
}

std::vector<std::string> SimulatedNodeRegistry::wanted() const {
  std::vector<std::string> names;
  names.reserve(absent_.size());
  for (const auto& [name, wanted] : absent_) names.push_back(name);
  return names;
}

const std::string* SimulatedNodeRegistry::address_of(const std::string& name) const {
  const auto at = known_.find(name);
  return at == known_.end() ? nullptr : &at->second.address;
}

loop::WritePlan SimulatedNodeRegistry::plan(const std::string& name, Instant now) {
  loop::WritePlan plan;
  if (const auto absent = absent_.find(name); absent != absent_.end()) {
    plan.write(loop::create(kNodeResource, node_object(describe(name, absent->second), now)));
    return plan;
  }
  const auto known = known_.find(name);
  const auto at = changes_.find(name);
  if (known == known_.end() || at == changes_.end()) return plan;
  loop::WriteTarget target{.resource = kNodeResource,
                           .namespace_name = "",
                           .name = name,
                           .uid = known->second.uid,
                           .version = known->second.version};
  if (!at->second.object.empty()) plan.write(loop::patch(target, at->second.object));
  plan.then();
  target.version.clear();  // the write before it changed it; capacity is ours, whatever the version
  if (!at->second.status.empty()) plan.write(loop::patch_status(target, at->second.status));
  return plan;
}

}  // namespace basalt::node
