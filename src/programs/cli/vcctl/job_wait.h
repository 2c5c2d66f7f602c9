// --wait: staying with a job until it is over, with its logs.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "programs/cli/vcctl/command_session.h"

namespace basalt::cli::vcctl {

inline constexpr std::chrono::milliseconds kPollInterval{500};  // between two looks at the job and its logs

// Shows on `out` what the job's pods write, line by line (with several pods: the pod's name before each), and on `err`
// the job's phases. Returns when the job is over: 0 when it completed, else the exit code of the container that failed
// first, or 1 where none is known. An error: the job was deleted, or the server cannot be asked.
//
// Looks every kPollInterval. The API has no offsets into logs, so a look reads the whole log of every pod that may have
// written since. Cost: O(pods, and bytes of their logs) per look.
[[nodiscard]] Result<int> wait_for_job(CommandSession& session, const std::string& namespace_name,
                                       const std::string& name);

}  // namespace basalt::cli::vcctl
