// The part of JSONPath that printer columns, scale paths and selectable fields use.
//
//   .spec.replicas   ['app.kubernetes.io/name']   .items[0]   .items[-1]   [*]   .conditions[?(@.type=="Ready")].status
//   .conditions[-1:]   .items[1:3]   .items[::2]
//
// A leading '$' and enclosing braces are accepted. A filter compares one path below '@' with a quoted text, a number,
// true or false by == or !=, or asks with the path alone whether it exists. A slice [first:end:step] is kubectl's: a
// negative bound counts from the end, and bounds that are not in the list find nothing. What the grammar does not have
// (recursive descent, unions, functions) is an error when the path is parsed, never a wrong answer later.
//
// A JsonPath is immutable; find() may be called from any thread. Cost of find: O(values visited), with at most
// kMaxJsonPathMatches answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "kube/text/json.h"

namespace basalt::text {

inline constexpr size_t kMaxJsonPathBytes = 4096;
inline constexpr size_t kMaxJsonPathSteps = 64;
inline constexpr size_t kMaxJsonPathMatches = 10'000;

class JsonPath {
 public:
  static Result<JsonPath> parse(std::string_view text);

  // What the path leads to below `root`, in document order; nothing when a step finds nothing.
  [[nodiscard]] std::vector<const Value*> find(const Value& root) const;
  // The first of them, or nullptr.
  [[nodiscard]] const Value* first(const Value& root) const;

  // Whether every step names a member (".spec.replicas"): then there is at most one match.
  [[nodiscard]] bool plain() const;
  // The names, in order. Requires: plain().
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  friend class JsonPathReader;

  struct Member {
    std::string name;
  };
  struct Index {
    int64_t at = 0;  // negative: from the end
  };
  struct Slice {
    std::optional<int64_t> first, end;  // negative: from the end; nothing: all that is there
    int64_t step = 1;                   // above 0
  };
  struct Each {};
  enum class Test : uint8_t { Exists, Equal, Unequal };
  struct Filter {
    std::vector<std::string> names;  // below '@'; empty: the element itself
    Test test = Test::Exists;
    Value operand;
  };
  using Step = std::variant<Member, Index, Slice, Each, Filter>;

  [[nodiscard]] static bool passes(const Filter& filter, const Value& element);
  static std::pair<int64_t, int64_t> bounds_of(const Slice& slice, int64_t size);  // [first, end) within the list
  static void advance(const Step& step, const Value& from, std::vector<const Value*>& out);

  std::vector<Step> steps_;
};

}  // namespace basalt::text
