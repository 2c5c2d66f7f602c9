// How the level of a running program's log is read and changed, over HTTP.
#pragma once

#include "programs/daemon/endpoints.h"
#include "programs/daemon/log.h"

namespace basalt::daemon {

// Levels above it are no different.
inline constexpr int kMaxLogLevel = 10;

// Adds /debug/flags/v: GET answers the level, PUT sets it from the body, as Kubernetes' own programs have it.
// Requires: `log` outlives the pages.
void add_log_pages(Pages& pages, Log& log);

}  // namespace basalt::daemon
