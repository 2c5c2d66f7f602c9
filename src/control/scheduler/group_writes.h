// PodGroup status: phase, counters and conditions, written when they changed in meaning.
//
// 1. A phase that somebody waits for (Inqueue, which lets a controller make the missing pods) is written at once for a
//    vcjob, and for others unless the pods come within kMomentForPods: most do not wait for it. Other phases, counters,
//    and the type, status or reason of a condition wait for `patience`: a gang that is complete a moment later is told
//    in one write. That it has its nodes is written by an allowance while decisions go out, after kGoodNewsWait at the
//    latest: nobody acts on it, and such a write costs a server more than a bind. A message alone, which often only
//    counts something that moves, is written at most every kGroupWordsEvery. The last one is never lost.
// 2. Volcano's PodGroups have no status subresource; the patch names members of the status only.
// 3. A condition that says something new carries the cycle's id and time; others keep theirs.
// 4. The condition Waiting is ours: why the gang waits, with numbers (control/scheduler/state/wait_text.h). It turns
// False in the write
//    that says that the gang has its nodes.
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
#include "control/scheduler/allowance.h"
#include "control/scheduler/picture.h"
#include "control/scheduler/state/report_text.h"
#include "control/scheduler/state/wait_text.h"
#include "control/scheduler/written.h"
#include "engine/core/decisions.h"

namespace basalt::scheduler {

inline constexpr Duration kGroupWordsEvery = Duration::seconds(5);
inline constexpr Duration kGoodNewsWait = Duration::seconds(60);
inline constexpr Allowance::Terms kGoodNews{.per_second = 20, .credit = 100, .rest = Duration::seconds(1)};
inline constexpr Duration kMomentForPods = Duration::millis(200);

class GroupWrites {
 public:
  // Requires: both outlive it.
  GroupWrites(model::ClusterState& state, Picture& picture, Duration patience)
      : state_(state), picture_(picture), patience_(patience) {}

  // The jobs and refusals of a report. `ids`: where the transitionID of conditions comes from. Cost: O(report).
  void report(const engine::Report& report, const state::ReportText& text, Rng& ids, Instant now, Written& out);
  // Why the job waits, as the condition Waiting; nothing: it no longer does, and the condition says so, if it is there.
  void tell_wait(model::JobId job, const std::optional<state::Wait>& wait, Rng& ids, Instant now, Written& out);
  // Decisions are on their way.
  void busy(Instant now) { allowance_.busy(now); }
  // What was put off and is due.
  void write_due(Instant now, Written& out);
  [[nodiscard]] std::optional<Instant> next_due() const;

 private:
  struct Later {
    std::string uid;
    model::PodGroupStatus status;
    std::optional<Remark> remark;
    Instant since, due;       // when the first of what this write says came up, and when it is written
    bool only_words = false;  // of conditions; all else is as written
    bool awaited = false;     // a controller makes pods once it reads this
    bool good = false;        // the gang has its nodes
    bool parked = false;      // it is due, and waits in good_news_
  };

  using Table = std::unordered_map<std::string, Later>;

  void report_job(const engine::JobReport& job, const state::ReportText& text, std::string_view cycle_id, Instant now,
                  Written& out);
  struct Change {
    std::optional<Remark> remark;
    bool changed = false;  // phase or counters differ from what is written
    bool good = false;
    bool patient = false;  // it has been waited with already
  };
  // Writes a status that differs from the written one, now or when it is due.
  void put(model::JobId job, GroupRow& known, model::PodGroupStatus status, const Change& change,
           std::string_view cycle_id, Instant now, Written& out);
  // When a status that differs from the written one goes out.
  [[nodiscard]] Instant due_at(const Later& what, const GroupRow& known, Instant now) const;
  [[nodiscard]] Instant good_news_due(const Later& oldest) const;
  void write_now(Table::iterator at, Instant now, Written& out);
  void write(const std::string& key, GroupRow& known, const Later& what, Instant now, Written& out);

  model::ClusterState& state_;
  Picture& picture_;
  Duration patience_;
  Table later_;  // by key
  Allowance allowance_{kGoodNews};
  loop::WorkQueue due_;                // keys of later_, some of them written meanwhile
  std::deque<std::string> good_news_;  // the same, of what the allowance keeps back; the oldest first
};

}  // namespace basalt::scheduler
