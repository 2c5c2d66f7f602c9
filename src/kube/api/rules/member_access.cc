#include "kube/api/rules/member_access.h"

namespace basalt::api::rules {
namespace {

bool is_empty(const text::Value* value) {
  if (value == nullptr || value->is_null()) return true;
  if (const auto* string = value->if_string()) return string->empty();
  if (const auto* array = value->if_array()) return array->empty();
  if (const auto* object = value->if_object()) {
    for (const auto& member : *object) {
      if (!is_empty(&member.value())) return false;
    }
    return true;
  }
  return false;
}

bool same_object(const text::Object& left, const text::Object& right) {
  for (const auto& member : left) {
    if (!same_value(&member.value(), right.if_contains(member.key()))) return false;
  }
  for (const auto& member : right) {
    if (!left.contains(member.key()) && !is_empty(&member.value())) return false;
  }
  return true;
}

}  // namespace

const text::Object& part_of(const text::Object& object, std::string_view name) {
  static const text::Object kNothing;
  const text::Object* part = object_at(object, name);
  return part == nullptr ? kNothing : *part;
}

bool same_value(const text::Value* left, const text::Value* right) {
  if (left == right) return true;
  const bool left_empty = is_empty(left);
  if (left_empty || is_empty(right)) return left_empty && is_empty(right);
  if (left->is_object() && right->is_object()) return same_object(left->get_object(), right->get_object());
  if (left->is_array() && right->is_array()) {
    const text::Array& a = left->get_array();
    const text::Array& b = right->get_array();
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!same_value(&a[i], &b[i])) return false;
    }
    return true;
  }
  return *left == *right;
}

}  // namespace basalt::api::rules
