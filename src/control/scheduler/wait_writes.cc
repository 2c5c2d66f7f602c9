#include "control/scheduler/wait_writes.h"

#include <algorithm>
#include <utility>

#include "control/scheduler/queue_writes.h"

namespace basalt::scheduler {
namespace {

const model::Condition* written_wait(const model::Job& job) {
  const auto at = std::ranges::find(job.status.conditions, std::string_view("Waiting"), &model::Condition::type);
  return at == job.status.conditions.end() || at->status != "True" ? nullptr : &*at;
}

}  // namespace

void WaitWrites::learn_job(const engine::JobReport& job, const engine::CycleReport& report,
                           const state::ReportText& text) {
  state::LastAttempt found;
  for (const engine::TaskReport& task : job.tasks) {
    if (task.last != model::TaskStatus::Pipelined || !task.node.valid()) continue;
    found.room_on = state_.node(task.node).name;
    break;
  }
  if (job.origin) {
    const auto origin = std::ranges::find(job.tasks, *job.origin, &engine::TaskReport::task);
    if (origin != job.tasks.end() && origin->failure) {
      const engine::FitFailure& failure = report.failures[*origin->failure];
      found.failure = text.fit_text(origin->task, failure);
      found.queue_refused = failure.kind == engine::FitFailure::Kind::QueueRefused;
    }
  }
  const std::string& key = state_.job(job.job).id;
  if (job.ready || (found.room_on.empty() && found.failure.empty())) {
    last_.erase(key);
  } else {
    last_[key] = std::move(found);
  }
}

void WaitWrites::learn(const engine::CycleReport& report, const state::ReportText& text, Instant now) {
  limits_ = report.limits;
  for (const engine::JobReport& job : report.jobs) learn_job(job, report, text);
  // order-free: each entry is changed by itself
  for (auto& [key, last] : last_) last.refused_by.clear(), last.refusal.clear();
  for (const engine::EnqueueRefusal& refusal : report.refusals) {
    state::LastAttempt& last = last_[state_.job(refusal.job).id];
    last.refused_by = refusal.plugin;
    last.refusal = refusal.message;
  }
  look_again(now);
}

void WaitWrites::look_again(Instant now) {
  if (!changed_at_.is_set()) changed_at_ = now;
}

std::optional<Instant> WaitWrites::next_due() const {
  if (!changed_at_.is_set()) return std::nullopt;
  return std::max(changed_at_, not_before_);
}

bool WaitWrites::has_waited(const model::Job& job, state::WaitReason why, Instant now) {
  const bool missing = why == state::WaitReason::PodsMissing;
  const model::Condition* written = written_wait(job);
  if (written != nullptr && (!missing || written->reason == state::to_string(why))) {
    if (!since_.empty()) since_.erase(job.id);
    return true;
  }
  const auto since = since_.try_emplace(job.id, now).first;
  if (now - since->second < std::max(patience_, missing ? kPodsMissingPatience : kWaitsEvery)) return false;
  since_.erase(since);
  return true;
}

std::optional<state::LastAttempt> WaitWrites::known_of(const model::Job& job, Instant now) {
  const auto known = last_.find(job.id);
  state::LastAttempt last = known == last_.end() ? state::LastAttempt() : known->second;
  if (!job.tasks.empty()) return last;
  last.minimum_is_exact = groups_.is_of_job(job.id);
  // Most are let in at once: only about others is it worth a question.
  const bool waits = since_.contains(job.id) || written_wait(job) != nullptr;
  if (!waits || state::is_let_in(job)) return last;
  const std::vector<state::PlannedPods>* planned = templates_.of(job, now);
  if (planned == nullptr) return std::nullopt;
  last.planned = *planned;
  return last;
}

std::optional<state::Wait> WaitWrites::explain(state::WaitText& text, model::JobId id, const state::LastAttempt& last) {
  const model::Job& job = state_.job(id);
  std::optional<state::Wait> wait = text.explain(id, last);
  if (wait) return wait;
  last_.erase(job.id);
  if (!since_.empty()) since_.erase(job.id);
  return std::nullopt;
}

// False: its numbers alone have moved, and enough others had theirs renewed in this round.
bool WaitWrites::tell(model::JobId job, const std::optional<state::Wait>& wait, size_t& renewed, Rng& ids, Instant now,
                      CycleOutput& out) {
  const model::Condition* written = written_wait(state_.job(job));
  const bool same_reason = wait && written != nullptr && written->reason == state::to_string(wait->reason);
  if (same_reason && written->message == wait->message) {
    if (!state::is_let_in(state_.job(job))) pods_.tell_wait(job, now);  // pods that came since
    return true;
  }
  if (same_reason && renewed++ >= kMaxRenewed) return false;
  groups_.tell_wait(job, wait, ids, now, out);
  if (wait) pods_.tell_wait(job, now);
  return true;
}

void WaitWrites::forget_gone() {
  const auto job_of = [&](std::string_view key) {
    const size_t slash = key.find('/');
    return state_.find_job(key.substr(0, slash), key.substr(slash + 1));
  };
  const auto is_gone = [&](const auto& entry) { return !job_of(entry.first).valid(); };
  std::erase_if(last_, is_gone);
  std::erase_if(since_, is_gone);
  templates_.keep_only([&](const std::string& key) {
    const model::JobId id = job_of(key);
    return id.valid() && !state::is_let_in(state_.job(id));
  });
}

void WaitWrites::write_due(Rng& ids, Instant now, CycleOutput& out) {
  const std::optional<Instant> due = next_due();
  if (!due || now < *due) return;
  changed_at_ = kNever;
  const state::HeldByQueue held = allocated_by_queue(state_);
  state::WaitText text(state_, limits_, held);
  size_t renewed = 0;
  bool left = false;
  const size_t rows = state_.job_rows();
  const size_t first = rows == 0 ? 0 : cursor_ % rows;
  for (size_t i = 0; i < rows; ++i) {
    const model::JobId id((first + i) % rows);
    const model::Job& job = state_.job(id);
    if (!job.alive || !job.has_pod_group) continue;
    const std::optional<state::LastAttempt> known = known_of(job, now);
    if (!known) continue;  // the answer makes another round
    const std::optional<state::Wait> wait = explain(text, id, *known);
    if (wait && !has_waited(job, wait->reason, now)) {
      left = true;
    } else if (!tell(id, wait, renewed, ids, now, out)) {
      if (!left) cursor_ = id.index();
      left = true;
    }
  }
  forget_gone();
  const auto cost = static_cast<int64_t>(text.rows_seen() / kRowsPerRound);
  not_before_ = now + Duration{kWaitsEvery.nanos * (1 + cost)};
  if (left) changed_at_ = now;
}

}  // namespace basalt::scheduler
