// What goes out: cycles and what follows from them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "control/scheduler/decision_writes.h"
#include "control/scheduler/desk.h"
#include "engine/core/cycle.h"
#include "kube/api/volcano_keys.h"

namespace basalt::scheduler {
namespace {

constexpr size_t kMaxFaultLines = 20;  // of one self-check

}  // namespace
void Scheduler::Desk::policy_changed(Instant now) { notice_change(Wake::Policy, now); }

void Scheduler::Desk::count_policy() {
  const std::pair now_in_force(policy_.generation(), conf_.is_refused());
  if (std::exchange(counted_policy_, now_in_force) == now_in_force) return;
  std::vector<std::pair<std::string, std::string>> skipped;
  for (const state::Skipped& one : policy_.skipped()) skipped.emplace_back(one.kind, one.name);
  metrics_.policy(policy_.generation(), conf_.is_refused(), std::move(skipped));
}

void Scheduler::Desk::notice_change(Wake why, Instant now) {
  if (changed_at_.is_set() && why != Wake::Policy) return;
  if (!changed_at_.is_set()) changed_at_ = now;
  wake_ = why;
}

std::optional<Instant> Scheduler::Desk::cycle_due() const {
  if (!last_cycle_.is_set()) return now_;
  if (outbox_.decisions_waiting() > kMaxDecisionsWaiting) return std::nullopt;  // the answers to those wake us
  const Instant at_latest = last_cycle_ + options_.period;
  if (changed_at_.is_set()) return std::min(std::max(changed_at_ + options_.window, next_cycle_), at_latest);
  return resting_ ? std::optional<Instant>() : at_latest;
}

bool Scheduler::Desk::cycle_if_due(Instant now, Written& out) {
  const std::optional<Instant> due = cycle_due();
  if (!due || *due > now) return false;
  metrics_.woken(changed_at_.is_set() ? wake_ : Wake::Period);
  const Instant began = options_.clock ? options_.clock() : now;
  cycle(now, out);
  const Duration took = options_.clock ? options_.clock() - began : Duration{};
  next_cycle_ = now + std::min(Duration{took.nanos * kCycleShare}, kLongestPause);
  return true;
}

void Scheduler::Desk::cycle(Instant now, Written& out) {
  const engine::CycleResult result = engine::run_cycle(state_, policy_.policy(), now, rng_, {.observer = &clock_});
  ++working_.cycles;
  metrics_.cycle(clock_.take(), result, state_, now);
  resting_ = result.skipped;
  last_cycle_ = now;
  changed_at_ = kNever;
  cycle_version_ = state_.version();
  if (result.skipped) {
    ++working_.skipped;
    return;
  }
  queues_.note_change();
  const engine::VerdictTable* verdicts = state::verdicts_of(state_);
  if (verdicts == nullptr) return;
  const state::ReportText text(result.report, state_, *verdicts);
  const Decided decided{
      .decisions = result.decisions, .state = state_, .text = text, .scheduler_name = name_, .now = now};
  add_binds(decided, out);
  add_evictions(decided, picture_, out);
  add_open_gates(decided, out);
  std::erase_if(out.errands, [this](const Errand& errand) {
    return errand.duty == Duty::OpenGate && repair_.is_opening(errand.uid);
  });
  groups_.report(result.report, text, ids_, now, out);
  pods_.report(result.report, text, now, out);
  waits_.learn(result.report, text, now);
}

void Scheduler::Desk::make_missing_queues(Instant now, Written& out) {
  queues_made_ = true;
  for (const std::string_view name : {api::keys::kRootQueue, std::string_view(options_.feed.default_queue)}) {
    if (picture_.queue(name) != nullptr) continue;
    Errand errand{.duty = Duty::MakeQueue, .key = std::string(name), .posted = now};
    errand.call = loop::create(resource_of(Kind::Queue),
                               {{"apiVersion", api_version_of(Kind::Queue)},
                                {"kind", row_of(Kind::Queue).name},
                                {"metadata", text::Object{{"name", name}}},
                                {"spec", text::Object{{"weight", 1}, {"reclaimable", name != api::keys::kRootQueue}}}});
    out.errands.push_back(std::move(errand));
  }
}

void Scheduler::Desk::post(Written written, Instant now) {
  for (Remark& remark : written.remarks) pace_.add(std::move(remark));
  if (!written.errands.empty()) pace_.busy(now);
  for (Errand& errand : written.errands) {
    repair_.posted(errand);
    outbox_.post(std::move(errand));
  }
  if (const uint64_t dropped = pace_.take_dropped(); dropped > 0) metrics_.events_dropped(dropped);
}

void Scheduler::Desk::tell_events(Instant now) {
  while (outbox_.takes_event()) {
    std::optional<Remark> remark = pace_.next(now);
    if (!remark) return;
    const Instant at = remark->at;
    if (auto call = events_.tell(note_of(std::move(*remark)), at)) {
      outbox_.post({.duty = Duty::Tell, .posted = now, .call = std::move(*call)});
    }
  }
}

bool Scheduler::Desk::self_check(Instant now) {
  if (options_.self_check.nanos <= 0) return false;
  if (auto rebuilt = check_run_.take()) {
    judge(std::move(*rebuilt), now);
    return true;
  }
  if (check_run_.is_running()) return false;
  if (!next_check_.is_set()) next_check_ = now + options_.self_check;
  if (now < next_check_) return false;
  check_began_ = now;
  check_run_.start(options_.feed, in_thread_);
  return true;
}

void Scheduler::Desk::judge(CheckRun::Rebuilt rebuilt, Instant now) {
  next_check_ = now + options_.self_check;
  if (!rebuilt) {
    metrics_.self_check_failed();
    return log(Severity::Warning, "self-check: " + rebuilt.error().message);
  }
  const std::vector<Difference> faults =
      self_check_.consider(compare(state_, **rebuilt, [this](std::string_view uid) { return picture_.is_held(uid); }));
  if (self_check_.unsettled()) next_check_ = std::min(next_check_, now + kRecheckAfter);
  ++working_.self_checks;
  working_.differences += faults.size();
  metrics_.self_checked(faults.size(), now - check_began_);
  for (size_t i = 0; i < std::min(faults.size(), kMaxFaultLines); ++i) {
    log(Severity::Error, fmt::format("self-check: {}: here \"{}\", in the API \"{}\"", faults[i].what, faults[i].live,
                                     faults[i].rebuilt));
  }
  if (faults.size() > kMaxFaultLines) {
    log(Severity::Error, fmt::format("self-check: {} more differences", faults.size() - kMaxFaultLines));
  }
}

}  // namespace basalt::scheduler
