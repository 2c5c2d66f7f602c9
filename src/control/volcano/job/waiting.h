// Why a job waits: the scheduler says it on the PodGroup (condition Waiting), here it comes to the job.
//
// While the gang waits, status.state has its reason and its sentence, and so has the entry of the present phase in
// status.conditions. Once it is placed all of them go. An event tells each new reason once; numbers that move within
// the sentence are written, not told.
#pragma once

#include "control/volcano/controller.h"
#include "control/volcano/job/group.h"
#include "control/volcano/job/picture.h"
#include "control/volcano/job/status_change.h"

namespace basalt::volcano {

// Requires: no command is under way, whose uid the message would have to keep.
void put_wait(Plan& plan, StatusDraft& draft, const JobPicture& picture, const JobGroup& group);

}  // namespace basalt::volcano
