// What the environment says about a run: how long it is, and with which seed.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace basalt::crash {

inline uint64_t number_from(const char* variable, uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

}  // namespace basalt::crash
