// PodGroup status: phase, counters and conditions, written when they changed in meaning.
//
// 1. A phase that somebody waits for (Inqueue, which lets a controller make the missing pods) is written at once for a
//    vcjob, and for others unless the pods come within kWaitForPods: most do not wait for it. Other phases, counters,
//    and the type, status or reason of a condition wait for `patience`: a gang that is complete a moment later costs
//    one write. That it has its nodes is rate-limited while binds are pending (status_budget.h), and written after
//    kReadyStatusWait at the latest: nobody acts on it, and the write costs a server more than a bind. A message alone,
//    which often only counts something that moves, is written at most every kGroupMessageEvery. The last one is never
//    lost.
// 2. Volcano's PodGroups have no status subresource; the patch names members of the status only.
// 3. A condition that says something new carries the cycle's id and time; others keep theirs.
// 4. The condition Waiting is ours: why the gang waits, with numbers (control/scheduler/state/wait_text.h). It turns
//    False in the write that says that the gang has its nodes.
// 5. What is or will be written is put into the state (ClusterState::set_job_status), so the next cycle compares with
//    it. A write that failed is undone by reading the object; the next cycle then writes again.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/rng.h"
#include "control/loop/work_queue.h"
#include "control/scheduler/cycle_output.h"
#include "control/scheduler/scheduler_cache.h"
#include "control/scheduler/state/report_text.h"
#include "control/scheduler/state/wait_text.h"
#include "control/scheduler/status_budget.h"
#include "engine/core/decisions.h"

namespace basalt::scheduler {

inline constexpr Duration kGroupMessageEvery = Duration::seconds(5);
inline constexpr Duration kReadyStatusWait = Duration::seconds(60);
inline constexpr StatusBudget::Options kReadyStatusRate{.per_second = 20, .credit = 100, .rest = Duration::seconds(1)};
inline constexpr Duration kWaitForPods = Duration::millis(200);

class GroupWrites {
 public:
  // Requires: both outlive it.
  GroupWrites(model::ClusterState& state, SchedulerCache& cache, Duration patience)
      : state_(state), cache_(cache), patience_(patience) {}

  // The jobs and refusals of a report. `ids`: where the transitionID of conditions comes from. Cost: O(report).
  void report(const engine::CycleReport& report, const state::ReportText& text, Rng& ids, Instant now,
              CycleOutput& out);
  // Why the job waits, as the condition Waiting; nothing: it no longer does, and the condition says so, if it is there.
  void tell_wait(model::JobId job, const std::optional<state::Wait>& wait, Rng& ids, Instant now, CycleOutput& out);
  // Its group is a vcjob's.
  [[nodiscard]] bool is_of_job(std::string_view key) const;
  // Decisions are on their way.
  void busy(Instant now) { budget_.busy(now); }
  // What was put off and is due.
  void write_due(Instant now, CycleOutput& out);
  [[nodiscard]] std::optional<Instant> next_due() const;

 private:
  struct DelayedWrite {
    std::string uid;
    model::PodGroupStatus status;
    std::optional<PendingEvent> pending_event;
    Instant since, due;         // when the first of what this write says came up, and when it is written
    bool only_message = false;  // of conditions; all else is as written
    bool awaited = false;       // a controller makes pods once it reads this
    bool good = false;          // the gang has its nodes
    bool parked = false;        // it is due, and waits in ready_waiting_
  };

  using Table = std::unordered_map<std::string, DelayedWrite>;

  void report_job(const engine::JobReport& job, const state::ReportText& text, std::string_view cycle_id, Instant now,
                  CycleOutput& out);
  struct Change {
    std::optional<PendingEvent> pending_event;
    bool changed = false;  // phase or counters differ from what is written
    bool good = false;
    bool patient = false;  // it has been waited with already
  };
  // Writes a status that differs from the written one, now or when it is due.
  void put(model::JobId job, GroupRow& known, model::PodGroupStatus status, const Change& change,
           std::string_view cycle_id, Instant now, CycleOutput& out);
  // When a status that differs from the written one goes out.
  [[nodiscard]] Instant due_at(const DelayedWrite& what, const GroupRow& known, Instant now) const;
  [[nodiscard]] Instant ready_status_due(const DelayedWrite& oldest) const;
  void write_now(Table::iterator at, Instant now, CycleOutput& out);
  void write(const std::string& key, GroupRow& known, const DelayedWrite& what, Instant now, CycleOutput& out);

  model::ClusterState& state_;
  SchedulerCache& cache_;
  Duration patience_;
  Table delayed_;  // by key
  StatusBudget budget_{kReadyStatusRate};
  loop::WorkQueue due_;                    // keys of delayed_, some of them written meanwhile
  std::deque<std::string> ready_waiting_;  // the same, of what the allowance keeps back; the oldest first
};

}  // namespace basalt::scheduler
