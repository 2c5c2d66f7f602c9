// PodGroup status: phase, counters and conditions, written when they changed in meaning.
//
// 1. A phase that somebody waits for (Inqueue, which lets the controller make the missing pods) is written at once.
//    Other phases, counters, and the type, status or reason of a condition wait for `patience`: a gang that is complete
//    a moment later is told in one write. A message alone, which often only counts something that moves, is written at
//    most every kGroupWordsEvery. The last one is never lost.
// 2. Volcano's PodGroups have no status subresource; the patch names members of the status only.
// 3. A condition that says something new carries the cycle's id and time; others keep theirs.
// 4. What is or will be written is put into the state (ClusterState::set_job_status), so the next cycle compares with
//    it. A write that failed is undone by reading the object; the next cycle then writes again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/rng.h"
#include "bridge/report_text.h"
#include "engine/decisions.h"
#include "reconcile/work_queue.h"
#include "scheduler/picture.h"
#include "scheduler/written.h"

namespace basalt::scheduler {

inline constexpr Duration kGroupWordsEvery = Duration::seconds(5);

class GroupWrites {
 public:
  // Requires: both outlive it.
  GroupWrites(model::ClusterState& state, Picture& picture, Duration patience)
      : state_(state), picture_(picture), patience_(patience) {}

  // The jobs and refusals of a report. `ids`: where the transitionID of conditions comes from. Cost: O(report).
  void report(const engine::Report& report, const bridge::ReportText& text, Rng& ids, Instant now, Written& out);
  // What was put off and is due.
  void write_due(Instant now, Written& out);
  [[nodiscard]] std::optional<Instant> next_due() const { return due_.next_due(); }

 private:
  struct Later {
    std::string uid;
    model::PodGroupStatus status;
    std::optional<Remark> remark;
  };

  void report_job(const engine::JobReport& job, const bridge::ReportText& text, std::string_view cycle_id, Instant now,
                  Written& out);
  // When a status that differs from the written one goes out.
  [[nodiscard]] Instant due_at(const engine::JobReport& report, const GroupRow& known, bool only_words,
                               Instant now) const;
  void write(const std::string& key, GroupRow& known, const Later& what, Instant now, Written& out);

  model::ClusterState& state_;
  Picture& picture_;
  Duration patience_;
  std::unordered_map<std::string, Later> later_;  // by key
  reconcile::WorkQueue due_;                      // keys of later_, some of them written meanwhile
};

}  // namespace basalt::scheduler
