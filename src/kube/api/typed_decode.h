// Filling structs from a document, one line per struct.
//
//   Result<void> read(const text::Field& at, Taint& out) {
//     return read_fields(at, "key", out.key, "value", out.value, "effect", out.effect);
//   }
//
// read(field, out) exists for the plain types below and, by argument-dependent lookup, for every struct of api/ that
// defines it; lists, maps and optionals of readable types are readable. Rules:
// 1. A field that is not given leaves `out` as it is: defaults are the struct's initialisers.
// 2. Members without a name in read_fields are ignored. The first wrong one ends the reading, with its path.
// 3. Nothing is validated beyond type and range; enumerated words stay strings, so a newer API's words pass through.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "kube/api/resource_list.h"
#include "kube/text/field.h"
#include "kube/text/quantity.h"

namespace basalt::api {

// Ordered by key, so that iterating is the same on every machine.
using StringMap = std::map<std::string, std::string, std::less<>>;

[[nodiscard]] Result<void> read(const text::Field& at, std::string& out);
[[nodiscard]] Result<void> read(const text::Field& at, bool& out);
[[nodiscard]] Result<void> read(const text::Field& at, int32_t& out);
[[nodiscard]] Result<void> read(const text::Field& at, int64_t& out);
[[nodiscard]] Result<void> read(const text::Field& at, text::Quantity& out);  // a string, or a bare number
[[nodiscard]] Result<void> read(const text::Field& at, Instant& out);         // RFC 3339

template <class T>
[[nodiscard]] Result<void> read(const text::Field& at, std::vector<T>& out);
template <class T>
[[nodiscard]] Result<void> read(const text::Field& at, std::map<std::string, T, std::less<>>& out);
template <class T>
[[nodiscard]] Result<void> read(const text::Field& at, std::optional<T>& out);

inline Result<void> read_fields(const text::Field& /*at*/) { return {}; }

// Reads each named member of `at` into the variable after its name. A wrong type of `at` itself is an error too.
template <class T, class... Rest>
[[nodiscard]] Result<void> read_fields(const text::Field& at, std::string_view name, T& out, Rest&&... rest) {
  if (Result<void> done = read(at.field(name), out); !done) return done;
  return read_fields(at, std::forward<Rest>(rest)...);
}

// An element that is null stays in the list as a default: positions matter to the reader of a message.
template <class T>
Result<void> read(const text::Field& at, std::vector<T>& out) {
  if (!at.given()) return {};
  out.clear();
  return at.each([&out](const text::Field& element) { return read(element, out.emplace_back()); });
}

template <class T>
Result<void> read(const text::Field& at, std::map<std::string, T, std::less<>>& out) {
  if (!at.given()) return {};
  out.clear();
  return at.each_member(
      [&out](std::string_view key, const text::Field& member) { return read(member, out[std::string(key)]); });
}

template <class T>
Result<void> read(const text::Field& at, std::optional<T>& out) {
  if (!at.given()) return {};
  return read(at, out.emplace());
}

// A whole object of a kind: T has a `metadata` and its read() fills everything below the root. The error names the
// object: "Pod default/web-0: spec.containers[0].resources.requests.cpu: quantity …".
template <class T>
[[nodiscard]] Result<T> decode_object(const text::Field& root, std::string_view kind);

// Where an object's error happened: "Pod default/web-0", as far as its metadata can be read.
[[nodiscard]] std::string object_place(const text::Field& root, std::string_view kind);

template <class T>
Result<T> decode_object(const text::Field& root, std::string_view kind) {
  T object;
  const auto is_object = root.as_object();
  if (!is_object) return std::unexpected(is_object.error().within(kind));
  if (Result<void> done = read(root, object); !done) {
    return std::unexpected(done.error().within(object_place(root, kind)));
  }
  return object;
}

}  // namespace basalt::api
