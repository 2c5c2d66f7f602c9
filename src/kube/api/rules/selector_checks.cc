// Label selectors, checked and matched as they stand in objects (declared in checks.h).
#include <algorithm>

#include "kube/api/rules/checks.h"

namespace basalt::api::rules {
namespace {

void check_requirement(const text::Object& requirement, const FieldPath& at, Causes& causes) {
  const std::string_view op = string_at(requirement, "operator");
  const size_t values = length_at(requirement, "values");
  if (op == "In" || op == "NotIn") {
    if (values == 0) {
      causes.required(at.key("values").text(), "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (values > 0) {
      causes.forbidden(at.key("values").text(), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else {
    causes.invalid(at.key("operator").text(), text_value(op), "not a valid selector operator");
  }
  const std::string_view key = string_at(requirement, "key");
  refuse(qualified_name(key), key, at.key("key"), causes);
  const FieldPath list = at.key("values");
  each_string(requirement, "values",
              [&](std::string_view value, size_t i) { refuse(label_value(value), value, list.at(i), causes); });
}

bool requirement_matches(const text::Object& requirement, const text::Object* labels) {
  const text::Value* value = labels == nullptr ? nullptr : labels->if_contains(string_at(requirement, "key"));
  const std::string_view op = string_at(requirement, "operator");
  if (op == "Exists") return value != nullptr;
  if (op == "DoesNotExist") return value == nullptr;
  bool listed = false;
  each_string(requirement, "values",
              [&](std::string_view one, size_t) { listed = listed || (value != nullptr && view_of(*value) == one); });
  return op == "NotIn" ? !listed : listed;
}

}  // namespace

void check_label_selector(const text::Object& selector, const FieldPath& where, Causes& causes) {
  if (const text::Object* labels = object_at(selector, "matchLabels")) {
    validate_labels(*labels, where.key("matchLabels").text(), causes);
  }
  const FieldPath list = where.key("matchExpressions");
  each_object(selector, "matchExpressions",
              [&](const text::Object& one, size_t i) { check_requirement(one, list.at(i), causes); });
}

bool selector_matches(const text::Object& selector, const text::Object* labels) {
  if (const text::Object* wanted = object_at(selector, "matchLabels")) {
    for (const auto& member : *wanted) {
      const text::Value* value = labels == nullptr ? nullptr : labels->if_contains(member.key());
      if (value == nullptr || view_of(*value) != view_of(member.value())) return false;
    }
  }
  bool matches = true;
  each_object(selector, "matchExpressions",
              [&](const text::Object& one, size_t) { matches = matches && requirement_matches(one, labels); });
  return matches;
}

}  // namespace basalt::api::rules
