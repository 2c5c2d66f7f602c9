#include "kube/api/object_fields.h"

#include <charconv>

namespace basalt::api {
namespace {

const text::Object& nothing() {
  static const text::Object kNothing;
  return kNothing;
}

}  // namespace

const text::Value* value_at(const text::Object& object, std::initializer_list<std::string_view> path) {
  const text::Object* at = &object;
  const text::Value* found = nullptr;
  for (const std::string_view step : path) {
    if (at == nullptr) return nullptr;
    found = at->if_contains(step);
    if (found == nullptr) return nullptr;
    at = found->if_object();
  }
  return found;
}

std::string_view string_at(const text::Object& object, std::string_view key) {
  const text::Value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

std::string_view string_at(const text::Object& object, std::initializer_list<std::string_view> path) {
  const text::Value* value = value_at(object, path);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

int64_t int_at(const text::Object& object, std::initializer_list<std::string_view> path, int64_t fallback) {
  const text::Value* value = value_at(object, path);
  return value != nullptr && value->is_int64() ? value->get_int64() : fallback;
}

bool bool_at(const text::Object& object, std::initializer_list<std::string_view> path) {
  const text::Value* value = value_at(object, path);
  return value != nullptr && value->is_bool() && value->get_bool();
}

const text::Object* object_at(const text::Object& object, std::initializer_list<std::string_view> path) {
  const text::Value* value = value_at(object, path);
  return value == nullptr ? nullptr : value->if_object();
}

const text::Array* array_at(const text::Object& object, std::initializer_list<std::string_view> path) {
  const text::Value* value = value_at(object, path);
  return value == nullptr ? nullptr : value->if_array();
}

text::Object& object_in(text::Object& object, std::string_view key) {
  text::Value& value = object[key];
  if (!value.is_object()) value = text::Object();
  return value.get_object();
}

text::Array& array_in(text::Object& object, std::string_view key) {
  text::Value& value = object[key];
  if (!value.is_array()) value = text::Array();
  return value.get_array();
}

const text::Object& metadata_of(const text::Object& object) {
  const text::Value* value = object.if_contains("metadata");
  return value != nullptr && value->is_object() ? value->get_object() : nothing();
}

std::string_view name_of(const text::Object& object) { return string_at(metadata_of(object), "name"); }
std::string_view namespace_of(const text::Object& object) { return string_at(metadata_of(object), "namespace"); }

std::string key_of(const text::Object& object) {
  const std::string_view ns = namespace_of(object);
  std::string key(ns);
  if (!ns.empty()) key += '/';
  return key.append(name_of(object));
}

bool is_later_version(std::string_view next, std::string_view known) {
  const auto number = [](std::string_view version) {
    uint64_t value = 0;
    std::from_chars(version.data(), version.data() + version.size(), value);
    return value;
  };
  return number(next) > number(known);
}

void copy_member(text::Object& to, const text::Object& from, std::string_view key) {
  if (const text::Value* value = from.if_contains(key); value != nullptr) {
    to[key] = *value;
  } else {
    to.erase(key);
  }
}

}  // namespace basalt::api
