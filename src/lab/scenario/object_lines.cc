// Lines about everything but pods: node, queue, priorityclass, namespace, pdb, quota.
#include <algorithm>

#include "control/scheduler/state/keys.h"
#include "kube/text/document_path.h"
#include "kube/text/scalar.h"
#include "lab/scenario/placement_syntax.h"
#include "lab/scenario/scenario_cluster.h"

namespace basalt::lab::scenario {

namespace {

// "nginx:1.25=500Mi,busybox=4Mi": what is on the node, and how large it is.
Result<std::vector<api::ContainerImage>> parse_images(std::string_view text) {
  std::vector<api::ContainerImage> images;
  for (const std::string& piece : split_list(text, ',')) {
    const size_t equals = piece.rfind('=');
    const auto size = equals == std::string::npos ? invalid("") : text::Quantity::parse(piece.substr(equals + 1));
    if (!size) return invalid(text::in_quotes(piece) + " is no image; write name:tag=SIZE, for example app:1=500Mi");
    images.push_back({.names = {piece.substr(0, equals)}, .size_bytes = size->value()});
  }
  return images;
}

// "g1:cpu=4,memory=8Gi;g2:cpu=1" → the JSON of the annotation.
Result<std::string> parse_group_limits(std::string_view text) {
  std::string json = "{";
  for (const std::string& piece : split_list(text, ';')) {
    const size_t colon = piece.find(':');
    if (colon == std::string::npos)
      return invalid(text::in_quotes(piece) + " is no limit; write group:cpu=4,memory=8Gi");
    const auto limits = parse_resources(piece.substr(colon + 1));
    if (!limits) return std::unexpected(limits.error());
    json += (json.size() > 1 ? ",\"" : "\"") + piece.substr(0, colon) + "\":{";
    bool first = true;
    for (const auto& [name, amount] : *limits) {
      json += (first ? "\"" : ",\"") + name + "\":\"" + amount.to_string() + "\"";
      first = false;
    }
    json += "}";
  }
  return json + "}";
}

void read_group_terms(LineFields& fields, std::string_view key, std::optional<api::NodeGroupTerms>& out) {
  std::vector<std::string> required = fields.list(key);
  std::vector<std::string> preferred = fields.list(std::string(key) + "-preferred");
  if (required.empty() && preferred.empty()) return;
  out = api::NodeGroupTerms{.required = std::move(required), .preferred = std::move(preferred)};
}

}  // namespace

Result<void> ScenarioCluster::add_node(const ScriptLine& line) {
  const auto name = subject(line, "node n1 cpu=4 memory=8Gi");
  if (!name) return std::unexpected(name.error());
  const auto names = expand_range(*name, kMaxNodes);
  if (!names) return std::unexpected(names.error());
  LineFields fields(line, 2);
  api::Node node;
  node.spec.unschedulable = fields.flag("unschedulable");
  node.spec.taints = fields.parsed("taints", parse_taints);
  node.status.images = fields.parsed("images", parse_images);
  node.metadata.labels = fields.labels("labels");
  node.metadata.annotations = fields.labels("annotations");
  node.status.allocatable = fields.own_resources();
  node.status.allocatable.try_emplace("pods", text::Quantity::from_units(110));
  if (auto done = fields.finish(); !done) return done;
  for (const std::string& one : *names) {
    node.metadata.name = one;
    node.metadata.labels["kubernetes.io/hostname"] = one;
    node.metadata.creation_time = tick();
    if (auto done = updater_.apply(node); !done) return done;
    nodes_[one] = node;
  }
  return {};
}

Result<void> ScenarioCluster::add_queue(const ScriptLine& line) {
  const auto name = subject(line, "queue q1 weight=1");
  if (!name) return std::unexpected(name.error());
  LineFields fields(line, 2);
  api::Queue queue;
  queue.metadata.name = *name;
  queue.metadata.creation_time = tick();
  queue.spec.weight = fields.number32("weight", 1, 1, 65535);
  queue.spec.priority = fields.number32("priority", 0, 0);
  queue.spec.parent = fields.text("parent");
  queue.spec.capability = fields.resources("capability");
  queue.spec.guarantee = fields.resources("guarantee");
  queue.spec.deserved = fields.resources("deserved");
  queue.spec.reclaimable = fields.optional_boolean("reclaimable");
  queue.status.state = fields.text("state", "Open");
  if (const std::string path = fields.text("hierarchy"); !path.empty()) {
    queue.metadata.annotations[std::string(state::keys::kHierarchy)] = path;
  }
  if (const std::string weights = fields.text("hierarchy-weights"); !weights.empty()) {
    queue.metadata.annotations[std::string(state::keys::kHierarchyWeights)] = weights;
  }
  api::QueueAffinity affinity;
  read_group_terms(fields, "groups", affinity.node_group);
  read_group_terms(fields, "not-groups", affinity.node_group_anti);
  if (affinity.node_group || affinity.node_group_anti) queue.spec.affinity = std::move(affinity);
  if (fields.has("group-limits")) {
    queue.metadata.annotations[std::string(state::keys::kGroupLimits)] =
        fields.parsed("group-limits", parse_group_limits);
  }
  if (auto done = fields.finish(); !done) return done;
  constexpr std::string_view kStates[] = {"Open", "Closed", "Closing", "Unknown"};
  if (std::find(std::begin(kStates), std::end(kStates), queue.status.state) == std::end(kStates)) {
    return invalid("state: " + text::in_quotes(queue.status.state) + " is none of Open, Closed, Closing, Unknown");
  }
  return updater_.apply(queue);
}

Result<void> ScenarioCluster::add_priority_class(const ScriptLine& line) {
  const auto name = subject(line, "priorityclass high 1000");
  if (!name) return std::unexpected(name.error());
  const auto value = line.words.size() > 2 ? text::parse_int32(line.words[2].text) : invalid("");
  if (!value) return invalid("no value; write for example \"priorityclass high 1000\"");
  LineFields fields(line, 3);
  const bool is_default = fields.flag("default");
  if (auto done = fields.finish(); !done) return done;
  priority_classes_[*name] = *value;
  state_.upsert_priority_class(*name, *value, is_default);
  return {};
}

Result<void> ScenarioCluster::add_namespace(const ScriptLine& line) {
  const auto name = subject(line, "namespace team-a labels=env=prod");
  if (!name) return std::unexpected(name.error());
  LineFields fields(line, 2);
  api::Namespace namespace_object;
  namespace_object.metadata.name = *name;
  namespace_object.metadata.labels = fields.labels("labels");
  if (auto done = fields.finish(); !done) return done;
  return updater_.apply(namespace_object);
}

Result<void> ScenarioCluster::add_budget(const ScriptLine& line) {
  const auto name = subject(line, "pdb db selector=app=db allowed=1");
  if (!name) return std::unexpected(name.error());
  LineFields fields(line, 2);
  api::PodDisruptionBudget budget;
  budget.metadata.name = *name;
  budget.metadata.namespace_name = fields.text("namespace", api::kDefaultNamespace);
  budget.selector = fields.parsed("selector", parse_selector);
  budget.disruptions_allowed = fields.number32("allowed", 0);
  if (auto done = fields.finish(); !done) return done;
  return updater_.apply(budget);
}

Result<void> ScenarioCluster::add_quota(const ScriptLine& line) {
  const auto name = subject(line, "quota team hard=cpu=4 used=cpu=1");
  if (!name) return std::unexpected(name.error());
  LineFields fields(line, 2);
  api::ResourceQuota quota;
  quota.metadata.name = *name;
  quota.metadata.namespace_name = fields.text("namespace", api::kDefaultNamespace);
  quota.hard = fields.resources("hard");
  quota.status_hard = quota.hard;
  quota.status_used = fields.resources("used");
  if (auto done = fields.finish(); !done) return done;
  return updater_.apply(quota);
}

}  // namespace basalt::lab::scenario
