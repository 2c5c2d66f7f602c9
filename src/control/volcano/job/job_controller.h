// The job controller: a Job becomes a PodGroup, pods and what its plugins want, is restarted, suspended, completed and
// cleaned up.
//
// Items are keys of Jobs. Everything is derived from what is there now, so a plan may be made at any time and as often
// as one likes:
// 1. An action (of a policy or a Command) is one write of the job's status, which says the phase, the version of the
//    pods that count, the retry and why. What follows from it (pods, PodGroup and objects that have to go or to come)
//    is planned from that status: see job_snapshot.h for the pods, sync_job.h and clean_up_job.h for the rest.
// 2. Events are derived from the present state (job_events.h), never from the change that led to it. What cannot be
//    derived later is kept on the job (controlled_resources.h, delayed_actions.h).
// 3. Finished jobs cost nothing.
#pragma once

#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

[[nodiscard]] VolcanoController job_controller();

}  // namespace basalt::volcano
