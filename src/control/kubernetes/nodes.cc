// Nodes: heartbeats and the taints that conditions stand for.
//
// The heartbeat is a Lease of the node's name in kube-node-lease. A node whose lease has not been renewed for the lease
// grace (by our clock, since we saw it last) gets Ready = Unknown. Taints follow the conditions, whoever wrote them.
//
// A node without a lease has no heartbeat to miss: a node made by hand with Ready = True in its status stays ready and
// loses the not-ready taint that admission gave it; one without a Ready condition is left as it is, taint included.
#include <array>

#include "control/kubernetes/kubernetes_controller.h"
#include "control/kubernetes/kubernetes_writes.h"
#include "kube/api/views/node_view.h"
#include "kube/text/rfc3339.h"

namespace basalt::kubernetes {
namespace {

constexpr std::string_view kLeaseNamespace = "kube-node-lease";

struct Rule {
  std::string_view condition, status, taint;
  bool evicts;  // also NoExecute
};
constexpr std::array<Rule, 6> kRules = {
    {{"Ready", "False", "node.kubernetes.io/not-ready", true},
     {"Ready", "Unknown", "node.kubernetes.io/unreachable", true},
     {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure", false},
     {"DiskPressure", "True", "node.kubernetes.io/disk-pressure", false},
     {"PIDPressure", "True", "node.kubernetes.io/pid-pressure", false},
     {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable", false}}};
constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";
constexpr std::array<std::string_view, 4> kOfAgent = {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"};

void wake_nodes(const KubernetesContext&, const RecordChange& change, std::vector<std::string>& items) {
  const bool heartbeat = change.is("coordination.k8s.io", "Lease") && change.either().namespace_name == kLeaseNamespace;
  if (change.is("", "Node") || heartbeat) items.push_back(change.either().name);
}

struct Wanted {
  std::string_view key, effect;
  bool present;
};

std::vector<Wanted> wanted_taints(const text::Object& node) {
  std::vector<Wanted> wanted;
  const bool knows_ready = !condition_status(node, "Ready").empty();
  for (const Rule& rule : kRules) {
    if (rule.condition == "Ready" && !knows_ready) continue;
    const bool holds = condition_status(node, rule.condition) == rule.status;
    wanted.push_back({rule.taint, "NoSchedule", holds});
    if (rule.evicts) wanted.push_back({rule.taint, "NoExecute", holds});
  }
  wanted.push_back({kUnschedulable, "NoSchedule", api::NodeView(node).spec().unschedulable()});
  return wanted;
}

bool is_taint(const text::Value& value, const Wanted& wanted) {
  const api::TaintView taint(value);
  return taint && taint.key() == wanted.key && taint.effect() == wanted.effect;
}

void plan_taints(const WatchedKind& kind, const ObjectRecord& node, Instant now, ControllerPlan& plan) {
  const text::Array* old = api::NodeView(node.object()).spec().taints().json();
  text::Array taints = old == nullptr ? text::Array() : *old;
  bool changed = false;
  for (const Wanted& wanted : wanted_taints(node.object())) {
    const auto at = std::ranges::find_if(taints, [&](const text::Value& one) { return is_taint(one, wanted); });
    if ((at != taints.end()) == wanted.present) continue;
    changed = true;
    if (wanted.present) {
      taints.push_back(
          text::Object{{"key", wanted.key}, {"effect", wanted.effect}, {"timeAdded", text::format_time(now)}});
    } else {
      taints.erase(at);
    }
  }
  if (!changed) return;
  text::Value value = nullptr;
  if (!taints.empty()) value = std::move(taints);
  plan.writes.push_back(patch_object(kind, node, {{"spec", text::Object{{"taints", std::move(value)}}}}));
}

// What the agent reported last is not known to hold any more.
bool plan_lost(const WatchedKind& kind, const ObjectRecord& node, Instant now, ControllerPlan& plan) {
  if (condition_status(node.object(), "Ready") == "Unknown") return false;
  text::Array conditions = conditions_of(node.object());
  for (const std::string_view type : kOfAgent) {
    if (type != "Ready" && condition_status(node.object(), type).empty()) continue;
    set_condition(conditions, {type, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."}, now);
  }
  plan.writes.push_back(patch_status(kind, node, {{"conditions", std::move(conditions)}}));
  return true;
}

ControllerPlan plan_nodes(const KubernetesContext& context, const std::string& item, Instant now) {
  ControllerPlan plan;
  const WatchedKind& kind = context.kinds.builtin("", "Node");
  const ObjectRecord* node = context.cache.find(kind.id, item);
  if (node == nullptr) return plan;
  const ObjectRecord* lease = context.find("coordination.k8s.io", "Lease", std::string(kLeaseNamespace) + "/" + item);
  if (lease != nullptr && lease->stamp.is_set()) {
    const Instant deadline = lease->seen + context.periods.lease_grace;
    if (now < deadline) {
      plan.again = deadline;
    } else if (plan_lost(kind, *node, now, plan)) {
      return plan;  // taints follow when the condition is there
    }
  }
  plan_taints(kind, *node, now, plan);
  return plan;
}

}  // namespace

KubernetesController node_controller() { return {.name = "nodes", .wake = wake_nodes, .plan = plan_nodes}; }

}  // namespace basalt::kubernetes
