// Invariants that stay on in release builds.
//
// check(cond, "why") aborts with the reason and the place when `cond` is false. It guards what *our* code
// promises; outside input is never checked this way, it gets a Result (see result.h).
#pragma once

#include <source_location>
#include <string_view>

namespace basalt {

[[noreturn]] void check_failed(std::string_view why, const std::source_location& where);

// Cost: one predictable branch.
inline void check(bool condition, std::string_view why,
                  const std::source_location& where = std::source_location::current()) {
  if (!condition) [[unlikely]]
    check_failed(why, where);
}

}  // namespace basalt
