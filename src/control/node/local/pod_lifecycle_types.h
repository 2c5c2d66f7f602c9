// The events that a PodLifecycle takes and the actions that it answers, as plain data.
//
// A container is named by its index in PodRunSpec::containers, and a run of it by a number that rises with every start:
// events of a run that is over are ignored, so no action has to be taken back.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/instant.h"
#include "control/node/local/pod_run_spec.h"

namespace basalt::node {

struct RunId {
  size_t container = 0;
  uint32_t run = 0;
  friend auto operator<=>(const RunId&, const RunId&) = default;
};

enum class LifecycleHook : uint8_t { PostStart, PreStop };

// News.
struct VolumesReady {};
struct VolumesFailed {
  std::string message;  // for people
};
struct ContainerStarted {
  RunId id;
};
// `configuration`: nothing was started because something that it needs is not there (yet): it is tried again and is no
// run. Otherwise the run ended before it began.
struct ContainerStartFailed {
  RunId id;
  bool configuration = false;
  std::string reason, message;  // CreateContainerConfigError, StartError, …
};
struct ContainerExited {
  RunId id;
  int64_t code = 0, signal = 0;  // signal: that killed it; 0: it ended by itself
  bool out_of_memory = false;
  Instant at = kNever;  // when, if that is not now
  std::string message;  // the termination message
};
struct HookFinished {
  RunId id;
  LifecycleHook hook = LifecycleHook::PostStart;
  bool good = false;
  std::string message;  // why not
};
struct ProbeFinished {
  RunId id;
  ProbeKind kind = ProbeKind::Liveness;
  bool good = false;
  std::string message;  // why not
};
using PodLifecycleEvent = std::variant<VolumesReady, VolumesFailed, ContainerStarted, ContainerStartFailed,
                                       ContainerExited, HookFinished, ProbeFinished>;

// A container of a pod that a former node left running.
struct DetachedRun {
  std::string container;
  int64_t restarts = 0;
  Instant started = kNever;
  std::vector<int> devices;  // that it has
};

// Orders.
struct SetUpVolumes {};
struct StartContainer {
  RunId id;
  int64_t restarts = 0;  // of the container, this start included
};
struct SendSignal {
  RunId id;
  int signal = 0;
};
struct RunHook {
  RunId id;
  LifecycleHook hook = LifecycleHook::PostStart;
  Duration longest{};
};
struct RunProbe {
  RunId id;
  ProbeKind kind = ProbeKind::Liveness;
};
// The last order: volumes, address and devices are given back. Nothing of the pod runs.
struct CleanUpPod {};
using PodAction = std::variant<SetUpVolumes, StartContainer, SendSignal, RunHook, RunProbe, CleanUpPod>;

// Something to tell people, as an event on the pod.
struct PodEventNote {
  static constexpr size_t kWholePod = SIZE_MAX;
  size_t container = kWholePod;
  bool warning = false;
  std::string reason, message;
};

// What is to be done now, and when to look again though nothing happens.
struct PodSyncResult {
  std::vector<PodAction> actions;
  std::vector<PodEventNote> notes;
  Instant again = kNever;

  void look_again(Instant at) {
    if (at.is_set() && (!again.is_set() || at < again)) again = at;
  }
};

}  // namespace basalt::node
