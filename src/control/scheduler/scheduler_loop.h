// The scheduler's part of its loop: what a turn of the ControlLoop does.
//
// A turn: the completed writes; what is due by the clock; a cycle, if it is time; what came of all that is sent.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/rng.h"
#include "control/loop/control_loop.h"
#include "control/loop/event_recorder.h"
#include "control/scheduler/background_rebuild.h"
#include "control/scheduler/conf_map_notes.h"
#include "control/scheduler/conf_source.h"
#include "control/scheduler/event_queue.h"
#include "control/scheduler/group_writes.h"
#include "control/scheduler/job_templates.h"
#include "control/scheduler/pod_writes.h"
#include "control/scheduler/queue_writes.h"
#include "control/scheduler/scheduler.h"
#include "control/scheduler/scheduler_cache.h"
#include "control/scheduler/scheduler_metrics.h"
#include "control/scheduler/state/active_policy.h"
#include "control/scheduler/wait_writes.h"
#include "control/scheduler/write_queue.h"
#include "control/scheduler/write_recovery.h"

namespace basalt::scheduler {

inline constexpr size_t kMaxDecisionsWaiting = 20'000;  // no cycle runs while more wait to be sent
// Cycles take at most a twentieth of the time when changes keep coming; the first after a rest runs at once.
inline constexpr int64_t kCycleShare = 20;
inline constexpr Duration kLongestPause = Duration::millis(100);
inline constexpr Duration kRecheckAfter = Duration::seconds(10);  // differences that wait for their confirmation

class Scheduler::SchedulerLoop : public loop::LoopWork {
 public:
  SchedulerLoop(client::ObjectClient& client, SchedulerOptions options);
  ~SchedulerLoop() override;
  SchedulerLoop(const SchedulerLoop&) = delete;
  SchedulerLoop& operator=(const SchedulerLoop&) = delete;

  Result<void> load_conf();
  void stop();
  [[nodiscard]] loop::ControlLoop& kernel() { return kernel_; }
  [[nodiscard]] SchedulerCounters counters() const;
  [[nodiscard]] const model::ClusterState& state() const { return state_; }
  [[nodiscard]] std::string metrics_text() const { return metrics_.text(); }
  void ask_dump(std::function<void(const Dump&)> done);

  void object_changed(loop::KindId kind, const client::ObjectPtr& object, Source source, Instant now) override;
  void object_deleted(loop::KindId kind, const text::Object& last, Instant now) override;
  void object_gone(loop::KindId kind, const std::string& key, Instant now) override;
  [[nodiscard]] std::vector<std::string> keys(loop::KindId kind) const override;
  bool turn(Instant now, bool heard) override;
  [[nodiscard]] std::optional<Instant> work_due() const override;
  void before_step(Instant now) override { answer_dumps(now); }
  void after_step() override;

 private:
  void answer_dumps(Instant now);

  // scheduler_loop_events.cc: what comes in
  void learn(SchedulerKind kind, const client::ObjectPtr& object, SchedulerCache::Source source, Instant now);
  void forget(SchedulerKind kind, const std::string& key, Instant now);
  bool take_answers(Instant now, CycleOutput& out);  // false: there were none
  void take_answer(const CompletedWrite& answer, Instant now, CycleOutput& out);
  void bind_ended(const CompletedWrite& answer, OutcomeKind end, Instant now, CycleOutput& out);
  void complain(std::string line);
  void policy_changed(Instant now);
  void tell_policy(const text::Object& conf_map, Instant now);  // events about the ConfigMap
  void tell_file_policy(Instant now, CycleOutput& out);         // the same about a conf file
  void count_policy();
  void count(const CompletedWrite& answer);

  // scheduler_loop_cycle.cc: what goes out
  [[nodiscard]] std::optional<Instant> cycle_due() const;
  bool cycle_if_due(Instant now, CycleOutput& out);
  void cycle(Instant now, CycleOutput& out);
  void notice_change(CycleTrigger why, Instant now);
  void make_missing_queues(Instant now, CycleOutput& out);
  bool self_check(Instant now);
  void judge(BackgroundRebuild::Rebuilt rebuilt, Instant now);
  void post(CycleOutput written, Instant now);
  void send_events(Instant now);

  void log(Severity severity, const std::string& line) const {
    if (options_.log) options_.log(severity, line);
  }

  client::ObjectClient& client_;
  SchedulerOptions options_;
  std::string name_;  // of this scheduler, in conditions and events
  loop::ControlLoop kernel_;
  model::ClusterState state_;
  state::ActivePolicy policy_;
  ConfSource conf_;
  ConfMapNotes conf_notes_;
  SchedulerMetrics metrics_;
  CycleClock clock_;
  SchedulerCache cache_;
  WriteRecovery recovery_;
  GroupWrites groups_;
  PodWrites pods_;
  JobTemplates templates_;
  WaitWrites waits_;
  QueueWrites queues_;
  loop::EventRecorder events_;
  WriteQueue write_queue_;
  EventQueue event_queue_;
  BackgroundRebuild rebuild_;
  SelfCheck self_check_;
  Rng rng_, ids_;          // ids_: of cycles; they must not move what is decided
  std::string complaint_;  // the first of this turn
  size_t complaints_ = 0;

  bool queues_made_ = false;
  Instant queues_at_;           // when they are tried again; kNever: at once
  uint64_t cycle_version_ = 0;  // of the state, when the last cycle ended
  Instant last_cycle_;          // kNever: none yet
  Instant changed_at_;          // since when a cycle is wanted; kNever: it is not
  CycleTrigger trigger_ = CycleTrigger::Change;
  Instant next_cycle_;    // not before; kNever: whenever
  bool resting_ = false;  // the last cycle found that only a change makes a difference
  Instant next_check_, check_began_;

  std::mutex dumps_mutex_;
  std::vector<std::function<void(const Dump&)>> dumps_;  // asked for

  std::pair<uint64_t, bool> counted_policy_;  // generation and refusal, as the metrics have them
  SchedulerCounters working_;
  mutable std::mutex counters_mutex_;
  SchedulerCounters counters_;  // as of the end of the last step
};

}  // namespace basalt::scheduler
