// One container of a pod: its phase, how its runs ended, how long it waits between them. Pure data with
// the few steps that keep it in order; PodLifecycle decides when a step is made.
//
//   Waiting ─begin()─► Starting ─started()─► Settling ─(postStart done)─► Running
//      ▲                  │                     │                            │
//      └──── not_yet() ───┘                     └──────── ended() ───────────┴──► Ended ─begin()─► Starting …
//
// Settling: the process is there, its postStart hook is not done. A stop is under way beside that, from begin_stop()
// until the run has ended.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/instant.h"
#include "control/node/local/pod_run_spec.h"
#include "control/node/local/probe_tracker.h"
#include "control/node/pod_status.h"

namespace basalt::node {

// How long a container waits between its runs. The first restart is at once.
struct BackOffOptions {
  Duration first = Duration::seconds(10), longest = Duration::seconds(300);
  Duration good_run = Duration::seconds(600);  // a run that lasted longer resets the back-off
};

enum class ContainerPhase : uint8_t { Waiting, Starting, Settling, Running, Ended };

struct ContainerStop {
  Instant by;  // the grace is over
  bool hook_sent = false, hook_done = false;
  Instant hook_until = kNever;  // a sleep
  bool asked = false;           // the stop signal was sent
  Instant kill_at = kNever;
  bool killed = false;
};

struct ContainerState {
  ContainerPhase phase = ContainerPhase::Waiting;
  uint32_t run = 0;  // of the last start order
  int64_t restarts = 0;
  std::string waiting_reason, waiting_message;  // Waiting because of a configuration error; "" otherwise
  Instant try_at = kNever;                      // Waiting so: not earlier
  int64_t tries = 0;
  Instant started = kNever;
  bool hook_sent = false;
  Instant hook_until = kNever;  // a postStart sleep
  std::optional<ContainerStop> stop;
  std::optional<Terminated> end;   // there if, and only if, ContainerPhase::Ended
  std::optional<Terminated> last;  // how the run before this one ended
  bool back_off_reported = false;  // that it waits was told
  bool lost = false;               // its end is that the node was restarted
  std::array<ProbeTracker, 3> probes;

  [[nodiscard]] bool has_process() const {
    return phase == ContainerPhase::Settling || phase == ContainerPhase::Running;
  }
  // Nothing of it runs, and no start is under way.
  [[nodiscard]] bool is_quiet() const { return phase == ContainerPhase::Waiting || phase == ContainerPhase::Ended; }
  [[nodiscard]] ProbeTracker& probe(ProbeKind kind) { return probes[static_cast<size_t>(kind)]; }
  [[nodiscard]] const ProbeTracker& probe(ProbeKind kind) const { return probes[static_cast<size_t>(kind)]; }

  // Runs, and its startup probe (if any) is content.
  [[nodiscard]] bool has_started(const ContainerRunSpec& spec) const;
  [[nodiscard]] bool is_ready(const ContainerRunSpec& spec) const;

  // When it may start (again). Requires: is_quiet().
  [[nodiscard]] Instant may_start_at(const BackOffOptions& options) const;
  [[nodiscard]] Duration back_off() const { return back_off_; }

  // A start was ordered. Requires: is_quiet().
  void begin(Instant now, const BackOffOptions& options);
  void has_begun(Instant now);  // the process is there
  // The start could not be tried; again at `at`.
  void not_yet(std::string reason, std::string message, Instant at);
  void ended(Terminated how);
  void begin_stop(Instant now, Duration grace);

 private:
  [[nodiscard]] bool is_forgiven(const BackOffOptions& options) const;

  Duration back_off_{};  // before the next start; 0: none yet
  Instant back_off_set_ = kNever;
};

}  // namespace basalt::node
