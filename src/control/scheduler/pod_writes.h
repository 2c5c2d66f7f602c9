// Why pods wait: PodScheduled=False with Volcano's words, and the node that a pod is nominated to.
//
// 1. Written when it differs from what the pod says: a nomination at once, the first reason after `patience` (most pods
//    have a node by then and are never written), another reason at most every kPodReasonEvery for each
//    pod, a message alone, which often only counts nodes, every kPodMessageEvery. The last one is never lost, also when
//    its write fails.
// 2. Each write is accompanied by an event FailedScheduling.
// 3. A pod that has a place but whose gang has not is Unschedulable like the others, with the gang's sentence.
// 4. The patch names the condition only: those of others stay, and so does the time when the pod began to wait.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "control/loop/work_queue.h"
#include "control/scheduler/cycle_output.h"
#include "control/scheduler/scheduler_cache.h"
#include "control/scheduler/state/report_text.h"
#include "engine/core/decisions.h"

namespace basalt::scheduler {

inline constexpr Duration kPodMessageEvery = Duration::seconds(30);
inline constexpr Duration kPodReasonEvery =
    Duration::seconds(5);  // gangs at the border of fitting flip with each cycle

class PodWrites {
 public:
  // Requires: both outlive it.
  PodWrites(const model::ClusterState& state, SchedulerCache& cache, Duration patience)
      : state_(state), cache_(cache), patience_(patience) {}

  // The waiting tasks of a report. Cost: O(tasks in it).
  void report(const engine::CycleReport& report, const state::ReportText& text, Instant now, CycleOutput& out);
  // The sentence of the job's condition Waiting has changed. Cost: O(pods of the job).
  void tell_wait(model::JobId job, Instant now, CycleOutput& out);
  // A bind was refused: `why` in the API's words.
  void bind_refused(const PendingWrite& bind, const std::string& why, Instant now, CycleOutput& out);
  // The room that this pod was to get is not coming. Volcano's rules let a nominated pod wait without evicting others;
  // without its nomination it may look for another way.
  void withdraw_nomination(const std::string& key, Instant now, CycleOutput& out);
  // A write of words or the withdrawal of a nomination has ended. Failed: tried again, later and later.
  void answered(const PendingWrite& write, bool good, Instant now);
  // What was put off and is due.
  void write_due(Instant now, CycleOutput& out);
  [[nodiscard]] std::optional<Instant> next_due() const { return due_.next_due(); }

 private:
  // A text with its marks: tasks of one class share it.
  struct Words {
    state::PodCondition condition;
    uint64_t reason = 0, message = 0;
  };
  // Where Volcano would say Schedulable of a pod that could be placed if only its gang could, autoscalers would not see
  // it: it says Unschedulable, and why the gang waits.
  state::PodCondition condition_of(const engine::JobReport& job, const engine::TaskReport& task,
                                   const state::ReportText& text);
  static Words words_of(state::PodCondition condition);

  enum class Urgency : uint8_t { None, Nominate, Urgent };
  void say(std::string key, PodRow& row, const Words& words, Urgency urgency, Instant now, CycleOutput& out);
  void write(const std::string& key, PodRow& row, const Words& words, bool nominate, Instant now, CycleOutput& out);

  const model::ClusterState& state_;
  SchedulerCache& cache_;
  Duration patience_;
  struct DelayedWrite {
    std::string uid;
    Words words;
    bool withdraw = false;  // no words: the nomination is to go
  };
  std::unordered_map<std::string, DelayedWrite> delayed_;  // by key; at most one for each pod
  loop::WorkQueue due_;                                    // keys of delayed_, some of them written meanwhile
};

}  // namespace basalt::scheduler
