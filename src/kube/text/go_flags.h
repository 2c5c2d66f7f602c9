// Arguments (of job plugins), read as Go's flag package reads them.
//
// "-x=v", "--x=v", "-x v"; a bool flag stands alone or has "=v". Reading stops at the first argument that is no flag
// and at "--". At the first wrong flag it stops too, with a warning in Go's words; what was read before it applies, and
// a flag with an unreadable value keeps what it had.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace basalt::text {

struct GoFlag {
  std::string_view name;
  std::variant<bool*, int64_t*, std::string*> target;  // holds the default before, the value after
};

// The warning; empty when all was well.
[[nodiscard]] std::string read_go_flags(std::span<const std::string_view> arguments, std::span<const GoFlag> flags);

}  // namespace basalt::text
