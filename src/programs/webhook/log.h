// What the webhook server says while it runs.
#pragma once

#include <functional>
#include <string>

#include "base/severity.h"

namespace basalt::webhook {

using Log = std::function<void(Severity severity, const std::string& line)>;  // may be empty; from any thread

inline void tell(const Log& log, Severity severity, const std::string& line) {
  if (log) log(severity, line);
}

}  // namespace basalt::webhook
