#include "control/scheduler/conf_map_notes.h"

#include <algorithm>
#include <utility>

#include "control/scheduler/write_recovery.h"
#include "kube/api/object_view.h"

namespace basalt::scheduler {

void ConfMapNotes::take(ConfSource& source) {
  if (!source.has_notes()) return;
  notes_ = source.take_notes();
  text_ = source.in_force();
  changed_ = true;
}

void ConfMapNotes::write_due(Instant now, CycleOutput& out) {
  if (notes_.empty() || asking_ || (not_before_.is_set() && now < not_before_)) return;
  if (map_.empty()) return notes_.clear();
  const loop::WriteTarget target = target_of(SchedulerKind::ConfMap, map_, "");
  PendingWrite write{.kind = WriteKind::TellConf, .key = map_, .posted = now};
  write.call = {.verb = api::Verb::Get,
                .resource = target.resource,
                .namespace_name = target.namespace_name,
                .name = target.name};
  if (shows_conf_) {
    text::Value refused;
    for (const ConfNote& note : notes_) {
      if (note.reason == kRefusedReason) refused = note.message;
    }
    text::Object change{
        {"metadata", text::Object{{"annotations", text::Object{{state::kPolicyRefusedAnnotation, refused}}}}}};
    if (text_) change["data"] = text::Object{{kConfMapKey, *text_}};
    write.call.verb = api::Verb::Patch;
    write.call.patch = api::PatchType::Merge;
    write.call.body = std::move(change);
  }
  asking_ = true;
  changed_ = false;
  out.writes.push_back(std::move(write));
}

void ConfMapNotes::answered(const CompletedWrite& answer, Instant now, CycleOutput& out) {
  asking_ = false;
  if (changed_) return;  // what there is to say now was not asked about
  const OutcomeKind end = classify(answer.outcome);
  if (end == OutcomeKind::Gone || end == OutcomeKind::Refused) return notes_.clear();
  if (end != OutcomeKind::Done || answer.outcome->object == nullptr || !answer.outcome->object->is_object()) {
    not_before_ = now + kConfMapRetry;
    return;
  }
  const std::string_view uid = api::ObjectView(answer.outcome->object->get_object()).metadata().uid();
  for (ConfNote& note : std::exchange(notes_, {})) {
    out.events.push_back({.kind = SchedulerKind::ConfMap,
                          .warning = note.warning,
                          .key = map_,
                          .uid = std::string(uid),
                          .reason = std::string(note.reason),
                          .message = std::move(note.message),
                          .at = now});
  }
}

std::optional<Instant> ConfMapNotes::next_due() const {
  if (notes_.empty() || asking_) return std::nullopt;
  return not_before_;  // kNever: at once
}

}  // namespace basalt::scheduler
