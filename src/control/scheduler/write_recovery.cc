#include "control/scheduler/write_recovery.h"

#include <algorithm>
#include <utility>

#include "kube/api/views/pod_view.h"

namespace basalt::scheduler {
namespace {

bool changes_pod(WriteKind kind) {
  return kind == WriteKind::Bind || kind == WriteKind::MarkVictim || kind == WriteKind::DeleteVictim ||
         kind == WriteKind::OpenGate;
}

const text::Object* object_of(const client::ReplyOrError& outcome) {
  return outcome && outcome->object != nullptr ? outcome->object->if_object() : nullptr;
}

}  // namespace

OutcomeKind classify(const client::ReplyOrError& outcome) {
  if (outcome) return OutcomeKind::Done;
  constexpr int kTimeout = 408, kTooMany = 429;
  const int code = outcome.error().code;
  if (code == 404) return OutcomeKind::Gone;
  if (code == 409) return OutcomeKind::Conflict;
  if (code >= 400 && code < 500 && code != kTimeout && code != kTooMany) return OutcomeKind::Refused;
  return OutcomeKind::Unsure;
}

void WriteRecovery::add(FollowUp follow_up, const std::string& key, Instant when) {
  due_.add({.controller = static_cast<uint32_t>(follow_up), .name = key}, when);
}

void WriteRecovery::posted(const PendingWrite& write) {
  if (changes_pod(write.kind)) ++open_[write.uid];
  if (write.kind == WriteKind::OpenGate) opening_.insert(write.uid);
}

bool WriteRecovery::is_binding(const std::string& uid) const {
  const model::TaskId task = state_.find_task(uid);
  return task.valid() && state_.task(task).status == model::TaskStatus::Binding;
}

Duration WriteRecovery::pause_after_failure(Failures& failures, const std::string& uid) {
  constexpr int kDoublings = 6;
  const int before = std::min(failures[uid]++, kDoublings);
  return Duration{std::min(kFirstPause.nanos << before, kLastPause.nanos)};
}

void WriteRecovery::settled(const std::string& uid) {
  if (!failures_.empty()) failures_.erase(uid);
  if (!opening_.empty()) opening_.erase(uid);
}

void WriteRecovery::forgotten(const std::string& uid) {
  settled(uid);
  if (!eviction_failures_.empty()) eviction_failures_.erase(uid);
}

void WriteRecovery::answered(const CompletedWrite& answer, Instant now) {
  const PendingWrite& write = answer.write;
  const OutcomeKind end = classify(answer.outcome);
  if (changes_pod(write.kind)) {
    const auto at = open_.find(write.uid);
    if (at != open_.end() && --at->second == 0) open_.erase(at);
  }
  switch (write.kind) {
    case WriteKind::Bind:
      return bind_answered(write, end, now);
    case WriteKind::DeleteVictim:
      if (end == OutcomeKind::Done) return add(FollowUp::Confirm, write.key, now + kConfirmWithin);
      if (end == OutcomeKind::Gone) return add(FollowUp::Read, write.key, now);
      return add(FollowUp::Read, write.key, now + pause_after_failure(eviction_failures_, write.uid));
    case WriteKind::OpenGate:
      if (end != OutcomeKind::Done)
        return add(FollowUp::Read, write.key, now + pause_after_failure(failures_, write.uid));
      opening_.erase(write.uid);
      if (cache_.pod(write.key) != nullptr) cache_.learn(SchedulerKind::Pod, answer.outcome->object);
      return;
    case WriteKind::WriteGroup:
      if (end == OutcomeKind::Done) {
        due_.succeeded({.controller = static_cast<uint32_t>(FollowUp::ReadGroup), .name = write.key});
        if (cache_.group(write.key) != nullptr) cache_.learn(SchedulerKind::PodGroup, answer.outcome->object);
      } else if (end != OutcomeKind::Gone) {
        due_.retry({.controller = static_cast<uint32_t>(FollowUp::ReadGroup), .name = write.key}, now);
      }
      return;
    case WriteKind::WritePod:
      if (end != OutcomeKind::Done && end != OutcomeKind::Gone)
        add(FollowUp::Read, write.key, now + pause_after_failure(failures_, write.uid));
      return;
    case WriteKind::ReadPod:
      return pod_read(answer, now);
    case WriteKind::ReadGroup:
      return group_read(answer, now);
    case WriteKind::MarkVictim:  // the deletion follows, whatever came of this
    case WriteKind::WriteQueue:
    case WriteKind::CreateQueue:
    case WriteKind::TellConf:
    case WriteKind::ReadJob:
    case WriteKind::SendEvent:
      return;
  }
}

void WriteRecovery::bind_answered(const PendingWrite& write, OutcomeKind end, Instant now) {
  if (end == OutcomeKind::Unsure) return add(FollowUp::Read, write.key, now + kFirstPause);
  if (end != OutcomeKind::Done) return add(FollowUp::Read, write.key, now);
  if (is_binding(write.uid)) add(FollowUp::Confirm, write.key, now + kConfirmWithin);  // else the watch was faster
}

void WriteRecovery::pod_read(const CompletedWrite& answer, Instant now) {
  const PendingWrite& write = answer.write;
  const loop::Item item{.controller = static_cast<uint32_t>(FollowUp::Read), .name = write.key};
  const PodRow* row = cache_.pod(write.key);
  const OutcomeKind end = classify(answer.outcome);
  if (row == nullptr || row->uid != write.uid) return due_.succeeded(item);
  // Something was sent after the question; its own answer will say what to do.
  if (is_open(write.uid)) return due_.succeeded(item);
  opening_.erase(write.uid);
  if (end == OutcomeKind::Gone) {
    due_.succeeded(item);
    forgotten(write.uid);
    cache_.forget(SchedulerKind::Pod, write.key);
    return;
  }
  const api::PodView pod(object_of(answer.outcome));
  if (!pod) return due_.retry(item, now);
  due_.succeeded(item);
  const bool same = pod.metadata().uid() == write.uid;
  const bool leaving = !pod.metadata().deletion_timestamp().empty();
  const bool placed = !pod.spec().node_name().empty();
  if (same && !leaving) cache_.stop_evicting(write.uid);
  if (same && !leaving && !placed && is_binding(write.uid)) {
    cache_.hold(write.uid);
    add(FollowUp::Release, write.key, now + pause_after_failure(failures_, write.uid));
  } else if (!same) {
    forgotten(write.uid);
  } else if (leaving || placed) {
    settled(write.uid);
  }
  cache_.learn(SchedulerKind::Pod, answer.outcome->object, SchedulerCache::Source::Outcome);
}

void WriteRecovery::group_read(const CompletedWrite& answer, Instant now) {
  const PendingWrite& write = answer.write;
  const GroupRow* row = cache_.group(write.key);
  if (row == nullptr || row->uid != write.uid) return;
  if (classify(answer.outcome) == OutcomeKind::Gone) {
    cache_.forget(SchedulerKind::PodGroup, write.key);
  } else if (object_of(answer.outcome) == nullptr) {
    due_.retry({.controller = static_cast<uint32_t>(FollowUp::ReadGroup), .name = write.key}, now);
  } else {
    cache_.learn(SchedulerKind::PodGroup, answer.outcome->object, SchedulerCache::Source::Outcome);
  }
}

void WriteRecovery::read_due(Instant now, CycleOutput& out) {
  for (const loop::Item& item : due_.take_due(now, SIZE_MAX)) {
    const auto follow_up = static_cast<FollowUp>(item.controller);
    if (follow_up == FollowUp::ReadGroup) {
      const GroupRow* row = cache_.group(item.name);
      if (row == nullptr) due_.succeeded(item);
      if (row != nullptr) out.writes.push_back(read_request(SchedulerKind::PodGroup, item.name, row->uid, now));
      continue;
    }
    const PodRow* row = cache_.pod(item.name);
    if (row == nullptr) {
      due_.succeeded(item);
      continue;
    }
    const bool in_doubt = is_binding(row->uid) || cache_.is_evicting(row->uid);
    if (follow_up == FollowUp::Confirm && (!in_doubt || is_open(row->uid))) continue;
    if (follow_up == FollowUp::Release) cache_.release(row->uid);
    out.writes.push_back(read_request(SchedulerKind::Pod, item.name, row->uid, now));
  }
}

}  // namespace basalt::scheduler
