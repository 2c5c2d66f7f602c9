// One pod on one machine, as a state machine: told what happened, it says what to do and what to report. Pure.
//
//   lifecycle.observe(pod, now);  lifecycle.tell(event, now);   as things happen
//   PodSyncResult result = lifecycle.advance(now);              actions, events, and when to look again
//   PodStatusReport report = lifecycle.report();                the status now
//
// The rules are a kubelet's:
// 1. Volumes first. Then init containers one after the other, each to its end (a sidecar: until it has started). Then
//    all others at once.
// 2. A container that ends runs again where its policy allows it: the first time at once, then after `back_off.first`,
//    doubled up to `back_off.longest`.
// 3. A stop is: preStop hook, stop signal, and SIGKILL when the grace is over (at least kShortestStop after the
//    signal). Sidecars are stopped after all others, in reverse order.
// 4. The pod ends when no container runs and none may run again; when it was deleted; when its active deadline passed.
//    Its phase is final only when nothing of it runs any more. CleanUpPod is then the last action.
//
// A PodLifecycle that is made for a pod whose status says that containers ran goes on with those that still do
// (DetachedRun). The others count as lost with the former node: they ended with exit code 137 and reason NodeRestarted.
// A pod that fails by that has the condition DisruptionTarget, as one that was evicted: its controller makes it anew
// (control/volcano/cached_pod.h).
//
// Actions are given once; every start, hook and probe is answered by exactly one event, whatever happens.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/instant.h"
#include "control/node/local/container_state.h"
#include "control/node/local/pod_lifecycle_types.h"
#include "control/node/local/pod_run_spec.h"
#include "control/node/pod_status.h"
#include "kube/text/json.h"

namespace basalt::node {

inline constexpr Duration kShortestStop = Duration::seconds(2);
inline constexpr std::string_view kNodeRestarted = "NodeRestarted";  // reason of what was lost with a former node
inline constexpr Duration kForcedGrace = Duration::seconds(1);       // of a pod whose object is gone

struct PodLifecycleOptions {
  BackOffOptions back_off;
  // Between two tries to lay out volumes, or to start what could not be tried; doubled up to the second.
  Duration first_retry = Duration::millis(500), longest_retry = Duration::seconds(20);
};

// Readiness gates that are not satisfied by the pod's conditions, as sentences.
[[nodiscard]] std::vector<std::string> open_gates(const text::Object& pod, const std::vector<std::string>& gates);

class PodLifecycle {
 public:
  PodLifecycle(const text::Object& pod, PodLifecycleOptions options, Instant now,
               std::span<const DetachedRun> kept = {});

  // The object as it is now: it may have been deleted, its deadline or readiness gates may have changed.
  void observe(const text::Object& pod, Instant now);
  // The object is gone without our doing.
  void vanished(Instant now);
  void tell(const PodLifecycleEvent& news, Instant now);
  // Something that it may wait for has come: what was put off is tried at once.
  void try_again();

  [[nodiscard]] PodSyncResult advance(Instant now);
  // Without addresses.
  [[nodiscard]] PodStatusReport report() const;

  [[nodiscard]] const PodRunSpec& spec() const { return spec_; }
  // Every action is done, CleanUpPod was the last: only the object is left.
  [[nodiscard]] bool is_over() const { return stage_ == Stage::Over; }
  [[nodiscard]] bool has_volumes() const { return laid_out_ && stage_ == Stage::Open; }
  [[nodiscard]] bool is_deleted() const { return deleted_; }
  [[nodiscard]] const ContainerState& container(size_t index) const { return states_[index]; }

 private:
  enum class Stage : uint8_t { New, LayingOut, Blocked, Open, Over };

  void take(const VolumesReady& news, Instant now);
  void take(const VolumesFailed& news, Instant now);
  void take(const ContainerStarted& news, Instant now);
  void take(const ContainerStartFailed& news, Instant now);
  void take(const ContainerExited& news, Instant now);
  void take(const HookFinished& news, Instant now);
  void take(const ProbeFinished& news, Instant now);
  ContainerState* state_of(const RunId& id);  // nullptr: a run that is over

  void set_up_volumes(Instant now, PodSyncResult& result);
  void run_containers(Instant now, PodSyncResult& result);
  bool pass_init(size_t index, Instant now, PodSyncResult& result);
  void start_if_due(size_t index, Instant now, PodSyncResult& result);
  void watch_over(size_t index, Instant now, PodSyncResult& result);
  void settle(size_t index, Instant now, PodSyncResult& result);
  void make_probes(size_t index, Instant now, PodSyncResult& result);
  void drive_stop(size_t index, Instant now, PodSyncResult& result);
  [[nodiscard]] bool is_turn_to_stop(size_t index) const;

  void stop_container(size_t index, Duration grace, std::string why, Instant now);
  // From here on nothing is started. Containers that run are stopped.
  void end_pod(Duration grace, Instant now);
  [[nodiscard]] bool is_settled(size_t index) const;  // it is quiet and will not run again
  [[nodiscard]] bool all_quiet() const;
  void blame_restart(size_t index);  // the pod fails because of a container that was lost
  [[nodiscard]] Duration retry_delay(int64_t tries) const;
  [[nodiscard]] PodPhase phase() const;
  [[nodiscard]] std::string container_id(size_t index) const;
  [[nodiscard]] ContainerStatusReport report_of(size_t index) const;
  void adopt(const text::Object& pod, Instant now);
  void adopt_run(const DetachedRun& kept);
  void note(size_t container, bool warning, std::string reason, std::string message);

  PodRunSpec spec_;
  PodLifecycleOptions options_;
  std::vector<ContainerState> states_;  // one per container of spec_
  Stage stage_ = Stage::New;
  Instant start_ = kNever;  // when the node took the pod on
  Instant try_at_ = kNever;
  int64_t tries_ = 0;
  bool laid_out_ = false;     // volumes are there
  bool initialized_ = false;  // all init containers are through
  bool ending_ = false, deleted_ = false;
  std::optional<PodPhase> final_;  // the phase that the object had already, which it never leaves
  std::string reason_, message_;
  std::string blocked_;  // why its volumes could not be laid out, as long as they are not
  std::vector<std::string> open_gates_;
  int64_t generation_ = 0;
  std::vector<PodEventNote> notes_;  // for the next result
};

}  // namespace basalt::node
