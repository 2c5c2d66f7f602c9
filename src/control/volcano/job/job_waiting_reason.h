// Why a job waits: the scheduler says it on the PodGroup (condition Waiting), here it comes to the job.
//
// While the gang waits, status.state has its reason and its sentence, and so has the entry of the present phase in
// status.conditions. Once it is placed all of them go. An event tells each new reason once; numbers that move within
// the sentence are written, not told.
#pragma once

#include "control/volcano/job/job_pod_group.h"
#include "control/volcano/job/job_snapshot.h"
#include "control/volcano/job/job_status_change.h"
#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

// Requires: no command is under way, whose uid the message would have to keep.
void set_waiting_reason(WritePlan& plan, JobStatusDraft& draft, const JobSnapshot& snapshot, const JobPodGroup& group);

}  // namespace basalt::volcano
