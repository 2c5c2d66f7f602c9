// The severity of a log line.
#pragma once

#include <cstdint>

namespace basalt {

enum class Severity : uint8_t { Info, Warning, Error };

}  // namespace basalt
