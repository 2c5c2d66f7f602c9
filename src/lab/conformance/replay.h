// Replays a recorded case through the engine, the way the recording was made.
//
// Between cycles it does what Kubernetes would: bound pods become Running on their node, evicted pods are gone, pod
// group status and nominations are written back; then the case's own events follow (case_events.h). All of it goes
// through the StateUpdater.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/scheduler/state/state_updater.h"
#include "engine/core/cycle.h"
#include "engine/model/cluster_state.h"
#include "lab/conformance/recorded_case.h"

namespace basalt::lab {

[[nodiscard]] std::string pod_key(const model::ClusterState& state, model::TaskId id);  // "namespace/name"

// What one cycle did. Pods are "namespace/name", jobs "namespace/podgroup".
struct CycleOutcome {
  std::map<std::string, std::string> binds;  // pod → node
  std::vector<std::string> evicts;           // pods, sorted
  std::map<std::string, std::string> pipelined;
  std::map<std::string, std::string> job_of;    // pod → job, for pods that something happened to
  std::map<std::string, std::string> queue_of;  // job → queue, for the same
  struct TaskState {
    std::string job, status, node;
  };
  std::map<std::string, TaskState> tasks;            // when the actions had ended, tentative placements included
  std::map<std::string, std::string> phases_before;  // pod group phases, before plugins close the session
  std::map<std::string, std::string> phases_after;
  double milliseconds = 0;
};

// The time at which every replay begins: noon, so that tdm's zones around midnight are closed, and long after the
// objects were made.
inline constexpr Instant kReplayStart = Instant::from_unix_seconds(1'780'000'000 / 86'400 * 86'400 + 43'200);

class Replay {
 public:
  // The cluster as recorded. Requires: nothing is missing in `recorded`, which must outlive the replay.
  static Result<std::unique_ptr<Replay>> start(const RecordedCase& recorded);

  CycleOutcome run_cycle(const engine::Policy& policy);
  // Writes back what the last cycle decided.
  Result<void> settle();

  [[nodiscard]] model::ClusterState& state() { return state_; }

 private:
  explicit Replay(const RecordedCase& recorded);
  Result<void> apply(const api::AnyObject& object);
  Result<void> apply_event(const CaseEvent& event);
  [[nodiscard]] api::Pod* find_pod(const std::string& key);
  void note_decisions(const engine::Decisions& decisions, CycleOutcome& out);
  void note_statuses(const engine::CycleReport& report);

  const RecordedCase& recorded_;
  model::ClusterState state_;
  state::StateUpdater updater_;
  std::map<std::string, api::Pod> pods_;                                    // by uid
  std::map<std::string, api::PodGroup> groups_;                             // by namespace/name
  std::vector<std::pair<std::string, std::string>> last_binds_;             // uid, node
  std::vector<std::string> last_evicts_;                                    // uid
  std::vector<std::string> last_opened_;                                    // uid; of pods whose gate was removed
  std::vector<std::pair<std::string, std::string>> last_nominations_;       // uid, node
  std::vector<std::pair<std::string, api::PodGroupStatus>> last_statuses_;  // namespace/name
  int cycle_ = 0;
};

}  // namespace basalt::lab
