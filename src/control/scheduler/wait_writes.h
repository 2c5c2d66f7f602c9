// Who waits and why, written as the PodGroup's condition Waiting.
//
// After cycles that changed something every waiting job is looked at again, at most every kWaitsEvery: the numbers in a
// sentence (what is free, what a queue holds) move when others are placed, and the job itself may not be tried again
// for hours. So what is written is never older than that.
// 1. A job says so once it has waited for `patience`, and a second at least: most are placed by then, and a gang that
//    replaces a pod does not wait.
// 2. A new reason is written at once; but that pods are missing only after kPodsMissingPatience: a gang that was just
//    let in has none for a moment, until its controller has made them. Numbers alone that moved are written for
//    kMaxRenewed jobs at a time, the others follow in the next round, each at most every kGroupMessageEvery
//    (group_writes.h).
// 3. A gang that has waited outside of its queue, without pods, is told about when the templates of its job are there,
//    or cannot be read (job_templates.h).
// Cost of a round: O(jobs + waiting pods + nodes · shapes of waiting pods).
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/rng.h"
#include "control/scheduler/cycle_output.h"
#include "control/scheduler/group_writes.h"
#include "control/scheduler/job_templates.h"
#include "control/scheduler/pod_writes.h"
#include "control/scheduler/state/report_text.h"
#include "control/scheduler/state/wait_text.h"
#include "engine/core/decisions.h"

namespace basalt::scheduler {

inline constexpr Duration kWaitsEvery = Duration::seconds(1);
inline constexpr Duration kPodsMissingPatience = Duration::seconds(5);
inline constexpr size_t kMaxRenewed = 100;
inline constexpr size_t kRowsPerRound = 1'000'000;  // shapes × nodes; a round that cost more pauses accordingly

class WaitWrites {
 public:
  // What it writes to, and what it asks about pods that are not made yet.
  struct Partners {
    GroupWrites& groups;
    PodWrites& pods;
    JobTemplates& templates;
  };
  // Requires: all outlive it.
  WaitWrites(const model::ClusterState& state, const Partners& partners, Duration patience)
      : state_(state),
        groups_(partners.groups),
        pods_(partners.pods),
        templates_(partners.templates),
        patience_(patience) {}

  // What a cycle found. Cost: O(report).
  void learn(const engine::CycleReport& report, const state::ReportText& text, Instant now);
  // Something is known that was not: the waiting jobs are to be looked at again.
  void look_again(Instant now);
  // Looks at the waiting jobs again, if something changed and it is time. `ids`: as GroupWrites::report has it.
  void write_due(Rng& ids, Instant now, CycleOutput& out);
  [[nodiscard]] std::optional<Instant> next_due() const;

 private:
  // What the last attempt and the job's templates tell; nothing: the templates are being asked for.
  [[nodiscard]] std::optional<state::LastAttempt> known_of(const model::Job& job, Instant now);
  // Long enough to say so.
  bool has_waited(const model::Job& job, state::WaitReason why, Instant now);
  [[nodiscard]] std::optional<state::Wait> explain(state::WaitText& text, model::JobId id,
                                                   const state::LastAttempt& last);
  void forget_gone();
  void learn_job(const engine::JobReport& job, const engine::CycleReport& report, const state::ReportText& text);
  bool tell(model::JobId job, const std::optional<state::Wait>& wait, size_t& renewed, Rng& ids, Instant now,
            CycleOutput& out);

  const model::ClusterState& state_;
  GroupWrites& groups_;
  PodWrites& pods_;
  JobTemplates& templates_;
  Duration patience_;
  std::vector<engine::QueueLimit> limits_;                    // of the last cycle
  std::unordered_map<std::string, state::LastAttempt> last_;  // by job; only of those that the state does not explain
  std::unordered_map<std::string, Instant> since_;            // by job: who waits and has not said so, or not this, yet
  Instant changed_at_;                                        // since when a round is wanted; kNever: it is not
  Instant not_before_;
  size_t cursor_ = 0;  // where the next round begins, so that everybody's numbers are renewed in turn
};

}  // namespace basalt::scheduler
