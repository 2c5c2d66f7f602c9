// Short functions for reading and writing well-known fields of an object that is a JSON value.
//
// Reading never fails: a field that is absent or of another type reads as empty, as a zero value would in Go. Objects
// in the store have been checked against their schema, so "of another type" does not happen there.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "kube/text/json.h"

namespace basalt::api {

// The value at a path of members; nullptr when a step is absent.
[[nodiscard]] const text::Value* value_at(const text::Object& object, std::initializer_list<std::string_view> path);

[[nodiscard]] std::string_view string_at(const text::Object& object, std::string_view key);
[[nodiscard]] std::string_view string_at(const text::Object& object, std::initializer_list<std::string_view> path);
[[nodiscard]] int64_t int_at(const text::Object& object, std::initializer_list<std::string_view> path,
                             int64_t fallback = 0);
[[nodiscard]] bool bool_at(const text::Object& object, std::initializer_list<std::string_view> path);
// nullptr when absent or of another type.
[[nodiscard]] const text::Object* object_at(const text::Object& object, std::initializer_list<std::string_view> path);
[[nodiscard]] const text::Array* array_at(const text::Object& object, std::initializer_list<std::string_view> path);

// The object under `key`, made when it is absent or of another type.
text::Object& object_in(text::Object& object, std::string_view key);
text::Array& array_in(text::Object& object, std::string_view key);

// metadata, made when absent.
[[nodiscard]] inline text::Object& metadata_of(text::Object& object) { return object_in(object, "metadata"); }
// metadata; an empty object when absent.
[[nodiscard]] const text::Object& metadata_of(const text::Object& object);
[[nodiscard]] std::string_view name_of(const text::Object& object);
[[nodiscard]] std::string_view namespace_of(const text::Object& object);
// "namespace/name", or "name" of an object without a namespace.
[[nodiscard]] std::string key_of(const text::Object& object);

// Whether the resourceVersion `next` of an object is later than `known`. Versions of one object rise on every server
// that we know; equal ones are the same state.
[[nodiscard]] bool is_later_version(std::string_view next, std::string_view known);

// Members are copied over when `from` has them and erased when it has not.
void copy_member(text::Object& to, const text::Object& from, std::string_view key);

}  // namespace basalt::api
