// How many running pods of a job may be disturbed at once, by its disruption budget annotations.
#pragma once

#include <cstdint>

#include "engine/model/job.h"

namespace basalt::plugins {

// volcano.sh/jdb-max-unavailable: that many, less those that are already not running (finished ones aside).
// volcano.sh/jdb-min-available: what runs above it. Neither: 1. Never below 0.
// Both are a number or a percentage of the job's pods, rounded up; an unreadable one protects everything.
int32_t disturbable_tasks(const model::Job& job);

}  // namespace basalt::plugins
