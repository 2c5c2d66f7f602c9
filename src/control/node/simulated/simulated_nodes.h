// Any number of nodes that exist only as objects: they register, are ready, and run pods by the clock.
//
// A loop::ReconcileLoop around pure plans: plan_pod(pod, now) answers what a kubelet would report at that time.
// How a pod runs:
//   annotation basalt.sh/run-seconds: "30"        how long it runs ("0": ends at once); absent: `run_seconds` below,
//                                                 none there: until it is deleted
//   annotation basalt.sh/run-seconds: "10..60"    uniform between the two, by seed and uid
//   annotation basalt.sh/exit-code: "1"           of every container (default 0)
//   annotation basalt.sh/fail-chance: "0.05"      the chance that a container ends with exit code 1, by seed and uid
//   annotation basalt.sh/start-seconds: "2"       from bound to Running
//   annotation basalt.sh/stop-seconds: "5"        from its deletion to its end, within its grace period (default 0)
// An annotation that does not parse counts as absent, and is told as an event on the pod. restartPolicy is respected: a
// container that may restart does, with the kubelet's back-off. Init containers complete at once.
// Deterministic: seed, uid and the times in the objects decide; nothing is kept that the API server does not have, but
// for the fractions of seconds that objects cannot tell.
//
// Which nodes: those of the groups are made at the start, or taken over and brought in step where they are there with
// the label basalt.sh/runtime=simulated; nodes with that label that somebody else makes run pods as well. A node of the
// same name without the label is not ours. Nodes that somebody deletes are not made again until the next start, and one
// whose Ready condition somebody sets to False stays so: that is how to break one.
// 10,000 nodes cost no more than their objects: they have no lease, so there is no heartbeat to miss, and nothing is
// written while nothing happens.
//
// Threads: as loop::ReconcileLoop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "control/loop/reconcile_loop.h"
#include "kube/api/typed_decode.h"
#include "kube/client/object_client.h"

namespace basalt::node {

inline constexpr int64_t kMaxSimulatedNodes = 100'000;

// A number of equal nodes: NAME-0, NAME-1, …
struct SimulatedNodeGroup {
  std::string name = "sim";
  int64_t count = 0;
  api::ResourceList capacity;  // default: cpu 32, memory 128Gi, pods 110 where not given
  api::StringMap labels, annotations;
  std::vector<std::string> taints;  // "key=value:Effect"
};

// "1000:cpu=64,memory=256Gi,nvidia.com/gpu=8,name=gpu,label=zone=a,taint=gpu=yes:NoSchedule". Several label=, taint=
// and annotation= are possible. An error names the part and says what is expected.
[[nodiscard]] Result<SimulatedNodeGroup> parse_simulated_group(std::string_view text);

struct SimulatedNodesOptions {
  std::vector<SimulatedNodeGroup> groups;  // names must differ
  uint64_t seed = 1;
  std::optional<std::string> run_seconds;  // as the annotation, of pods without one
  // Nobody else looks after nodes here (neither kube-controller-manager nor KubeControllerManager): a node that is
  // ready takes the taint not-ready off itself, which an API server puts on each new one.
  bool alone = false;
  loop::LoopOptions loop;
};

class SimulatedNodes {
 public:
  // An error is about the options. Requires: `client` outlives it.
  static Result<std::unique_ptr<SimulatedNodes>> make(client::ObjectClient& client, SimulatedNodesOptions options);
  ~SimulatedNodes();
  SimulatedNodes(const SimulatedNodes&) = delete;
  SimulatedNodes& operator=(const SimulatedNodes&) = delete;

  void step(Instant now);
  [[nodiscard]] std::optional<Instant> next_due() const;
  void start();
  void stop();
  [[nodiscard]] loop::LoopCounters counters() const;

 private:
  class NodesReconciler;
  explicit SimulatedNodes(std::unique_ptr<NodesReconciler> reconciler);
  std::unique_ptr<NodesReconciler> reconciler_;
};

}  // namespace basalt::node
