// Events of the core group and of events.k8s.io: one kind in the store, two spellings of its fields.
#include <fmt/format.h>

#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/checks.h"

namespace basalt::api::rules {
namespace {

constexpr size_t kMaxShortBytes = 128;  // of reason, action, reporting instance
constexpr size_t kMaxNoteBytes = 1024;

// How each version calls what they share.
struct Spelling {
  std::string_view about, controller, note;
};
constexpr Spelling kCore = {"involvedObject", "reportingComponent", "message"};
constexpr Spelling kEvents = {"regarding", "reportingController", "note"};

void check_length(const text::Object& event, std::string_view name, size_t max, Causes& causes) {
  if (string_at(event, name).size() > max) {
    causes.invalid(std::string(name), text_value(""), fmt::format("can have at most {} characters", max));
  }
}

void check_namespace(const text::Object& event, const Spelling& words, Causes& causes) {
  const std::string_view own = string_at(part_of(event, "metadata"), "namespace");
  const std::string_view about = string_at(part_of(event, words.about), "namespace");
  // Events about things without a namespace live in "default"; those of the new way also in kube-system.
  const bool timed = has(event, "eventTime");
  const bool home = own.empty() || own == "default" || (timed && own == "kube-system");
  const bool fits = about.empty() ? home : timed || own == about;
  if (!fits) {
    causes.invalid(fmt::format("{}.namespace", words.about), text_value(about), "does not match event.namespace");
  }
}

void check_timed(const text::Object& event, const Spelling& words, Causes& causes) {
  if (!has(event, "eventTime")) return;
  const FieldPath at("");
  const std::string_view controller = string_at(event, words.controller);
  check_given(event, words.controller, at, causes);
  refuse(qualified_name(controller), controller, at.key(words.controller), causes);
  for (const std::string_view field : {"reportingInstance", "action", "reason"}) {
    check_given(event, field, at, causes);
    check_length(event, field, kMaxShortBytes, causes);
  }
  check_length(event, words.note, kMaxNoteBytes, causes);
}

void validate_core(const text::Object& event, Causes& causes) {
  check_namespace(event, kCore, causes);
  check_timed(event, kCore, causes);
}

void validate_event(const text::Object& event, Causes& causes) {
  check_namespace(event, kEvents, causes);
  check_timed(event, kEvents, causes);
}

void create_event(const text::Object& event, Causes& causes) {
  const FieldPath at("");
  if (!has(event, "eventTime")) causes.required("eventTime");
  const std::string_view type = string_at(event, "type");
  if (type != "Normal" && type != "Warning") {
    causes.invalid("type", text_value(""), "has invalid value: " + std::string(type));
  }
  for (const std::string_view field : {"deprecatedFirstTimestamp", "deprecatedLastTimestamp", "deprecatedCount"}) {
    if (has(event, field)) causes.invalid(std::string(field), text_value(""), "needs to be unset");
  }
  if (const text::Object* series = object_at(event, "series")) {
    if (int_at(*series, "count").value_or(0) < 2) {
      causes.invalid("series.count", text_value(""), "should be at least 2");
    }
  }
}

void update_event(const text::Object& next, const text::Object& old, Causes& causes) {
  const FieldPath at("");
  for (const std::string_view field :
       {"regarding", "reason", "note", "deprecatedSource", "deprecatedFirstTimestamp", "deprecatedLastTimestamp",
        "deprecatedCount", "type", "eventTime", "action", "related", "reportingController", "reportingInstance"}) {
    check_immutable(next, old, field, at, causes);
  }
}

}  // namespace

// Old clients name their events as they like.
KindRules core_event_rules() { return {.name_rule = NameRule::PathSegment, .validate = validate_core}; }

KindRules event_rules() {
  return {.name_rule = NameRule::PathSegment,
          .validate = validate_event,
          .validate_update = update_event,
          .validate_create = create_event};
}

}  // namespace basalt::api::rules
