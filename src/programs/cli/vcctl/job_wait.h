// --wait: staying with a job until it is over, with its logs.
#pragma once

#include <chrono>

#include "base/result.h"
#include "programs/cli/vcctl/command_session.h"

namespace basalt::cli::vcctl {

inline constexpr std::chrono::milliseconds kPollInterval{500};  // between two looks at the job and its logs
inline constexpr std::chrono::seconds kMaxHistoryWait{5};       // for the last state of a job that is gone

// Shows on `out` what the job's pods write (pod_log_follower.h), and on `err` the job's phases. Returns when the job is
// over: 0 when it completed, else the exit code of the container that failed first, or 1 where none is known.
//
// A job that is gone between two looks (ttlSecondsAfterFinished: 0) ended as the server's history of changes says it
// did. An error: it was deleted before it was over, or the server cannot be asked.
//
// `created`: the job as the server answered its creation. Looks every kPollInterval.
[[nodiscard]] Result<int> wait_for_job(CommandSession& session, const text::Object& created);

}  // namespace basalt::cli::vcctl
