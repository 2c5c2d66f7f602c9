#include "control/scheduler/state/annotations.h"

#include "control/scheduler/state/keys.h"
#include "kube/text/scalar.h"

namespace basalt::state {

const std::string* annotation_or_label(const api::ObjectMeta& meta, std::string_view key) {
  const std::string* annotation = api::find_in(meta.annotations, key);
  return annotation != nullptr ? annotation : api::find_in(meta.labels, key);
}

std::string annotation_or_empty(const api::ObjectMeta& meta, std::string_view key) {
  const std::string* text = api::find_in(meta.annotations, key);
  return text == nullptr ? "" : *text;
}

bool is_preemptable(const api::ObjectMeta& meta, bool fallback) {
  const std::string* text = annotation_or_label(meta, keys::kPreemptable);
  return text == nullptr ? fallback : text::parse_bool(*text).value_or(false);
}

bool is_revocable(const api::ObjectMeta& meta) {
  if (const std::string* zone = api::find_in(meta.annotations, keys::kRevocableZone)) return *zone == "*";
  const std::string* preemptable = api::find_in(meta.annotations, keys::kPreemptable);
  return preemptable != nullptr && text::parse_bool(*preemptable).value_or(false);
}

}  // namespace basalt::state
