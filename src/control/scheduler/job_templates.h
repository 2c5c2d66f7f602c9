// The pods that waiting vcjobs will make, read from the jobs one by one.
//
// The scheduler does not follow vcjobs: it reads one when its gang has waited for a while outside of its queue and has
// no pods yet, so that the sentence about the wait (wait_text.h) is the one that its pods would get.
// 1. A job is read once, and again when its minimum has changed; one that could not be read is tried again after
//    kJobReadRetry.
// 2. At most kMaxJobReads reads are under way.
// Memory: a few words for each gang that waits so; keep_only() drops the others.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "control/scheduler/cycle_output.h"
#include "control/scheduler/scheduler_cache.h"
#include "control/scheduler/state/planned_pods.h"

namespace basalt::scheduler {

inline constexpr size_t kMaxJobReads = 8;
inline constexpr Duration kJobReadRetry = Duration::seconds(60);

class JobTemplates {
 public:
  // Requires: both outlive it.
  JobTemplates(model::ClusterState& state, SchedulerCache& cache) : state_(state), cache_(cache) {}

  // Nothing is known of a PodGroup that no vcjob made, nor of one whose job cannot be read: the answer is empty.
  // nullptr: it is being asked for. Requires: a living job without pods.
  [[nodiscard]] const std::vector<state::PlannedPods>* of(const model::Job& job, Instant now);
  // Questions that `of` could not answer.
  void read_due(Instant now, CycleOutput& out);
  void answered(const CompletedWrite& answer, Instant now);
  // Forgets what is not `wanted`, by key of the PodGroup.
  void keep_only(const std::function<bool(const std::string& group)>& wanted);

 private:
  struct Entry {
    std::string job_key, job_uid;
    int32_t min_available = 0;
    bool known = false;
    Instant retry_at;  // after a failure; kNever: it was read
    std::vector<state::PlannedPods> pods;
  };

  model::ClusterState& state_;
  SchedulerCache& cache_;
  std::unordered_map<std::string, Entry> entries_;  // by key of the PodGroup
  std::vector<std::string> unasked_;                // keys, in the order of the questions
  size_t under_way_ = 0;
};

}  // namespace basalt::scheduler
