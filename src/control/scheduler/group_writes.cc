#include "control/scheduler/group_writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kube/text/rfc3339.h"

namespace basalt::scheduler {
namespace {

using Conditions = std::vector<model::Condition>;

bool differ_in_message_only(const Conditions& left, const Conditions& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const model::Condition& a, const model::Condition& b) {
                      return a.type == b.type && a.status == b.status && a.reason == b.reason;
                    });
}

// One for a whole cycle, in the form of a UUID.
std::string transition_id(Rng& ids) {
  const uint64_t high = ids.next(), low = ids.next();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32U, (high >> 16U) & 0xFFFFU, high & 0xFFFU,
                     0x8000U | ((low >> 48U) & 0x3FFFU), low & 0xFFFFFFFFFFFFU);
}

text::Value or_null(int32_t number) { return number == 0 ? text::Value() : text::Value(number); }

ConditionStamp& stamp_for(GroupRow& known, const std::string& type) {
  for (ConditionStamp& stamp : known.stamps) {
    if (stamp.type == type) return stamp;
  }
  return known.stamps.emplace_back(ConditionStamp{.type = type, .transition_id = "", .at = kNever});
}

text::Object condition_object(const model::Condition& condition, const ConditionStamp& stamp) {
  text::Object object{{"type", condition.type}, {"status", condition.status}};
  if (!stamp.transition_id.empty()) object["transitionID"] = stamp.transition_id;
  if (stamp.at.is_set()) object["lastTransitionTime"] = text::format_time(stamp.at);
  if (!condition.reason.empty()) object["reason"] = condition.reason;
  if (!condition.message.empty()) object["message"] = condition.message;
  return object;
}

constexpr std::string_view kWaiting = "Waiting";
constexpr std::string_view kPlaced = "Placed";

// False: the conditions say so already.
bool begin_wait(Conditions& conditions, const state::Wait& wait) {
  model::Condition made{.type = std::string(kWaiting),
                        .status = "True",
                        .reason = std::string(state::to_string(wait.reason)),
                        .message = wait.message};
  const auto at = std::ranges::find(conditions, kWaiting, &model::Condition::type);
  if (at == conditions.end()) {
    conditions.push_back(std::move(made));
    return true;
  }
  if (*at == made) return false;
  *at = std::move(made);
  return true;
}

// False: they do not say that it waits.
bool end_wait(Conditions& conditions) {
  const auto at = std::ranges::find(conditions, kWaiting, &model::Condition::type);
  if (at == conditions.end() || at->status != "True") return false;
  at->status = "False";
  at->reason = kPlaced;
  at->message.clear();
  return true;
}

}  // namespace

void GroupWrites::report(const engine::CycleReport& report, const state::ReportText& text, Rng& ids, Instant now,
                         CycleOutput& out) {
  const std::string cycle_id = transition_id(ids);
  for (const engine::EnqueueRefusal& refusal : report.refusals) {
    const model::Job& row = state_.job(refusal.job);
    const state::EventText told = text.refusal_event(refusal);
    out.events.push_back(pending_event_about(SchedulerKind::PodGroup, row.id, row.uid, told, now));
  }
  for (const engine::JobReport& job : report.jobs) report_job(job, text, cycle_id, now, out);
}

Instant GroupWrites::due_at(const DelayedWrite& what, const GroupRow& known, Instant now) const {
  if (what.only_message && known.told_at.is_set()) return std::max(now, known.told_at + kGroupMessageEvery);
  if (!what.awaited) return what.since + patience_;
  return known.of_job ? now : what.since + std::min(kWaitForPods, patience_);
}

void GroupWrites::report_job(const engine::JobReport& job, const state::ReportText& text, std::string_view cycle_id,
                             Instant now, CycleOutput& out) {
  const model::Job& row = state_.job(job.job);
  GroupRow* known = cache_.group(row.id);
  if (known == nullptr) return;
  const std::optional<state::EventText> told = text.pod_group_event(job);
  std::optional<PendingEvent> pending_event;
  if (told) pending_event = pending_event_about(SchedulerKind::PodGroup, row.id, row.uid, *told, now);
  model::PodGroupStatus status = job.status;
  status.conditions = text.pod_group_conditions(job, row.status.conditions);
  const Conditions& before = row.status.conditions;
  const auto waiting = delayed_.find(row.id);
  if (!job.changed && status.conditions == before) {
    if (waiting != delayed_.end()) {
      waiting->second.pending_event = std::move(pending_event);
    } else if (pending_event) {
      out.events.push_back(std::move(*pending_event));
    }
    return;
  }
  // That it waits no longer is no mere good news: whoever reads why it waits must not read it for long after.
  const bool waited = job.ready && end_wait(status.conditions);
  const Change change{.pending_event = std::move(pending_event), .changed = job.changed, .good = job.ready && !waited};
  put(job.job, *known, std::move(status), change, cycle_id, now, out);
}

bool GroupWrites::is_of_job(std::string_view key) const {
  const GroupRow* known = cache_.group(key);
  return known != nullptr && known->of_job;
}

