#include "control/scheduler/job_templates.h"

#include <utility>

#include "control/scheduler/write_recovery.h"

namespace basalt::scheduler {

const std::vector<state::PlannedPods>* JobTemplates::of(const model::Job& job, Instant now) {
  static const std::vector<state::PlannedPods> kNothing;
  const GroupRow* group = cache_.group(job.id);
  if (group == nullptr || !group->of_job) return &kNothing;
  Entry& entry = entries_[job.id];
  const bool same = entry.job_uid == group->job_uid && entry.min_available == job.min_available;
  const bool again = entry.known && (!same || (entry.retry_at.is_set() && entry.retry_at <= now));
  if (entry.known && !again) return &entry.pods;
  if (entry.known || entry.job_key.empty()) {
    entry.known = false;
    entry.job_key = std::string(std::string_view(job.id).substr(0, job.id.find('/') + 1)) + group->job_name;
    entry.job_uid = group->job_uid;
    entry.min_available = job.min_available;
    unasked_.push_back(job.id);
  }
  return nullptr;
}

void JobTemplates::read_due(Instant now, CycleOutput& out) {
  size_t taken = 0;
  for (; taken < unasked_.size() && under_way_ < kMaxJobReads; ++taken) {
    const auto entry = entries_.find(unasked_[taken]);
    if (entry == entries_.end()) continue;
    PendingWrite read = read_request(SchedulerKind::Job, entry->second.job_key, entry->second.job_uid, now);
    read.for_whom = entry->first;
    out.writes.push_back(std::move(read));
    ++under_way_;
  }
  unasked_.erase(unasked_.begin(), unasked_.begin() + static_cast<std::ptrdiff_t>(taken));
}

void JobTemplates::answered(const CompletedWrite& answer, Instant now) {
  --under_way_;
  const auto entry = entries_.find(answer.write.for_whom);
  if (entry == entries_.end() || entry->second.job_uid != answer.write.uid) return;
  entry->second.known = true;
  entry->second.pods.clear();
  entry->second.retry_at = now + kJobReadRetry;
  if (classify(answer.outcome) != OutcomeKind::Done || answer.outcome->object == nullptr) return;
  auto pods = state::planned_pods(*answer.outcome->object, state_);
  if (!pods) return;  // its pods, when they come, say what is wrong with them
  entry->second.retry_at = kNever;
  entry->second.pods = std::move(*pods);
}

void JobTemplates::keep_only(const std::function<bool(const std::string& group)>& wanted) {
  // order-free: each entry is judged by itself
  std::erase_if(entries_, [&](const auto& entry) { return !wanted(entry.first); });
}

}  // namespace basalt::scheduler
