// CronJobs: a Job at each time of a schedule.
//
// What was done is read from the jobs that are there, not from memory: a job's name holds its scheduled minute and its
// annotation the moment, so a process that died between making the job and writing the status finds it again.
#pragma once

#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

[[nodiscard]] VolcanoController cron_job_controller();

}  // namespace basalt::volcano
