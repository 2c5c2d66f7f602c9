// How the level of a running program's log is read and changed, over HTTP.
#pragma once

#include "programs/daemon/async_log.h"
#include "programs/daemon/diagnostics_server.h"

namespace basalt::daemon {

// Levels above it are no different.
inline constexpr int kMaxLogLevel = 10;

// Adds /debug/flags/v: GET answers the level, PUT sets it from the body, as Kubernetes' own programs have it.
// Requires: `log` outlives the pages.
void add_log_level_page(PageTable& pages, AsyncLog& log);

}  // namespace basalt::daemon
