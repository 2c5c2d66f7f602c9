// What of a line describes a pod: requests and placement rules.
#include "control/scheduler/state/keys.h"
#include "lab/scenario/placement_syntax.h"
#include "lab/scenario/scenario_cluster.h"

namespace basalt::lab::scenario {

namespace {

void annotate(api::Pod& pod, std::string_view key, std::string value) {
  pod.metadata.annotations[std::string(key)] = std::move(value);
}

void read_affinity(LineFields& fields, api::Affinity& affinity) {
  if (fields.has("node-affinity")) {
    affinity.node.required = api::NodeSelector{.terms = fields.parsed("node-affinity", parse_node_terms)};
  }
  affinity.node.preferred = fields.parsed("node-affinity-preferred", parse_preferred_nodes);
  affinity.pod.required = fields.parsed("affinity", parse_pod_terms);
  affinity.pod.preferred = fields.parsed("affinity-preferred", parse_preferred_pods);
  affinity.pod_anti.required = fields.parsed("anti-affinity", parse_pod_terms);
  affinity.pod_anti.preferred = fields.parsed("anti-affinity-preferred", parse_preferred_pods);
}

void read_spread(LineFields& fields, std::vector<api::TopologySpreadConstraint>& out) {
  for (const bool hard : {true, false}) {
    for (api::TopologySpreadConstraint& one : fields.parsed(hard ? "spread" : "spread-preferred", parse_spread)) {
      one.when_unsatisfiable = hard ? "DoNotSchedule" : "ScheduleAnyway";
      out.push_back(std::move(one));
    }
  }
}

void read_gates(LineFields& fields, api::Pod& pod) {
  pod.spec.scheduling_gates = fields.list("gates");
  if (!fields.flag("queue-gate")) return;
  pod.spec.scheduling_gates.emplace_back(state::keys::kQueueGate);
  annotate(pod, state::keys::kQueueGate, "true");
}

}  // namespace

api::Pod read_pod(LineFields& fields) {
  api::Pod pod;
  pod.metadata.labels = fields.labels("labels");
  pod.spec.node_selector = fields.labels("selector");
  read_affinity(fields, pod.spec.affinity);
  read_spread(fields, pod.spec.topology_spread);
  pod.spec.tolerations = fields.parsed("tolerations", parse_tolerations);
  read_gates(fields, pod);
  if (fields.flag("never-preempts")) pod.spec.preemption_policy = "Never";
  if (fields.flag("revocable")) annotate(pod, state::keys::kRevocableZone, "*");
  if (const auto preemptable = fields.optional_boolean("preemptable")) {
    annotate(pod, state::keys::kPreemptable, *preemptable ? "true" : "false");
  }
  if (fields.has("task-priority")) {
    annotate(pod, state::keys::kTaskPriority, std::to_string(fields.number32("task-priority", 0)));
  }
  if (const std::string cooldown = fields.text("cooldown"); !cooldown.empty()) {
    annotate(pod, state::keys::kCooldownTime, cooldown);
  }
  std::vector<std::string> images = fields.list("images");
  if (images.empty()) images.emplace_back("app:1");
  for (const std::string& image : images) {
    api::Container& container = pod.spec.containers.emplace_back();
    container.image = image;
  }
  pod.spec.containers[0].ports = fields.parsed("ports", parse_ports);
  pod.spec.containers[0].resources.requests = fields.own_resources();
  return pod;
}

}  // namespace basalt::lab::scenario
