// A job that is over, or on its way there: its alive pods, its PodGroup and the objects of its plugins go. The phase
// moves on when no pod is alive. Pods that succeeded or failed stay, and so do volume claims.
#pragma once

#include "control/volcano/job/job_pod_group.h"
#include "control/volcano/job/job_snapshot.h"
#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

// Requires: !is_working(snapshot.phase).
void clean_up_job(WritePlan& plan, const JobSnapshot& snapshot, const JobPodGroup& group, Instant now);

}  // namespace basalt::volcano
