// Reading members of an object whose schema has been checked already.
//
// Absent, null and a value of the wrong type all read as "not given": rules run after decoding, which refuses wrong
// types, so the last case only has to be harmless. Strings are views into the object.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kube/text/json.h"

namespace basalt::api::rules {

[[nodiscard]] inline const text::Value* member_of(const text::Object& object, std::string_view name) {
  const text::Value* value = object.if_contains(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}
[[nodiscard]] inline bool has(const text::Object& object, std::string_view name) {
  return member_of(object, name) != nullptr;
}
[[nodiscard]] inline std::string_view view_of(const text::Value& value) {
  const auto* string = value.if_string();
  return string == nullptr ? std::string_view() : std::string_view(string->data(), string->size());
}
[[nodiscard]] inline std::string_view string_at(const text::Object& object, std::string_view name) {
  const text::Value* value = member_of(object, name);
  return value == nullptr ? std::string_view() : view_of(*value);
}
[[nodiscard]] inline const text::Object* object_at(const text::Object& object, std::string_view name) {
  const text::Value* value = object.if_contains(name);
  return value == nullptr ? nullptr : value->if_object();
}
[[nodiscard]] inline text::Object* object_at(text::Object& object, std::string_view name) {
  text::Value* value = object.if_contains(name);
  return value == nullptr ? nullptr : value->if_object();
}
// The member as an object; an empty one when it is not there.
[[nodiscard]] const text::Object& part_of(const text::Object& object, std::string_view name);
[[nodiscard]] inline const text::Array* array_at(const text::Object& object, std::string_view name) {
  const text::Value* value = object.if_contains(name);
  return value == nullptr ? nullptr : value->if_array();
}
[[nodiscard]] inline text::Array* array_at(text::Object& object, std::string_view name) {
  text::Value* value = object.if_contains(name);
  return value == nullptr ? nullptr : value->if_array();
}
[[nodiscard]] inline size_t length_at(const text::Object& object, std::string_view name) {
  const text::Array* array = array_at(object, name);
  return array == nullptr ? 0 : array->size();
}
[[nodiscard]] inline std::optional<int64_t> int_at(const text::Object& object, std::string_view name) {
  const text::Value* value = object.if_contains(name);
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->get_int64();
}
[[nodiscard]] inline std::optional<bool> bool_at(const text::Object& object, std::string_view name) {
  const text::Value* value = object.if_contains(name);
  if (value == nullptr || !value->is_bool()) return std::nullopt;
  return value->get_bool();
}
[[nodiscard]] inline bool is_true(const text::Object& object, std::string_view name) {
  return bool_at(object, name).value_or(false);
}

// The member as an object / a list, made when it is not there (or is something else).
[[nodiscard]] inline text::Object& make_object(text::Object& object, std::string_view name) {
  text::Value& value = object[name];
  return value.is_object() ? value.get_object() : value.emplace_object();
}
[[nodiscard]] inline text::Array& make_array(text::Object& object, std::string_view name) {
  text::Value& value = object[name];
  return value.is_array() ? value.get_array() : value.emplace_array();
}
inline void set_if_missing(text::Object& object, std::string_view name, text::Value value) {
  if (!has(object, name)) object[name] = std::move(value);
}

// The objects of a list, in order: visit(const text::Object&, size_t index). Elements that are no objects are passed
// by.
template <class Visit>
void each_object(const text::Object& object, std::string_view name, Visit&& visit) {
  const text::Array* array = array_at(object, name);
  if (array == nullptr) return;
  for (size_t i = 0; i < array->size(); ++i) {
    if (const text::Object* one = (*array)[i].if_object()) visit(*one, i);
  }
}
template <class Visit>
void each_object(text::Object& object, std::string_view name, Visit&& visit) {
  text::Array* array = array_at(object, name);
  if (array == nullptr) return;
  for (size_t i = 0; i < array->size(); ++i) {
    if (text::Object* one = (*array)[i].if_object()) visit(*one, i);
  }
}
// The strings of a list.
template <class Visit>
void each_string(const text::Object& object, std::string_view name, Visit&& visit) {
  const text::Array* array = array_at(object, name);
  if (array == nullptr) return;
  for (size_t i = 0; i < array->size(); ++i) visit(view_of((*array)[i]), i);
}

// Equal as the API sees it: absent, null, "", [] and {} are one; the order of members does not matter. Cost: O(size).
[[nodiscard]] bool same_value(const text::Value* left, const text::Value* right);
[[nodiscard]] inline bool same_member(const text::Object& left, const text::Object& right, std::string_view name) {
  return same_value(left.if_contains(name), right.if_contains(name));
}

}  // namespace basalt::api::rules
