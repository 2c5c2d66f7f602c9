// A regular expression of a schema, in Go's syntax, which is RE2's. Matching takes linear time in the subject, whatever
// the pattern; both are bounded. Immutable; safe to use from any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace basalt::api {

inline constexpr size_t kMaxPatternBytes = size_t{64} * 1024;
inline constexpr int64_t kMaxPatternMemory = int64_t{8} * 1024 * 1024;

class Pattern {
 public:
  // The error is RE2's own words about what is wrong.
  [[nodiscard]] static Result<std::shared_ptr<const Pattern>> compile(std::string_view pattern);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // Whether it matches anywhere in `subject`, as Go's MatchString.
  [[nodiscard]] bool matches(std::string_view subject) const;

 private:
  explicit Pattern(std::unique_ptr<re2::RE2> expression);
  std::unique_ptr<re2::RE2> expression_;
};

}  // namespace basalt::api
