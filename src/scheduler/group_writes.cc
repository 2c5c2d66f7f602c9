#include "scheduler/group_writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/time.h"

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

}  // namespace

void GroupWrites::report(const engine::Report& report, const bridge::ReportText& text, Rng& ids, Instant now,
                         Written& out) {
  const std::string cycle_id = transition_id(ids);
  for (const engine::EnqueueRefusal& refusal : report.refusals) {
    const model::Job& row = state_.job(refusal.job);
    const bridge::Event told = text.refusal_event(refusal);
    out.notes.push_back(note_about(Kind::PodGroup, row.id, row.uid, told.type == "Warning", told.reason, told.message));
  }
  for (const engine::JobReport& job : report.jobs) report_job(job, text, cycle_id, now, out);
}

void GroupWrites::report_job(const engine::JobReport& job, const bridge::ReportText& text, std::string_view cycle_id,
                             Instant now, Written& out) {
  const model::Job& row = state_.job(job.job);
  GroupRow* known = picture_.group(row.id);
  if (known == nullptr) return;
  Conditions conditions = text.pod_group_conditions(job, row.status.conditions);
  const bool same_words = conditions == row.status.conditions;
  if (!job.changed && !same_words && differ_in_message_only(conditions, row.status.conditions) &&
      known->told_at.is_set() && now - known->told_at < kGroupWordsEvery) {
    later_[row.id] = {.uid = row.uid, .conditions = std::move(conditions)};
    return due_.add({.controller = 0, .name = row.id}, known->told_at + kGroupWordsEvery);
  }
  later_.erase(row.id);
  const std::optional<bridge::Event> told = text.pod_group_event(job);
  if (job.changed || !same_words) {
    model::PodGroupStatus status = job.status;
    status.conditions = std::move(conditions);
    write(job.job, *known, std::move(status), cycle_id, now, out);
  }
  if (told) {
    out.notes.push_back(
        note_about(Kind::PodGroup, row.id, row.uid, told->type == "Warning", told->reason, told->message));
  }
}

void GroupWrites::write(model::JobId job, GroupRow& known, model::PodGroupStatus status, std::string_view cycle_id,
                        Instant now, Written& out) {
  const model::Job& row = state_.job(job);
  const Conditions& before = row.status.conditions;
  text::Array conditions;
  for (const model::Condition& condition : status.conditions) {
    ConditionStamp& stamp = stamp_for(known, condition.type);
    if (std::find(before.begin(), before.end(), condition) == before.end()) {
      stamp.transition_id = cycle_id;
      stamp.at = now;
    }
    conditions.emplace_back(condition_object(condition, stamp));
  }
  if (status.conditions != before) known.told_at = now;
  text::Object change{{"phase", model::to_string(status.phase)},
                      {"running", or_null(status.running)},
                      {"succeeded", or_null(status.succeeded)},
                      {"failed", or_null(status.failed)}};
  if (!conditions.empty()) change["conditions"] = std::move(conditions);
  Errand errand{.duty = Duty::WriteGroup, .key = row.id, .uid = row.uid, .posted = now};
  errand.call = reconcile::patch(target_of(Kind::PodGroup, row.id, row.uid), {{"status", std::move(change)}});
  out.errands.push_back(std::move(errand));
  state_.set_job_status(job, std::move(status));
}

void GroupWrites::write_due(Rng& ids, Instant now, Written& out) {
  if (const auto due = due_.next_due(); !due || *due > now) return;
  const std::string cycle_id = transition_id(ids);
  for (const reconcile::Item& item : due_.take_due(now, SIZE_MAX)) {
    const auto at = later_.find(item.name);
    if (at == later_.end()) continue;
    Later later = std::move(at->second);
    later_.erase(at);
    const size_t slash = item.name.find('/');
    const std::string_view key = item.name;
    const model::JobId job = state_.find_job(key.substr(0, slash), key.substr(slash + 1));
    GroupRow* known = picture_.group(item.name);
    if (!job.valid() || known == nullptr || state_.job(job).uid != later.uid) continue;
    model::PodGroupStatus status = state_.job(job).status;
    if (status.conditions == later.conditions) continue;
    status.conditions = std::move(later.conditions);
    write(job, *known, std::move(status), cycle_id, now, out);
  }
}

}  // namespace basalt::scheduler
