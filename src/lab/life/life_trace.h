// Tells what happens in a life-cycle scenario, a short line for each write of the controllers.
#pragma once

#include <string>

#include "base/instant.h"
#include "kube/api/call.h"
#include "lab/scenario/scenario_script.h"

namespace basalt::lab {

// "12  pod j-worker-0 Failed   (at 2026-01-01T00:00:10Z)": the line of the file that is played.
[[nodiscard]] std::string trace_line(const lab::scenario::Script& script, size_t number, Instant now);

// "create pod j-worker-0", "patch job j status {…}", "event j ExecuteAction: …".
[[nodiscard]] std::string trace_write(const api::Call& call);

}  // namespace basalt::lab
