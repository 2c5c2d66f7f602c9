// What the webhook server says while it runs.
#pragma once

#include <functional>
#include <string>

#include "base/severity.h"

namespace basalt::webhook {

using WebhookLog = std::function<void(Severity severity, const std::string& line)>;  // may be empty; from any thread

inline void write_log(const WebhookLog& log, Severity severity, const std::string& line) {
  if (log) log(severity, line);
}

}  // namespace basalt::webhook
