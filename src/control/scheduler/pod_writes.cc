#include "control/scheduler/pod_writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "control/scheduler/state/wait_text.h"
#include "kube/text/rfc3339.h"

namespace basalt::scheduler {
namespace {

using engine::FitFailure;
using model::TaskStatus;

constexpr std::string_view kUnschedulablePod = "Unschedulable";

// Why the gang waits; null: it does not say so.
const model::Condition* told_wait(const model::Job& job) {
  for (const model::Condition& condition : job.status.conditions) {
    if (condition.type == "Waiting" && condition.status == "True") return &condition;
  }
  return nullptr;
}

// It could have been placed, had its gang been.
bool lost_its_place(const engine::JobReport& job, const engine::TaskReport& task) {
  return task.last == TaskStatus::Allocated && !job.ready;
}

// The cycle found nothing about the task itself.
bool speaks_for_gang(const engine::JobReport& job, const engine::TaskReport& task) {
  return lost_its_place(job, task) || (task.last == TaskStatus::Pending && !task.failure);
}

// Two tasks that the report says the same about get the same words.
bool share_words(const engine::CycleReport& report, const engine::TaskReport& left, const engine::TaskReport& right) {
  if (left.last != TaskStatus::Pending || right.last != TaskStatus::Pending || left.failure != right.failure) {
    return false;
  }
  // This one names the task.
  return !left.failure || report.failures[*left.failure].kind != FitFailure::Kind::RoleFailedBefore;
}

}  // namespace

PodWrites::Words PodWrites::words_of(state::PodCondition condition) {
  Words words{.condition = std::move(condition)};
  words.reason = text_hash(words.condition.reason);
  words.message = text_hash(words.condition.message);
  return words;
}

PodWrites::Words PodWrites::words_about(const engine::JobReport& job, const engine::TaskReport& task,
                                        const state::ReportText& text) const {
  state::PodCondition condition = text.pod_condition(job, task);
  if (!speaks_for_gang(job, task)) return words_of(std::move(condition));
  condition.reason = kUnschedulablePod;
  const model::Condition* wait = told_wait(state_.job(job.job));
  if (wait != nullptr) condition.message = wait->message;
  Words words = words_of(std::move(condition));
  if (wait != nullptr) words.gang_reason = text_hash(wait->reason);
  return words;
}

void PodWrites::tell_wait(model::JobId job, Instant now) {
  const model::Job& gang = state_.job(job);
  const model::Condition* wait = told_wait(gang);
  if (wait == nullptr) return;
  Words words = words_of({.reason = std::string(kUnschedulablePod), .message = wait->message});
  words.gang_reason = text_hash(wait->reason);
  const Duration numbers_every = state::is_let_in(gang) ? kPodMessageEvery : kGangNumbersEvery;
  for (const model::TaskId id : gang.tasks) {
    const model::Task& task = state_.task(id);
    if (task.status != TaskStatus::Pending || task.gated) continue;
    const std::string key = key_of(state_, id);
    PodRow* row = cache_.pod(key);
    if (row == nullptr || (row->speaker == Speaker::Cycle && state::is_let_in(gang))) continue;
    row->speaker = Speaker::Gang;
    const ConditionHash& said = row->words;
    if (said.reason == words.reason && said.message == words.message) {
      delayed_.erase(key);
      continue;
    }
    const bool numbers_only = said.reason == words.reason && row->gang_reason == words.gang_reason;
    const Instant due = said.at.is_set()   ? said.at + (numbers_only ? numbers_every : kPodReasonEvery)
                        : said.reason == 0 ? now + patience_
                                           : now;
    DelayedWrite& later = delayed_[key];
    const bool parked = later.parked && later.uid == row->uid;
    later = {.uid = row->uid, .words = words, .by_allowance = true, .parked = parked};
    if (!parked) due_.add({.controller = 0, .name = key}, std::max(now, due));
  }
}

void PodWrites::report(const engine::CycleReport& report, const state::ReportText& text, Instant now,
                       CycleOutput& out) {
  for (const engine::JobReport& job : report.jobs) {
    const engine::TaskReport* before = nullptr;
    Words words;
    for (const engine::TaskReport& task : job.tasks) {
      if (before == nullptr || !share_words(report, *before, task)) words = words_about(job, task, text);
      before = &task;
      const std::string& node = words.condition.nominated_node;
      const bool nominate = !node.empty() && state_.names.text(state_.task(task.task).nominated_name) != node;
      std::string key = key_of(state_, task.task);
      PodRow* row = cache_.pod(key);
      if (row == nullptr) continue;
      row->speaker = speaks_for_gang(job, task) ? Speaker::Gang : Speaker::Cycle;
      say(std::move(key), *row, words, nominate ? Urgency::Nominate : Urgency::None, now, out);
    }
  }
}

void PodWrites::say(std::string key, PodRow& row, const Words& words, Urgency urgency, Instant now, CycleOutput& out) {
  const ConditionHash& said = row.words;
  const bool same_reason = said.reason == words.reason;
  if (urgency != Urgency::Nominate && same_reason && said.message == words.message) {
    if (!delayed_.empty()) delayed_.erase(key);
    return;
  }
  const Instant due = said.at.is_set()   ? said.at + (same_reason ? kPodMessageEvery : kPodReasonEvery)
                      : said.reason == 0 ? now + patience_
                                         : now;
  if (urgency == Urgency::None && now < due) {
    due_.add({.controller = 0, .name = key}, due);
    delayed_[std::move(key)] = {.uid = row.uid, .words = words};
    return;
  }
  write(key, row, words, urgency == Urgency::Nominate, now, out);
}

void PodWrites::write(const std::string& key, PodRow& row, const Words& words, bool nominate, Instant now,
                      CycleOutput& out) {
  delayed_.erase(key);
  text::Object condition{{"type", "PodScheduled"},
                         {"status", "False"},
                         {"reason", words.condition.reason},
                         {"message", words.condition.message}};
  if (row.words.reason == 0) condition["lastTransitionTime"] = text::format_time(now);
  text::Object status{{"conditions", text::Array{std::move(condition)}}};
  if (nominate) status["nominatedNodeName"] = words.condition.nominated_node;
  PendingWrite write{.kind = WriteKind::WritePod,
                     .key = key,
                     .uid = row.uid,
                     .reason = words.condition.reason,
                     .note = words.condition.message,
                     .posted = now};
  write.call = patch_pod_status(target_of(SchedulerKind::Pod, key, row.uid), std::move(status));
  out.writes.push_back(std::move(write));
  out.events.push_back({.kind = SchedulerKind::Pod,
                        .warning = true,
                        .key = key,
                        .uid = row.uid,
                        .reason = "FailedScheduling",
                        .message = words.condition.message,
                        .at = now});
  row.words = {.reason = words.reason, .message = words.message, .at = now};
  row.gang_reason = words.gang_reason;
}

void PodWrites::bind_refused(const PendingWrite& bind, const std::string& why, Instant now, CycleOutput& out) {
  PodRow* row = cache_.pod(bind.key);
  if (row == nullptr || row->uid != bind.uid) return;
  say(bind.key, *row,
      words_of({.reason = "SchedulerError",
                .message = fmt::format("failed to bind to node {}: {}", bind.node, why),
                .nominated_node = ""}),
      Urgency::Urgent, now, out);
}

void PodWrites::answered(const PendingWrite& write, bool good, Instant now) {
  const loop::Item item{.controller = 0, .name = write.key};
  if (good) return due_.succeeded(item);
  PodRow* row = cache_.pod(write.key);
  if (row == nullptr || row->uid != write.uid) return due_.succeeded(item);
  const bool withdraw = write.reason.empty();
  // What was said meanwhile is newer.
  delayed_.try_emplace(
      write.key, DelayedWrite{.uid = write.uid,
                              .words = withdraw ? Words{} : words_of({.reason = write.reason, .message = write.note}),
                              .withdraw = withdraw});
  if (!withdraw) row->words = {.at = row->words.at};
  due_.retry(item, now);
}

void PodWrites::withdraw_nomination(const std::string& key, Instant now, CycleOutput& out) {
  const PodRow* row = cache_.pod(key);
  const model::TaskId task = row == nullptr ? model::TaskId() : state_.find_task(row->uid);
  if (!task.valid() || state_.task(task).status != TaskStatus::Pending) return;
  PendingWrite write{.kind = WriteKind::WritePod, .key = key, .uid = row->uid, .posted = now};
  write.call = patch_pod_status(target_of(SchedulerKind::Pod, key, row->uid), {{"nominatedNodeName", nullptr}});
  out.writes.push_back(std::move(write));
}

void PodWrites::write_delayed(const std::string& key, const DelayedWrite& later, Instant now, CycleOutput& out) {
  PodRow* row = cache_.pod(key);
  if (row == nullptr || row->uid != later.uid) return;
  if (later.withdraw) return withdraw_nomination(key, now, out);
  if (row->words.message == later.words.message && row->words.reason == later.words.reason) return;
  const model::TaskId task = state_.find_task(row->uid);
  if (!task.valid() || state_.task(task).status != TaskStatus::Pending) return;
  if (later.by_allowance) {
    gang_budget_.busy(now);
    gang_budget_.take(now);
  }
  write(key, *row, later.words, /*nominate=*/false, now, out);
}

void PodWrites::write_due(Instant now, CycleOutput& out) {
  for (const loop::Item& item : due_.take_due(now, SIZE_MAX)) {
    const auto at = delayed_.find(item.name);
    if (at == delayed_.end()) continue;
    if (at->second.by_allowance) {
      if (!std::exchange(at->second.parked, true)) gang_words_.push_back(item.name);
      continue;
    }
    const DelayedWrite later = std::move(at->second);
    delayed_.erase(at);
    write_delayed(item.name, later, now, out);
  }
  for (; !gang_words_.empty() && now >= gang_budget_.next(); gang_words_.pop_front()) {
    const auto at = delayed_.find(gang_words_.front());
    if (at == delayed_.end() || !at->second.parked) continue;  // said otherwise meanwhile
    const DelayedWrite later = std::move(at->second);
    delayed_.erase(at);
    write_delayed(gang_words_.front(), later, now, out);
  }
}

std::optional<Instant> PodWrites::next_due() const {
  const std::optional<Instant> due = due_.next_due();
  if (gang_words_.empty()) return due;
  const Instant next = gang_budget_.next();
  return due ? std::min(*due, next) : next;
}

}  // namespace basalt::scheduler
