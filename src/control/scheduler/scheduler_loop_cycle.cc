// What goes out: cycles and what follows from them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "control/scheduler/decision_writes.h"
#include "control/scheduler/scheduler_loop.h"
#include "engine/core/cycle.h"
#include "kube/api/volcano_keys.h"

namespace basalt::scheduler {
namespace {

constexpr size_t kMaxFaultLines = 20;  // of one self-check

}  // namespace
void Scheduler::SchedulerLoop::policy_changed(Instant now) { notice_change(CycleTrigger::Policy, now); }

void Scheduler::SchedulerLoop::count_policy() {
  const std::pair now_in_force(policy_.generation(), conf_.is_refused());
  if (std::exchange(counted_policy_, now_in_force) == now_in_force) return;
  std::vector<std::pair<std::string, std::string>> skipped;
  for (const state::Skipped& one : policy_.skipped()) skipped.emplace_back(one.kind, one.name);
  metrics_.policy(policy_.generation(), conf_.is_refused(), std::move(skipped));
}

void Scheduler::SchedulerLoop::notice_change(CycleTrigger why, Instant now) {
  if (changed_at_.is_set() && why != CycleTrigger::Policy) return;
  if (!changed_at_.is_set()) changed_at_ = now;
  trigger_ = why;
}

std::optional<Instant> Scheduler::SchedulerLoop::cycle_due() const {
  if (!last_cycle_.is_set()) return kernel_.now();
  if (write_queue_.decisions_waiting() > kMaxDecisionsWaiting) return std::nullopt;  // the answers to those wake us
  const Instant at_latest = last_cycle_ + options_.period;
  if (changed_at_.is_set()) return std::min(std::max(changed_at_ + options_.window, next_cycle_), at_latest);
  return resting_ ? std::optional<Instant>() : at_latest;
}

bool Scheduler::SchedulerLoop::cycle_if_due(Instant now, CycleOutput& out) {
  const std::optional<Instant> due = cycle_due();
  if (!due || *due > now) return false;
  metrics_.triggered(changed_at_.is_set() ? trigger_ : CycleTrigger::Period);
  const Instant began = options_.clock ? options_.clock() : now;
  cycle(now, out);
  const Duration took = options_.clock ? options_.clock() - began : Duration{};
  next_cycle_ = now + std::min(Duration{took.nanos * kCycleShare}, kLongestPause);
  return true;
}

void Scheduler::SchedulerLoop::cycle(Instant now, CycleOutput& out) {
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
  const DecisionContext decided{
      .decisions = result.decisions, .state = state_, .text = text, .scheduler_name = name_, .now = now};
  add_binds(decided, out);
  add_evictions(decided, cache_, out);
  add_open_gates(decided, out);
  std::erase_if(out.writes, [this](const PendingWrite& write) {
    return write.kind == WriteKind::OpenGate && recovery_.is_opening(write.uid);
  });
  groups_.report(result.report, text, ids_, now, out);
  pods_.report(result.report, text, now, out);
  waits_.learn(result.report, text, now);
}

void Scheduler::SchedulerLoop::make_missing_queues(Instant now, CycleOutput& out) {
  queues_made_ = true;
  for (const std::string_view name : {api::keys::kRootQueue, std::string_view(options_.updater.default_queue)}) {
    if (cache_.queue(name) != nullptr) continue;
    PendingWrite write{.kind = WriteKind::CreateQueue, .key = std::string(name), .posted = now};
    write.call = loop::create(resource_of(SchedulerKind::Queue),
                              {{"apiVersion", api_version_of(SchedulerKind::Queue)},
                               {"kind", row_of(SchedulerKind::Queue).name},
                               {"metadata", text::Object{{"name", name}}},
                               {"spec", text::Object{{"weight", 1}, {"reclaimable", name != api::keys::kRootQueue}}}});
    out.writes.push_back(std::move(write));
  }
}

void Scheduler::SchedulerLoop::post(CycleOutput written, Instant now) {
  for (PendingEvent& pending_event : written.events) event_queue_.add(std::move(pending_event));
  if (!written.writes.empty()) event_queue_.busy(now);
  for (PendingWrite& write : written.writes) {
    recovery_.posted(write);
    write_queue_.post(std::move(write));
  }
  if (const uint64_t dropped = event_queue_.take_dropped(); dropped > 0) metrics_.events_dropped(dropped);
}

void Scheduler::SchedulerLoop::send_events(Instant now) {
  while (write_queue_.takes_event()) {
    std::optional<PendingEvent> pending_event = event_queue_.next(now);
    if (!pending_event) return;
    const Instant at = pending_event->at;
    if (auto call = events_.record(note_of(std::move(*pending_event)), at)) {
      write_queue_.post({.kind = WriteKind::SendEvent, .posted = now, .call = std::move(*call)});
    }
  }
}

bool Scheduler::SchedulerLoop::self_check(Instant now) {
  if (options_.self_check.nanos <= 0) return false;
  if (auto rebuilt = rebuild_.take()) {
    judge(std::move(*rebuilt), now);
    return true;
  }
  if (rebuild_.is_running()) return false;
  if (!next_check_.is_set()) next_check_ = now + options_.self_check;
  if (now < next_check_) return false;
  check_began_ = now;
  rebuild_.start(options_.updater, kernel_.in_thread());
  return true;
}

void Scheduler::SchedulerLoop::judge(BackgroundRebuild::Rebuilt rebuilt, Instant now) {
  next_check_ = now + options_.self_check;
  if (!rebuilt) {
    metrics_.self_check_failed();
    return log(Severity::Warning, "self-check: " + rebuilt.error().message);
  }
  const std::vector<Difference> faults =
      self_check_.consider(compare(state_, **rebuilt, [this](std::string_view uid) { return cache_.is_held(uid); }));
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
