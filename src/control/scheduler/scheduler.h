// The scheduler, running: watch events go into a ClusterState, cycles run on it, decisions become writes.
//
//   watch events ─► state::StateUpdater ─► ClusterState ─► engine::run_cycle ─► CycleOutput ─► WriteQueue ─► API
//                        ▲                                                                        │ answers
//                        └─────────────── WriteRecovery: a bind that failed or is unsure ◄────────┘
//
// 1. The state lives across cycles. A bound task counts on its node from the decision on (assumed) until the API
//    confirms it; a bind that is refused is taken back, one of unknown outcome is settled by reading the pod.
// 2. Nothing is decided before every followed kind was listed once. A broken watch is mended by a list whose
//    difference is applied: the state is never thrown away.
// 3. A cycle runs when something happened, after a short window in which more may come (`window`) and a pause that
//    leaves time for all else (kCycleShare), and at the latest after `period`. Writes are sent without waiting for
//    their answers, at most kMaxWritesUnderWay at a time.
// 4. With an in-memory server and step(), everything is deterministic.
//
// Threads: step(), next_due() and state() by one thread at a time. Either the owner calls step() (simulation, tests),
// or start() lets a thread of its own do it. metrics_text() may be called from any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "base/severity.h"
#include "control/loop/loop_health.h"
#include "control/scheduler/state/conf.h"
#include "control/scheduler/state/state_updater.h"
#include "kube/client/object_client.h"
#include "kube/text/json.h"

namespace basalt::scheduler {

inline constexpr size_t kMaxWritesUnderWay = 2'000;
inline constexpr Duration kUsualPatience = Duration::seconds(1);
inline constexpr size_t kMaxDumpsAsked = 4;

using LogFunction = std::function<void(Severity severity, const std::string& line)>;  // from the scheduler's thread

struct SchedulerOptions {
  std::function<Instant()> clock;  // for start(); may be empty otherwise
  state::StateOptions updater;
  Duration period = Duration::seconds(1);  // the longest time between two cycles
  Duration window = Duration::millis(2);   // how long a cycle waits for more changes after the first
  // How long it is not written that a pod or a gang waits: what is placed before costs no such writes.
  Duration patience;
  Duration self_check = Duration::seconds(60);  // between two comparisons with a rebuild; 0: never
  // Where the policy comes from, looked at again when it changes. The file wins; a conf that does not load changes
  // nothing and is told in the log. Neither there: the built-in default.
  std::string conf_file;      // "": none
  bool conf_required = true;  // a file that does not load is an error of make(); else it is told, and may come later
  // The ConfigMap of the conf, its key *.conf; "": none. With a file it is only told (events) what became of that.
  std::string conf_map = "volcano-system/volcano-scheduler-configmap";
  bool shows_conf = false;  // with a file: the ConfigMap's text is set to that of the file, once it is in force
  // Plugins and actions that Volcano has and we do not: left out with a warning, or the conf is refused.
  state::Unsupported unsupported = state::Unsupported::Skip;
  bool gate_queue_admission = false;  // see state::ActivePolicy
  uint64_t seed = 1;
  LogFunction log;  // may be empty
};

struct SchedulerCounters {
  uint64_t cycles = 0, skipped = 0;  // skipped: cycles that found nothing changed
  uint64_t binds = 0, evictions = 0, status_writes = 0, events = 0;
  uint64_t refused = 0, unsure = 0;  // writes that the API refused; of unknown outcome
  uint64_t self_checks = 0, differences = 0;
  uint64_t bad_objects = 0;  // objects that could not be read, at this moment not in the state as they are
};

class Scheduler {
 public:
  // An error is about conf_file. Requires: `client` outlives it.
  static Result<std::unique_ptr<Scheduler>> make(client::ObjectClient& client, SchedulerOptions options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void step(Instant now);  // takes changes and does everything that is due
  // When step() has something to do though nothing changes; nothing: never.
  [[nodiscard]] std::optional<Instant> next_due() const;

  void start();
  void stop();  // and wait for it; no write is under way afterwards

  [[nodiscard]] SchedulerCounters counters() const;
  [[nodiscard]] const model::ClusterState& state() const;  // Requires: as step()
  // Prometheus text with Volcano's names; bounded in size. From any thread.
  [[nodiscard]] std::string metrics_text() const;
  [[nodiscard]] const loop::LoopHealth& health() const;  // from any thread

  // The state for people (state_dump.h), made by the scheduler's thread before its next step. From any thread; at most
  // kMaxDumpsAsked wait, more are dropped.
  struct Dump {
    text::Value state;
    std::vector<std::string> lines;
  };
  void ask_dump(std::function<void(const Dump&)> done);

 private:
  class SchedulerLoop;
  explicit Scheduler(std::unique_ptr<SchedulerLoop> loop);
  std::unique_ptr<SchedulerLoop> loop_;
};

}  // namespace basalt::scheduler
