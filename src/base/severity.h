// How much a line of a log matters, to whoever writes it and to whoever keeps it.
#pragma once

#include <cstdint>

namespace basalt {

enum class Severity : uint8_t { Info, Warning, Error };

}  // namespace basalt
