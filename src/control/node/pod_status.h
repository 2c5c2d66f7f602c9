// What an agent reports about a pod: the pure building blocks of its status, for every runtime.
//
//   PodStatusReport report{…};                        what is so now
//   report.phase = phase_of(report, policy);
//   plan.write(report_call(pod, report, seen_conditions(pod_view.status()), now));
//
// The report goes out as a strategic merge patch of the status, as a kubelet sends it: conditions are merged by their
// type, so those of others (PodScheduled, readiness gates) stay as they are, and nobody has to keep them. A condition
// whose status does not change keeps its lastTransitionTime: it is left out of the patch. The words agree with what
// `kubectl get pods` makes of them (kube/api/pod_summary.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/instant.h"
#include "control/loop/api_writes.h"
#include "kube/api/call.h"
#include "kube/api/pod_phase.h"
#include "kube/text/json.h"

namespace basalt::api {
class PodStatusView;
}

namespace basalt::node {

inline constexpr size_t kMaxContainers = 1'000;  // of a pod, that are read; the API server bounds objects by size

using api::PodPhase;
// What an agent never reports ("Unknown", "") reads as Pending.
[[nodiscard]] PodPhase parse_pod_phase(std::string_view text);

enum class RestartPolicy : uint8_t { Always, OnFailure, Never };
[[nodiscard]] RestartPolicy parse_restart_policy(std::string_view text);  // "" and what is unknown: Always
[[nodiscard]] bool may_restart(RestartPolicy policy, int64_t exit_code);

struct Waiting {
  std::string reason, message;  // ContainerCreating, PodInitializing, CrashLoopBackOff, …
};
struct Running {
  Instant started;
};
struct Terminated {
  int64_t exit_code = 0, signal = 0;
  std::string reason, message;  // reason "": Completed, or Error where the exit code is not 0
  Instant started, finished;
  std::string container_id;
};

struct ContainerStatusReport {
  std::string name, image, image_id, container_id;
  std::variant<Waiting, Running, Terminated> state;
  std::optional<Terminated> last;  // how the run before this one ended
  int64_t restarts = 0;
  bool ready = false;    // an init container: it completed
  bool started = false;  // running, and its startup probe is content
  bool sidecar = false;  // an init container that goes on running (restartPolicy Always)
};

struct PodStatusReport {
  PodPhase phase = PodPhase::Pending;
  std::string reason, message;  // of the pod: DeadlineExceeded, NodeRestarted, …
  std::string host_ip, pod_ip;
  Instant start;                   // when the agent took the pod on
  bool sandbox = false;            // volumes and network are there, containers may start
  bool disrupted = false;          // it failed by no fault of its own, as `reason` says: condition DisruptionTarget
  std::vector<std::string> gates;  // readiness gates that are not satisfied, as sentences; they keep Ready False
  int64_t generation = 0;          // metadata.generation that this is about; 0: not told
  std::vector<ContainerStatusReport> init, main;
};

// The phase that follows from the containers, as a kubelet has it: Pending until all main containers have started once,
// ended when all have ended and none may restart.
[[nodiscard]] PodPhase phase_of(const PodStatusReport& report, RestartPolicy policy);

// What the pod's status says about an agent's conditions already.
struct SeenConditions {
  enum class Status : uint8_t { Absent, False, True };
  struct One {
    Status status = Status::Absent;
    bool worded = false;  // it has a reason or a message
  };
  std::array<One, 5> of{};  // PodReadyToStartContainers, Initialized, ContainersReady, Ready, DisruptionTarget
};
[[nodiscard]] SeenConditions seen_conditions(api::PodStatusView status);

// The members of `status` for a strategic merge patch.
[[nodiscard]] text::Object status_patch(const PodStatusReport& report, const SeenConditions& seen, Instant now);
// The write. Holds for the pod with this uid, at whatever version: only its agent writes these members.
[[nodiscard]] api::Call report_call(const loop::WriteTarget& pod, const PodStatusReport& report,
                                    const SeenConditions& seen, Instant now);
// The pod's end: its containers are gone, so the object may go. Holds for the pod with this uid.
[[nodiscard]] api::Call final_delete_call(const loop::WriteTarget& pod);

[[nodiscard]] text::Object container_status(const ContainerStatusReport& report);

// How long a container waits after its `restarts`-th restart ended before it starts again: the first restart is at
// once, the second 10 s later, then doubling up to 5 minutes; a run of more than 10 minutes resets the delay.
[[nodiscard]] Duration back_off(int64_t restarts, Duration last_run);
// state.waiting of a container that waits so.
[[nodiscard]] Waiting crash_loop(Duration delay, std::string_view container, const loop::WriteTarget& pod);

}  // namespace basalt::node
