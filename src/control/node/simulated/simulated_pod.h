// What a simulated node remembers of a pod: a few hundred bytes, read from the object and never written back.
//
// Objects tell times in whole seconds. `exact` is the finer time of our own last write: where it falls into the second
// that the object tells, it stands for it. After a restart only the seconds are known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "control/node/pod_status.h"
#include "control/node/simulated/behaviour.h"
#include "kube/text/json.h"

namespace basalt::node {

struct SimulatedRun {
  Instant started, finished;
  int64_t exit_code = 0;
};

struct SimulatedContainer {
  enum class State : uint8_t { Waiting, Running, Ended };
  std::string name, image;
  State state = State::Waiting;
  SimulatedRun run;                  // the present one, or the one that ended
  std::optional<SimulatedRun> last;  // the one before it
  int64_t restarts = 0;
  bool sidecar = false;
};

struct SimulatedPod {
  std::string namespace_name, name, uid, version, node;
  PodPhase phase = PodPhase::Pending;
  RestartPolicy policy = RestartPolicy::Always;
  bool deleting = false, finalized = false, host_network = false;  // finalized: it has finalizers
  Instant deletion;                                                // when its grace period is over
  int64_t grace = 0;                                               // seconds
  std::optional<int64_t> deadline;                                 // activeDeadlineSeconds
  Instant start;                                                   // status.startTime
  int64_t generation = 0;
  SeenConditions seen;
  Behaviour behaviour;
  std::vector<SimulatedContainer> init, main;
  Instant exact;

  [[nodiscard]] loop::WriteTarget target() const;
  // The time that an object tells, as exactly as it is known.
  [[nodiscard]] Instant exactly(Instant told) const;
};

// `run`: of pods without an annotation. Never fails: what is absent reads as zero. Cost: O(containers²).
[[nodiscard]] SimulatedPod read_simulated_pod(const text::Object& object, const std::optional<RunRange>& run);

}  // namespace basalt::node
