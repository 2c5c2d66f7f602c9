// What comes in: lists, watch events, answers.
#include <fmt/format.h>

#include "control/scheduler/desk.h"
#include "kube/api/object_fields.h"

namespace basalt::scheduler {
namespace {

bool is_object(const client::ObjectPtr& object) { return object != nullptr && object->is_object(); }

std::optional<Write> counted_as(Duty duty) {
  switch (duty) {
    case Duty::Bind:
      return Write::Bind;
    case Duty::DeleteVictim:
      return Write::Evict;
    case Duty::OpenGate:
      return Write::Gate;
    case Duty::WriteGroup:
      return Write::PodGroup;
    case Duty::WritePod:
      return Write::PodCondition;
    case Duty::WriteQueue:
      return Write::Queue;
    case Duty::Tell:
      return Write::Event;
    case Duty::MarkVictim:
    case Duty::MakeQueue:
    case Duty::ReadPod:
    case Duty::ReadGroup:
      break;
  }
  return std::nullopt;
}

}  // namespace

void Scheduler::Desk::take_list(const loop::ObjectFeed::Listed& listed, Instant now) {
  const Kind kind = kind_of(listed.kind);
  for (const client::ObjectPtr& object : listed.objects) {
    if (is_object(object)) learn(kind, object, Picture::Source::Listed, now);
  }
  for (const std::string& key : relist_.gone(listed, [&] { return picture_.keys(kind); })) forget(kind, key, now);
}

void Scheduler::Desk::take_event(const loop::ObjectFeed::News& news, Instant now) {
  if (!is_object(news.event.object)) return;
  const Kind kind = kind_of(news.kind);
  if (news.event.type != client::EventType::Deleted) {
    return learn(kind, news.event.object, Picture::Source::Told, now);
  }
  const text::Object& root = news.event.object->get_object();
  const std::string key = api::key_of(root);
  const std::string_view uid = api::string_at(root, {"metadata", "uid"});
  const ObjectRow* known = picture_.find(kind, key);
  // A namesake that was read before the watch told it is another object.
  if (known != nullptr && (uid.empty() || known->uid == uid)) forget(kind, key, now);
}

void Scheduler::Desk::learn(Kind kind, const client::ObjectPtr& object, Picture::Source source, Instant now) {
  const Picture::Learnt learnt = picture_.learn(kind, object, source);
  if (!learnt.taken) return;
  if (kind == Kind::ConfMap) {
    if (conf_.learn(&object->get_object(), policy_, options_.log)) policy_changed(now);
    return tell_policy(object->get_object(), now);
  }
  if (kind != Kind::Pod) return;
  const bool ours = learnt.fresh && source == Picture::Source::Told && learnt.created.is_set() &&
                    state_.find_task(api::string_at(object->get_object(), {"metadata", "uid"})).valid();
  if (ours) metrics_.watched(learnt.created, now);
  if (!learnt.replaced.empty()) repair_.forgotten(learnt.replaced);
  if (learnt.settled) repair_.settled(std::string(api::string_at(object->get_object(), {"metadata", "uid"})));
}

void Scheduler::Desk::tell_policy(const text::Object& conf_map, Instant now) {
  Written out;
  for (ConfNote& note : conf_.take_notes()) {
    out.remarks.push_back({.kind = Kind::ConfMap,
                           .warning = note.warning,
                           .key = api::key_of(conf_map),
                           .uid = std::string(api::string_at(conf_map, {"metadata", "uid"})),
                           .reason = std::string(note.reason),
                           .message = std::move(note.message),
                           .at = now});
  }
  post(std::move(out), now);
}

void Scheduler::Desk::forget(Kind kind, const std::string& key, Instant now) {
  if (kind == Kind::Pod) {
    if (const PodRow* row = picture_.pod(key); row != nullptr) repair_.forgotten(row->uid);
  }
  if (!picture_.forget(kind, key) || kind != Kind::ConfMap) return;
  if (conf_.learn(nullptr, policy_, options_.log)) policy_changed(now);
}

bool Scheduler::Desk::take_answers(Instant now, Written& out) {
  const std::vector<Answer> answers = outbox_.take();
  for (const Answer& answer : answers) take_answer(answer, now, out);
  if (complaints_ > 1) complaint_ += fmt::format(" (and {} more failed)", complaints_ - 1);
  if (complaints_ > 0) log(Severity::Warning, complaint_);
  complaints_ = 0;
  return !answers.empty();
}

// An outage fails thousands of writes at once: one line for all of them.
void Scheduler::Desk::complain(std::string line) {
  if (complaints_++ == 0) complaint_ = std::move(line);
}

void Scheduler::Desk::count(const Answer& answer) {
  const End end = end_of(answer.outcome);
  const Duty duty = answer.errand.duty;
  if (const auto write = counted_as(duty)) {
    const WriteEnd how = end == End::Done ? WriteEnd::Done : end == End::Unsure ? WriteEnd::Unsure : WriteEnd::Refused;
    metrics_.write_ended(*write, how);
    if (end == End::Unsure) ++working_.unsure;
    if (end != End::Unsure && end != End::Done) ++working_.refused;
  }
  if (end != End::Done) return;
  if (duty == Duty::Bind) ++working_.binds;
  if (duty == Duty::DeleteVictim) ++working_.evictions;
  if (duty == Duty::WriteGroup || duty == Duty::WritePod || duty == Duty::WriteQueue) ++working_.status_writes;
  if (duty == Duty::Tell) ++working_.events;
}

void Scheduler::Desk::take_answer(const Answer& answer, Instant now, Written& out) {
  count(answer);
  const Errand& errand = answer.errand;
  const End end = end_of(answer.outcome);
  switch (errand.duty) {
    case Duty::Tell:
      return;  // nobody waits for an event
    case Duty::MakeQueue:
      if (end != End::Done && end != End::Conflict) {
        complain(fmt::format("the queue {} is missing and could not be made: {}", errand.key,
                             answer.outcome.error().message));
        queues_made_ = false;
        queues_at_ = now + kQueueStatusRetry;
      }
      return;
    case Duty::WriteQueue:
      if (end == End::Done && picture_.queue(errand.key) != nullptr) {
        picture_.learn(Kind::Queue, answer.outcome->object);
      }
      return queues_.answered(errand, end == End::Done || end == End::Gone, now);
    case Duty::Bind:
      bind_ended(answer, end, now, out);
      break;
    default:
      if (errand.duty == Duty::WritePod) pods_.answered(errand, end == End::Done || end == End::Gone, now);
      if (end != End::Done && end != End::Gone) {
        complain(fmt::format("{} could not be written or read: {}", errand.key, answer.outcome.error().message));
        if (errand.duty == Duty::DeleteVictim) pods_.withdraw_nomination(errand.for_whom, now, out);
      }
  }
  repair_.answered(answer, now);
}

void Scheduler::Desk::bind_ended(const Answer& answer, End end, Instant now, Written& out) {
  const Errand& errand = answer.errand;
  if (end == End::Done) {
    out.remarks.push_back({.kind = Kind::Pod,
                           .key = errand.key,
                           .uid = errand.uid,
                           .reason = "Scheduled",
                           .message = errand.note,
                           .at = now});
    const model::TaskId task = state_.find_task(errand.uid);
    if (task.valid()) metrics_.bound(state_.task(task).created, errand.posted, now);
    return;
  }
  const std::string& why = answer.outcome.error().message;
  complain(fmt::format("pod {}: the bind to node {} failed: {}", errand.key, errand.node, why));
  if (end == End::Refused) pods_.bind_refused(errand, why, now, out);
}

}  // namespace basalt::scheduler
