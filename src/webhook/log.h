// What the webhook server says while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace basalt::webhook {

enum class Severity : uint8_t { Info, Warning, Error };
using Log = std::function<void(Severity severity, const std::string& line)>;  // may be empty; from any thread

inline void tell(const Log& log, Severity severity, const std::string& line) {
  if (log) log(severity, line);
}

}  // namespace basalt::webhook
