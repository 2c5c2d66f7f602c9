#include "control/scheduler/repair.h"

#include <algorithm>
#include <utility>

#include "kube/api/object_fields.h"

namespace basalt::scheduler {
namespace {

bool changes_pod(Duty duty) {
  return duty == Duty::Bind || duty == Duty::MarkVictim || duty == Duty::DeleteVictim || duty == Duty::OpenGate;
}

const text::Object* object_of(const client::Outcome& outcome) {
  return outcome && outcome->object != nullptr ? outcome->object->if_object() : nullptr;
}

}  // namespace

End end_of(const client::Outcome& outcome) {
  if (outcome) return End::Done;
  constexpr int kTimeout = 408, kTooMany = 429;
  const int code = outcome.error().code;
  if (code == 404) return End::Gone;
  if (code == 409) return End::Conflict;
  if (code >= 400 && code < 500 && code != kTimeout && code != kTooMany) return End::Refused;
  return End::Unsure;
}

void Repair::add(Doubt doubt, const std::string& key, Instant when) {
  due_.add({.controller = static_cast<uint32_t>(doubt), .name = key}, when);
}

void Repair::posted(const Errand& errand) {
  if (changes_pod(errand.duty)) ++open_[errand.uid];
  if (errand.duty == Duty::OpenGate) opening_.insert(errand.uid);
}

bool Repair::is_binding(const std::string& uid) const {
  const model::TaskId task = state_.find_task(uid);
  return task.valid() && state_.task(task).status == model::TaskStatus::Binding;
}

Duration Repair::pause_after_failure(Failures& failures, const std::string& uid) {
  constexpr int kDoublings = 6;
  const int before = std::min(failures[uid]++, kDoublings);
  return Duration{std::min(kFirstPause.nanos << before, kLastPause.nanos)};
}

void Repair::settled(const std::string& uid) {
  if (!failures_.empty()) failures_.erase(uid);
  if (!opening_.empty()) opening_.erase(uid);
}

void Repair::forgotten(const std::string& uid) {
  settled(uid);
  if (!eviction_failures_.empty()) eviction_failures_.erase(uid);
}

void Repair::answered(const Answer& answer, Instant now) {
  const Errand& errand = answer.errand;
  const End end = end_of(answer.outcome);
  if (changes_pod(errand.duty)) {
    const auto at = open_.find(errand.uid);
    if (at != open_.end() && --at->second == 0) open_.erase(at);
  }
  switch (errand.duty) {
    case Duty::Bind:
      return bind_answered(errand, end, now);
    case Duty::DeleteVictim:
      if (end == End::Done) return add(Doubt::Confirm, errand.key, now + kConfirmWithin);
      if (end == End::Gone) return add(Doubt::Read, errand.key, now);
      return add(Doubt::Read, errand.key, now + pause_after_failure(eviction_failures_, errand.uid));
    case Duty::OpenGate:
      if (end != End::Done) return add(Doubt::Read, errand.key, now + pause_after_failure(failures_, errand.uid));
      opening_.erase(errand.uid);
      if (picture_.pod(errand.key) != nullptr) picture_.learn(Kind::Pod, answer.outcome->object);
      return;
    case Duty::WriteGroup:
      if (end == End::Done) {
        due_.succeeded({.controller = static_cast<uint32_t>(Doubt::ReadGroup), .name = errand.key});
        if (picture_.group(errand.key) != nullptr) picture_.learn(Kind::PodGroup, answer.outcome->object);
      } else if (end != End::Gone) {
        due_.retry({.controller = static_cast<uint32_t>(Doubt::ReadGroup), .name = errand.key}, now);
      }
      return;
    case Duty::WritePod:
      if (end != End::Done && end != End::Gone)
        add(Doubt::Read, errand.key, now + pause_after_failure(failures_, errand.uid));
      return;
    case Duty::ReadPod:
      return pod_read(answer, now);
    case Duty::ReadGroup:
      return group_read(answer, now);
    case Duty::MarkVictim:  // the deletion follows, whatever came of this
    case Duty::WriteQueue:
    case Duty::MakeQueue:
    case Duty::Tell:
      return;
  }
}

void Repair::bind_answered(const Errand& errand, End end, Instant now) {
  if (end == End::Unsure) return add(Doubt::Read, errand.key, now + kFirstPause);
  if (end != End::Done) return add(Doubt::Read, errand.key, now);
  if (is_binding(errand.uid)) add(Doubt::Confirm, errand.key, now + kConfirmWithin);  // else the watch was faster
}

void Repair::pod_read(const Answer& answer, Instant now) {
  const Errand& errand = answer.errand;
  const loop::Item item{.controller = static_cast<uint32_t>(Doubt::Read), .name = errand.key};
  const PodRow* row = picture_.pod(errand.key);
  const End end = end_of(answer.outcome);
  if (row == nullptr || row->uid != errand.uid) return due_.succeeded(item);
  // Something was sent after the question; its own answer will say what to do.
  if (is_open(errand.uid)) return due_.succeeded(item);
  opening_.erase(errand.uid);
  if (end == End::Gone) {
    due_.succeeded(item);
    forgotten(errand.uid);
    picture_.forget(Kind::Pod, errand.key);
    return;
  }
  const text::Object* pod = object_of(answer.outcome);
  if (pod == nullptr) return due_.retry(item, now);
  due_.succeeded(item);
  const bool same = api::string_at(*pod, {"metadata", "uid"}) == errand.uid;
  const bool leaving = !api::string_at(*pod, {"metadata", "deletionTimestamp"}).empty();
  const bool placed = !api::string_at(*pod, {"spec", "nodeName"}).empty();
  if (same && !leaving) picture_.spare(errand.uid);
  if (same && !leaving && !placed && is_binding(errand.uid)) {
    picture_.hold(errand.uid);
    add(Doubt::Release, errand.key, now + pause_after_failure(failures_, errand.uid));
  } else if (!same) {
    forgotten(errand.uid);
  } else if (leaving || placed) {
    settled(errand.uid);
  }
  picture_.learn(Kind::Pod, answer.outcome->object, Picture::Source::Outcome);
}

void Repair::group_read(const Answer& answer, Instant now) {
  const Errand& errand = answer.errand;
  const GroupRow* row = picture_.group(errand.key);
  if (row == nullptr || row->uid != errand.uid) return;
  if (end_of(answer.outcome) == End::Gone) {
    picture_.forget(Kind::PodGroup, errand.key);
  } else if (object_of(answer.outcome) == nullptr) {
    due_.retry({.controller = static_cast<uint32_t>(Doubt::ReadGroup), .name = errand.key}, now);
  } else {
    picture_.learn(Kind::PodGroup, answer.outcome->object, Picture::Source::Outcome);
  }
}

void Repair::read_due(Instant now, Written& out) {
  for (const loop::Item& item : due_.take_due(now, SIZE_MAX)) {
    const auto doubt = static_cast<Doubt>(item.controller);
    if (doubt == Doubt::ReadGroup) {
      const GroupRow* row = picture_.group(item.name);
      if (row == nullptr) due_.succeeded(item);
      if (row != nullptr) out.errands.push_back(read_errand(Kind::PodGroup, item.name, row->uid, now));
      continue;
    }
    const PodRow* row = picture_.pod(item.name);
    if (row == nullptr) {
      due_.succeeded(item);
      continue;
    }
    const bool in_doubt = is_binding(row->uid) || picture_.is_evicting(row->uid);
    if (doubt == Doubt::Confirm && (!in_doubt || is_open(row->uid))) continue;
    if (doubt == Doubt::Release) picture_.release(row->uid);
    out.errands.push_back(read_errand(Kind::Pod, item.name, row->uid, now));
  }
}

}  // namespace basalt::scheduler
