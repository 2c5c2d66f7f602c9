// A job that is over, or on its way there: its alive pods, its PodGroup and the objects of its plugins go. The phase
// moves on when no pod is alive. Pods that succeeded or failed stay, and so do volume claims.
#pragma once

#include "control/volcano/controller.h"
#include "control/volcano/job/group.h"
#include "control/volcano/job/picture.h"

namespace basalt::volcano {

// Requires: !is_working(picture.phase).
void clean_up_job(Plan& plan, const JobPicture& picture, const JobGroup& group, Instant now);

}  // namespace basalt::volcano
