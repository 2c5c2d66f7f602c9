// The status that begins a restart or the end of a job.
#pragma once

#include <string>
#include <string_view>

#include "control/volcano/job/job_status_change.h"

namespace basalt::volcano {

// Does this transition begin something, or does it only say again what the phase does by itself?
[[nodiscard]] bool begins(const JobSnapshot& snapshot, const JobTransition& next);

// KillJob: the next version, of which there is no pod yet, so that all pods are of an earlier one; the PodGroup is
// retired. `group`: the PodGroup of this version, or null.
[[nodiscard]] JobStatusDraft kill_draft(const JobSnapshot& snapshot, const JobTransition& next,
                                        const text::Object* group, std::string_view action, std::string why);

// KillTarget: the next retry. The pods have been marked.
[[nodiscard]] JobStatusDraft restart_draft(const JobSnapshot& snapshot, std::string_view action, std::string why);

// Why a job failed that may not be restarted again.
[[nodiscard]] std::string retries_used_up(const JobSnapshot& snapshot, std::string_view last);

}  // namespace basalt::volcano
