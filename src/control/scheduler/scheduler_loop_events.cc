// What comes in: lists, watch events, answers.
#include <fmt/format.h>

#include "control/scheduler/scheduler_loop.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"

namespace basalt::scheduler {
namespace {

std::optional<CountedWrite> counted_as(WriteKind kind) {
  switch (kind) {
    case WriteKind::Bind:
      return CountedWrite::Bind;
    case WriteKind::DeleteVictim:
      return CountedWrite::Evict;
    case WriteKind::OpenGate:
      return CountedWrite::Gate;
    case WriteKind::WriteGroup:
      return CountedWrite::PodGroup;
    case WriteKind::WritePod:
      return CountedWrite::PodCondition;
    case WriteKind::WriteQueue:
      return CountedWrite::Queue;
    case WriteKind::SendEvent:
      return CountedWrite::Event;
    case WriteKind::MarkVictim:
    case WriteKind::CreateQueue:
    case WriteKind::TellConf:
    case WriteKind::ReadPod:
    case WriteKind::ReadGroup:
    case WriteKind::ReadJob:
      break;
  }
  return std::nullopt;
}

}  // namespace

void Scheduler::SchedulerLoop::object_changed(loop::KindId kind, const client::ObjectPtr& object, Source source,
                                              Instant now) {
  learn(kind_of(kind), object,
        source == Source::List ? SchedulerCache::Source::Listed : SchedulerCache::Source::Watched, now);
}

void Scheduler::SchedulerLoop::object_deleted(loop::KindId id, const text::Object& last, Instant now) {
  const SchedulerKind kind = kind_of(id);
  const std::string key = api::key_of(last);
  const std::string_view uid = api::ObjectView(last).metadata().uid();
  const ObjectRow* known = cache_.find(kind, key);
  // A namesake that was read before the watch told it is another object.
  if (known != nullptr && (uid.empty() || known->uid == uid)) forget(kind, key, now);
}

void Scheduler::SchedulerLoop::object_gone(loop::KindId kind, const std::string& key, Instant now) {
  forget(kind_of(kind), key, now);
}

std::vector<std::string> Scheduler::SchedulerLoop::keys(loop::KindId kind) const { return cache_.keys(kind_of(kind)); }

void Scheduler::SchedulerLoop::learn(SchedulerKind kind, const client::ObjectPtr& object, SchedulerCache::Source source,
                                     Instant now) {
  const SchedulerCache::Learnt learnt = cache_.learn(kind, object, source);
  if (!learnt.taken) return;
  if (kind == SchedulerKind::ConfMap) {
    if (conf_.learn(&object->get_object(), policy_, options_.log)) policy_changed(now);
    return tell_policy(object->get_object(), now);
  }
  if (kind != SchedulerKind::Pod) return;
  const bool ours = learnt.fresh && source == SchedulerCache::Source::Watched && learnt.created.is_set() &&
                    state_.find_task(api::ObjectView(object->get_object()).metadata().uid()).valid();
  if (ours) metrics_.watched(learnt.created, now);
  if (!learnt.replaced.empty()) recovery_.forgotten(learnt.replaced);
  if (learnt.settled) recovery_.settled(std::string(api::ObjectView(object->get_object()).metadata().uid()));
}

void Scheduler::SchedulerLoop::tell_policy(const text::Object& conf_map, Instant now) {
  CycleOutput out;
  for (ConfNote& note : conf_.take_notes()) {
    out.events.push_back({.kind = SchedulerKind::ConfMap,
                          .warning = note.warning,
                          .key = api::key_of(conf_map),
                          .uid = std::string(api::ObjectView(conf_map).metadata().uid()),
                          .reason = std::string(note.reason),
                          .message = std::move(note.message),
                          .at = now});
  }
  post(std::move(out), now);
}

void Scheduler::SchedulerLoop::tell_file_policy(Instant now, CycleOutput& out) {
  if (options_.conf_file.empty()) return;
  conf_notes_.take(conf_);
  conf_notes_.write_due(now, out);
}

void Scheduler::SchedulerLoop::forget(SchedulerKind kind, const std::string& key, Instant now) {
  if (kind == SchedulerKind::Pod) {
    if (const PodRow* row = cache_.pod(key); row != nullptr) recovery_.forgotten(row->uid);
  }
  if (!cache_.forget(kind, key) || kind != SchedulerKind::ConfMap) return;
  if (conf_.learn(nullptr, policy_, options_.log)) policy_changed(now);
}

bool Scheduler::SchedulerLoop::take_answers(Instant now, CycleOutput& out) {
  const std::vector<CompletedWrite> answers = write_queue_.take();
  for (const CompletedWrite& answer : answers) take_answer(answer, now, out);
  if (complaints_ > 1) complaint_ += fmt::format(" (and {} more failed)", complaints_ - 1);
  if (complaints_ > 0) log(Severity::Warning, complaint_);
  complaints_ = 0;
  return !answers.empty();
}

// An outage fails thousands of writes at once: one line for all of them.
void Scheduler::SchedulerLoop::complain(std::string line) {
  if (complaints_++ == 0) complaint_ = std::move(line);
}

void Scheduler::SchedulerLoop::count(const CompletedWrite& answer) {
  const OutcomeKind end = classify(answer.outcome);
  const WriteKind kind = answer.write.kind;
  if (const auto write = counted_as(kind)) {
    const WriteEnd how = end == OutcomeKind::Done     ? WriteEnd::Done
                         : end == OutcomeKind::Unsure ? WriteEnd::Unsure
                                                      : WriteEnd::Refused;
    metrics_.write_ended(*write, how);
    if (end == OutcomeKind::Unsure) ++working_.unsure;
    if (end != OutcomeKind::Unsure && end != OutcomeKind::Done) ++working_.refused;
  }
  if (end != OutcomeKind::Done) return;
  if (kind == WriteKind::Bind) ++working_.binds;
  if (kind == WriteKind::DeleteVictim) ++working_.evictions;
  if (kind == WriteKind::WriteGroup || kind == WriteKind::WritePod || kind == WriteKind::WriteQueue)
    ++working_.status_writes;
  if (kind == WriteKind::SendEvent) ++working_.events;
}

void Scheduler::SchedulerLoop::take_answer(const CompletedWrite& answer, Instant now, CycleOutput& out) {
  count(answer);
  const PendingWrite& write = answer.write;
  const OutcomeKind end = classify(answer.outcome);
  switch (write.kind) {
    case WriteKind::SendEvent:
      return;  // nobody waits for an event
    case WriteKind::TellConf:
      return conf_notes_.answered(answer, now, out);
    case WriteKind::ReadJob:
      if (end != OutcomeKind::Done && end != OutcomeKind::Gone) {
        complain(fmt::format("the job {} could not be read: {}", write.key, answer.outcome.error().message));
      }
      templates_.answered(answer, now);
      return waits_.look_again(now);
    case WriteKind::CreateQueue:
      if (end != OutcomeKind::Done && end != OutcomeKind::Conflict) {
        complain(fmt::format("the queue {} is missing and could not be made: {}", write.key,
                             answer.outcome.error().message));
        queues_made_ = false;
        queues_at_ = now + kQueueStatusRetry;
      }
      return;
    case WriteKind::WriteQueue:
      if (end == OutcomeKind::Done && cache_.queue(write.key) != nullptr) {
        cache_.learn(SchedulerKind::Queue, answer.outcome->object);
      }
      return queues_.answered(write, end == OutcomeKind::Done || end == OutcomeKind::Gone, now);
    case WriteKind::Bind:
      bind_ended(answer, end, now, out);
      break;
    default:
      if (write.kind == WriteKind::WritePod)
        pods_.answered(write, end == OutcomeKind::Done || end == OutcomeKind::Gone, now);
      if (end != OutcomeKind::Done && end != OutcomeKind::Gone) {
        complain(fmt::format("{} could not be written or read: {}", write.key, answer.outcome.error().message));
        if (write.kind == WriteKind::DeleteVictim) pods_.withdraw_nomination(write.for_whom, now, out);
      }
  }
  recovery_.answered(answer, now);
}

void Scheduler::SchedulerLoop::bind_ended(const CompletedWrite& answer, OutcomeKind end, Instant now,
                                          CycleOutput& out) {
  const PendingWrite& write = answer.write;
  if (end == OutcomeKind::Done) {
    out.events.push_back({.kind = SchedulerKind::Pod,
                          .key = write.key,
                          .uid = write.uid,
                          .reason = "Scheduled",
                          .message = write.note,
                          .at = now});
    const model::TaskId task = state_.find_task(write.uid);
    if (task.valid()) metrics_.bound(state_.task(task).created, write.posted, now);
    return;
  }
  const std::string& why = answer.outcome.error().message;
  complain(fmt::format("pod {}: the bind to node {} failed: {}", write.key, write.node, why));
  if (end == OutcomeKind::Refused) pods_.bind_refused(write, why, now, out);
}

}  // namespace basalt::scheduler
