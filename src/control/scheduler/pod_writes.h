// Why pods wait: PodScheduled=False with Volcano's words, and the node that a pod is nominated to.
//
// 1. Written when it differs from what the pod says: a nomination at once, the first reason after `patience` (most pods
//    have a node by then and are never written), another reason at most every kPodReasonEvery for each pod, a message
//    alone, which often only counts nodes, every kPodMessageEvery. The last one is never lost, also when its write
//    fails.
// 2. Each write is accompanied by an event FailedScheduling.
// 3. Where the cycle found nothing about the pod itself, its gang's sentence is its own: it has a place and its gang
// has
//    not, it was not tried, or its gang was not let in, so that no cycle looks at it. Such a pod is Unschedulable like
//    the others: autoscalers see it. There may be thousands of these: their writes are rate-limited (kGangWordsRate),
//    and while the gang is not let in, numbers that move are renewed every kGangNumbersEvery only; the group and the
//    job have them sooner.
// 4. The patch names the condition only: those of others stay, and so does the time when the pod began to wait.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

#include "control/loop/work_queue.h"
#include "control/scheduler/cycle_output.h"
#include "control/scheduler/scheduler_cache.h"
#include "control/scheduler/state/report_text.h"
#include "control/scheduler/status_budget.h"
#include "engine/core/decisions.h"

namespace basalt::scheduler {

inline constexpr Duration kPodMessageEvery = Duration::seconds(30);
inline constexpr Duration kPodReasonEvery =
    Duration::seconds(5);  // gangs at the border of fitting flip with each cycle
inline constexpr Duration kGangNumbersEvery = Duration::seconds(300);
inline constexpr StatusBudget::Options kGangWordsRate{.per_second = 100, .credit = 500, .rest = Duration::seconds(1)};

class PodWrites {
 public:
  // Requires: both outlive it.
  PodWrites(const model::ClusterState& state, SchedulerCache& cache, Duration patience)
      : state_(state), cache_(cache), patience_(patience) {}

  // The waiting tasks of a report. Cost: O(tasks in it).
  void report(const engine::CycleReport& report, const state::ReportText& text, Instant now, CycleOutput& out);
  // The job waits as its condition Waiting says: for its pods that have nothing of their own to say. Again with nothing
  // new: nothing. Cost: O(pods of the job).
  void tell_wait(model::JobId job, Instant now);
  // A bind was refused: `why` in the API's words.
  void bind_refused(const PendingWrite& bind, const std::string& why, Instant now, CycleOutput& out);
  // The room that this pod was to get is not coming. Volcano's rules let a nominated pod wait without evicting others;
  // without its nomination it may look for another way.
  void withdraw_nomination(const std::string& key, Instant now, CycleOutput& out);
  // A write of words or the withdrawal of a nomination has ended. Failed: tried again, later and later.
  void answered(const PendingWrite& write, bool good, Instant now);
  // What was put off and is due.
  void write_due(Instant now, CycleOutput& out);
  [[nodiscard]] std::optional<Instant> next_due() const;

 private:
  // A text with its marks: tasks of one class share it.
  struct Words {
    state::PodCondition condition;
    uint64_t reason = 0, message = 0;
    uint64_t gang_reason = 0;  // of words of the gang: why it waits
  };
  // Where Volcano would say Schedulable of a pod that could be placed if only its gang could, autoscalers would not see
  // it: it says Unschedulable. Where Volcano only counts the gang's pods, too, it says why the gang waits.
  Words words_about(const engine::JobReport& job, const engine::TaskReport& task, const state::ReportText& text) const;
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
    bool withdraw = false;      // no words: the nomination is to go
    bool by_allowance = false;  // kGangWordsRate
    bool parked = false;        // it is due, and waits in gang_words_
  };
  // What was put off, now.
  void write_delayed(const std::string& key, const DelayedWrite& later, Instant now, CycleOutput& out);

  std::unordered_map<std::string, DelayedWrite> delayed_;  // by key; at most one for each pod
  loop::WorkQueue due_;                                    // keys of delayed_, some of them written meanwhile
  std::deque<std::string> gang_words_;                     // the same, of what is parked; the oldest first
  StatusBudget gang_budget_{kGangWordsRate};
};

}  // namespace basalt::scheduler