void GroupWrites::tell_wait(model::JobId job, const std::optional<state::Wait>& wait, Rng& ids, Instant now,
                            CycleOutput& out) {
  const model::Job& row = state_.job(job);
  GroupRow* known = cache_.group(row.id);
  if (known == nullptr) return;
  model::PodGroupStatus status = row.status;
  if (!wait) {
    if (!end_wait(status.conditions)) return;
  } else if (!begin_wait(status.conditions, *wait)) {
    return;
  }
  const auto waiting = delayed_.find(row.id);
  Change change{.patient = true};
  if (waiting != delayed_.end()) change.pending_event = waiting->second.pending_event;
  put(job, *known, std::move(status), change, transition_id(ids), now, out);
}

void GroupWrites::put(model::JobId job, GroupRow& known, model::PodGroupStatus status, const Change& change,
                      std::string_view cycle_id, Instant now, CycleOutput& out) {
  const model::Job& row = state_.job(job);
  const Conditions& before = row.status.conditions;
  for (const model::Condition& condition : status.conditions) {
    ConditionStamp& stamp = stamp_for(known, condition.type);
    if (std::find(before.begin(), before.end(), condition) != before.end()) continue;
    stamp.transition_id = cycle_id;
    stamp.at = now;
  }
  const auto waiting = delayed_.find(row.id);
  const DelayedWrite* before_this = waiting != delayed_.end() ? &waiting->second : nullptr;
  const bool lets_in = change.changed || (before_this != nullptr && before_this->awaited);
  DelayedWrite what{
      .uid = row.uid,
      .status = status,
      .pending_event = change.pending_event,
      .since = before_this != nullptr ? before_this->since : now + Duration{change.patient ? -patience_.nanos : 0},
      .due = kNever,
      .only_message = (before_this == nullptr || before_this->only_message) && !change.changed &&
                      differ_in_message_only(status.conditions, before),
      .awaited = lets_in && status.phase == model::PodGroupPhase::Inqueue &&
                 std::cmp_less(row.tasks.size(), row.min_available),
      .good = change.good,
      .parked = change.good && before_this != nullptr && before_this->parked};
  what.due = due_at(what, known, now);
  state_.set_job_status(job, std::move(status));
  const bool by_allowance = what.good && patience_.nanos > 0;
  if (what.due <= now && !by_allowance) {
    delayed_.erase(row.id);
    return write(row.id, known, what, now, out);
  }
  due_.add({.controller = 0, .name = row.id}, what.due);
  delayed_[row.id] = std::move(what);
}

void GroupWrites::write(const std::string& key, GroupRow& known, const DelayedWrite& what, Instant now,
                        CycleOutput& out) {
  const model::PodGroupStatus& status = what.status;
  text::Array conditions;
  for (const model::Condition& condition : status.conditions) {
    conditions.emplace_back(condition_object(condition, stamp_for(known, condition.type)));
  }
  if (!conditions.empty()) known.told_at = now;
  text::Object change{{"phase", model::to_string(status.phase)},
                      {"running", or_null(status.running)},
                      {"succeeded", or_null(status.succeeded)},
                      {"failed", or_null(status.failed)}};
  if (!conditions.empty()) change["conditions"] = std::move(conditions);
  PendingWrite write{.kind = WriteKind::WriteGroup, .key = key, .uid = what.uid, .posted = now};
  write.call = loop::patch(target_of(SchedulerKind::PodGroup, key, what.uid), {{"status", std::move(change)}});
  out.writes.push_back(std::move(write));
  if (what.pending_event) out.events.push_back(*what.pending_event);
}

void GroupWrites::write_due(Instant now, CycleOutput& out) {
  for (const loop::Item& item : due_.take_due(now, SIZE_MAX)) {
    const auto at = delayed_.find(item.name);
    if (at == delayed_.end()) continue;
    DelayedWrite& later = at->second;
    if (now < later.due) {  // it was put off further meanwhile
      due_.add(item, later.due);
    } else if (!later.good) {
      write_now(at, now, out);
    } else if (!std::exchange(later.parked, true)) {
      ready_waiting_.push_back(item.name);
    }
  }
  for (; !ready_waiting_.empty(); ready_waiting_.pop_front()) {
    const auto at = delayed_.find(ready_waiting_.front());
    if (at == delayed_.end() || !at->second.parked) continue;
    if (now < ready_status_due(at->second)) break;
    budget_.take(now);
    write_now(at, now, out);
  }
}

Instant GroupWrites::ready_status_due(const DelayedWrite& oldest) const {
  return std::min(budget_.next(), oldest.since + kReadyStatusWait);
}

std::optional<Instant> GroupWrites::next_due() const {
  std::optional<Instant> due = due_.next_due();
  if (ready_waiting_.empty()) return due;
  const auto at = delayed_.find(ready_waiting_.front());
  const Instant oldest = at == delayed_.end() ? kNever : ready_status_due(at->second);
  return due ? std::min(*due, oldest) : oldest;
}

void GroupWrites::write_now(Table::iterator at, Instant now, CycleOutput& out) {
  const auto [name, later] = std::move(*at);
  delayed_.erase(at);
  const size_t slash = name.find('/');
  const std::string_view key = name;
  const model::JobId job = state_.find_job(key.substr(0, slash), key.substr(slash + 1));
  GroupRow* known = cache_.group(name);
  if (!job.valid() || known == nullptr || state_.job(job).uid != later.uid) return;
  write(name, *known, later, now, out);
  state_.set_job_status(job, later.status);  // an older state may have been told meanwhile
}

}  // namespace basalt::scheduler
