// What `basalt up` says while it runs, on standard error, and its access log.
//
// Whatever a line holds, it stays one line: text of clients and pods is escaped here, where all lines come by
// (kube/text/log_text.h).
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"
#include "server/http/request_context.h"

namespace basalt::up {

inline constexpr size_t kMaxLogLineBytes = size_t{16} * 1024;
inline constexpr size_t kMaxAccessValueBytes = size_t{4} * 1024;

// From any thread.
using LogLineFunction = std::function<void(bool warning, const std::string& line)>;

[[nodiscard]] LogLineFunction open_log();

// One line for each request (two for what stays open), appended to `file` ("-": standard error). A file that is made
// here is 0600; one that is there keeps its mode.
[[nodiscard]] Result<server::AccessLog> open_access_log(const std::string& file);

}  // namespace basalt::up
