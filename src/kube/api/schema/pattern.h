// A regular expression of a schema, in Go's syntax, which is RE2's. Matching takes time in proportion to the subject,
// whatever the pattern, and at worst to subject times size(). Safe to use from any thread.
//
// A compiled pattern takes memory by its size and, while it is used, for the states that it has seen. Both are bounded
// by the memory that it was given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace basalt::api {

inline constexpr size_t kMaxPatternBytes = size_t{64} * 1024;
inline constexpr int64_t kMaxPatternMemory = int64_t{8} * 1024 * 1024;
inline constexpr int64_t kMinPatternMemory = int64_t{64} * 1024;

class Pattern {
 public:
  // Compiled at once. The error is RE2's own words about what is wrong; its code is Unsupported when the pattern is
  // right but too large for kMaxPatternMemory.
  [[nodiscard]] static Result<std::shared_ptr<const Pattern>> compile(std::string_view pattern);

  // Compiled when it is first asked for; until then it is its text. It is given `memory`, or what it needs at least.
  // Requires: it compiles. One that does not after all matches everything.
  [[nodiscard]] static std::shared_ptr<const Pattern> compile_later(std::string_view pattern, int64_t memory);

  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // Whether it matches anywhere in `subject`, as Go's MatchString.
  [[nodiscard]] bool matches(std::string_view subject) const;
  // The instructions of the compiled pattern: what each byte of a subject costs at worst.
  [[nodiscard]] size_t size() const;
  [[nodiscard]] bool is_compiled() const;

 private:
  Pattern(std::string text, int64_t memory);
  const re2::RE2& expression() const;

  std::string text_;
  int64_t memory_;
  mutable std::mutex mutex_;  // guards the compiling
  mutable std::unique_ptr<re2::RE2> expression_;
};

}  // namespace basalt::api
