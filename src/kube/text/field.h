// A cursor into a document that knows where it stands.
//
//   Result<int64_t> n = Field(doc).field("spec").field("minMember").as_int();
//   error: spec.minMember: expected an integer, got string "x"
//
// 1. Absent and null are the same: "not given". as_…() then fails with "is required"; …_or(fallback) answers the
//    fallback; each…() visits nothing.
// 2. A wrong type is never "not given": a step into something that is no object gives a Field that is given() and
//    fails in every read, naming the place where an object was expected.
// 3. A Field is a few pointers into the document (and the LineMap, if any), which must outlive it. Copy it freely.
// 4. Steps and reads cost one lookup and never build a path; only error() and path() do, by finding their value
//    from the root: O(document), paid once per failed read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/text/json.h"
#include "kube/text/line_map.h"

namespace basalt::text {

class Field {
 public:
  // The whole document. With `lines` an error also names the line.
  explicit Field(const Value& root, const LineMap* lines = nullptr) : root_(&root), lines_(lines), value_(&root) {}
  explicit Field(const Value&& root, const LineMap* lines = nullptr) = delete;

  // The member called `key` / the element at `index`. `key` must outlive the Field (a literal does).
  [[nodiscard]] Field field(std::string_view key) const;
  [[nodiscard]] Field at(size_t index) const;

  [[nodiscard]] bool given() const { return misplaced_ || (value_ != nullptr && !value_->is_null()); }
  // What stands here; nullptr when not given or misplaced.
  [[nodiscard]] const Value* value() const { return !misplaced_ && given() ? value_ : nullptr; }
  [[nodiscard]] std::string path() const;
  [[nodiscard]] uint32_t line() const;  // 0: not known

  // "line 3: spec.minMember: <what>", the line only if it is known.
  [[nodiscard]] Error error(std::string_view what) const;

  [[nodiscard]] Result<std::string> as_string() const;
  [[nodiscard]] Result<int64_t> as_int() const;  // a whole number; 5.0 is refused, as in Kubernetes
  [[nodiscard]] Result<int32_t> as_int32() const;
  [[nodiscard]] Result<double> as_double() const;  // any finite number
  [[nodiscard]] Result<bool> as_bool() const;
  [[nodiscard]] Result<const Array*> as_array() const;
  [[nodiscard]] Result<const Object*> as_object() const;
  // A string as it is, a number or boolean as text: for settings that Go reads into a string.
  [[nodiscard]] Result<std::string> as_text() const;

  [[nodiscard]] Result<std::string> string_or(std::string_view fallback) const;
  [[nodiscard]] Result<int64_t> int_or(int64_t fallback) const;
  [[nodiscard]] Result<double> double_or(double fallback) const;
  [[nodiscard]] Result<bool> bool_or(bool fallback) const;

  // Calls visit(Field element) -> Result<void> for each element, in order, until one fails.
  template <class Visit>
  [[nodiscard]] Result<void> each(Visit&& visit) const;
  // Calls visit(std::string_view key, Field member) -> Result<void> for each member, in document order. Members whose
  // value is null are visited as not given.
  template <class Visit>
  [[nodiscard]] Result<void> each_member(Visit&& visit) const;

 private:
  static constexpr size_t kNoIndex = std::numeric_limits<size_t>::max();

  [[nodiscard]] std::unexpected<Error> wrong_type(std::string_view expected) const;
  [[nodiscard]] Field step(const Value* value, std::string_view key, size_t index) const;

  const Value* root_;
  const LineMap* lines_;
  const Value* value_;             // nullptr: absent
  const Value* parent_ = nullptr;  // the deepest value above an absent one; with misplaced_, what should be a container
  std::string_view key_;           // the first absent step below parent_
  size_t index_ = kNoIndex;
  bool misplaced_ = false;
};

template <class Visit>
Result<void> Field::each(Visit&& visit) const {
  if (!given()) return {};
  const auto array = as_array();
  if (!array) return std::unexpected(array.error());
  for (size_t i = 0; i < (*array)->size(); ++i) {
    if (Result<void> done = visit(at(i)); !done) return done;
  }
  return {};
}

template <class Visit>
Result<void> Field::each_member(Visit&& visit) const {
  if (!given()) return {};
  const auto object = as_object();
  if (!object) return std::unexpected(object.error());
  for (const auto& member : **object) {
    const std::string_view key = member.key();
    if (Result<void> done = visit(key, step(&member.value(), key, kNoIndex)); !done) return done;
  }
  return {};
}

}  // namespace basalt::text
