// A job that is over, or on its way there: its alive pods, its PodGroup and the objects of its plugins go. The phase
// moves on when no pod is alive. Pods that succeeded or failed stay, and so do volume claims.
#pragma once

#include "controllers/controller.h"
#include "controllers/job/group.h"
#include "controllers/job/picture.h"

namespace basalt::controllers {

// Requires: !is_working(picture.phase).
void clean_up_job(Plan& plan, const JobPicture& picture, const JobGroup& group, Instant now);

}  // namespace basalt::controllers
