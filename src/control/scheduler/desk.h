// The scheduler's working place: everything of one scheduler, and the order in which it is done.
//
// A turn: lists that are due; news; answers; what is due by the clock; a cycle, if it is time; what came of all that is
// sent. Turns follow each other within a step() until one has nothing to do.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/rng.h"
#include "control/loop/event_log.h"
#include "control/loop/object_feed.h"
#include "control/loop/relist.h"
#include "control/scheduler/check_run.h"
#include "control/scheduler/conf_source.h"
#include "control/scheduler/event_pace.h"
#include "control/scheduler/group_writes.h"
#include "control/scheduler/metrics.h"
#include "control/scheduler/outbox.h"
#include "control/scheduler/picture.h"
#include "control/scheduler/pod_writes.h"
#include "control/scheduler/queue_writes.h"
#include "control/scheduler/repair.h"
#include "control/scheduler/scheduler.h"
#include "control/scheduler/state/active_policy.h"
#include "control/scheduler/waits.h"

namespace basalt::scheduler {

inline constexpr size_t kMaxTurnsPerStep = 2'000;       // what is left then is due at once, in the next step
inline constexpr size_t kMaxDecisionsWaiting = 20'000;  // no cycle runs while more wait to be sent
// Cycles take at most a twentieth of the time when news keep coming; the first after a rest runs at once.
inline constexpr int64_t kCycleShare = 20;
inline constexpr Duration kLongestPause = Duration::millis(100);
inline constexpr Duration kRecheckAfter = Duration::seconds(10);  // differences that wait for their confirmation

class Scheduler::Desk {
 public:
  Desk(client::ObjectClient& client, SchedulerOptions options);
  ~Desk();
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  Result<void> load_conf();
  void step(Instant now);
  [[nodiscard]] std::optional<Instant> next_due() const;
  void start();
  void stop();
  [[nodiscard]] SchedulerFigures figures() const;
  [[nodiscard]] const model::ClusterState& state() const { return state_; }
  [[nodiscard]] std::string metrics_text() const { return metrics_.text(); }
  [[nodiscard]] const loop::Pulse& pulse() const { return pulse_; }
  void ask_dump(std::function<void(const Dump&)> done);

 private:
  void run();
  bool turn(Instant now);
  void tell_awaited();
  void answer_dumps(Instant now);
  [[nodiscard]] bool is_synced() const { return feed_.synced().size() == followed_; }

  // desk_news.cc: what comes in
  void take_list(const loop::ObjectFeed::Listed& listed, Instant now);
  void take_event(const loop::ObjectFeed::News& news, Instant now);
  void learn(Kind kind, const client::ObjectPtr& object, Picture::Source source, Instant now);
  void forget(Kind kind, const std::string& key, Instant now);
  bool take_answers(Instant now, Written& out);  // false: there were none
  void take_answer(const Answer& answer, Instant now, Written& out);
  void bind_ended(const Answer& answer, End end, Instant now, Written& out);
  void complain(std::string line);
  void policy_changed(Instant now);
  void tell_policy(const text::Object& conf_map, Instant now);  // events about the ConfigMap
  void count_policy();
  void count(const Answer& answer);

  // desk_cycle.cc: what goes out
  [[nodiscard]] std::optional<Instant> cycle_due() const;
  bool cycle_if_due(Instant now, Written& out);
  void cycle(Instant now, Written& out);
  void notice_change(Wake why, Instant now);
  void make_missing_queues(Instant now, Written& out);
  bool self_check(Instant now);
  void judge(CheckRun::Rebuilt rebuilt, Instant now);
  void post(Written written, Instant now);
  void tell_events(Instant now);

  void log(Severity severity, const std::string& line) const {
    if (options_.log) options_.log(severity, line);
  }

  client::ObjectClient& client_;
  SchedulerOptions options_;
  std::string name_;  // of this scheduler, in conditions and events
  loop::Bell bell_;
  model::ClusterState state_;
  state::ActivePolicy policy_;
  ConfSource conf_;
  Metrics metrics_;
  CycleClock clock_;
  Picture picture_;
  Repair repair_;
  GroupWrites groups_;
  PodWrites pods_;
  Waits waits_;
  QueueWrites queues_;
  loop::EventLog events_;
  loop::ObjectFeed feed_;
  loop::Relist relist_;
  Outbox outbox_;
  EventPace pace_;
  CheckRun check_run_;
  SelfCheck self_check_;
  Rng rng_, ids_;  // ids_: of cycles; they must not move what is decided
  size_t followed_ = 0;
  std::string complaint_;  // the first of this turn
  size_t complaints_ = 0;

  Instant now_;
  bool queues_made_ = false;
  Instant queues_at_;           // when they are tried again; kNever: at once
  uint64_t cycle_version_ = 0;  // of the state, when the last cycle ended
  Instant last_cycle_;          // kNever: none yet
  Instant changed_at_;          // since when a cycle is wanted; kNever: it is not
  Wake wake_ = Wake::News;
  Instant next_cycle_;    // not before; kNever: whenever
  bool resting_ = false;  // the last cycle found that only a change makes a difference
  Instant next_check_, check_began_;

  loop::Pulse pulse_;
  bool knows_all_ = false;
  std::mutex dumps_mutex_;
  std::vector<std::function<void(const Dump&)>> dumps_;  // asked for

  std::pair<uint64_t, bool> counted_policy_;  // generation and refusal, as the metrics have them
  SchedulerFigures working_;
  mutable std::mutex figures_mutex_;
  SchedulerFigures figures_;  // as of the end of the last step
  std::atomic<bool> stopping_ = false;
  bool in_thread_ = false;
  std::thread thread_;
};

}  // namespace basalt::scheduler
