// Removes jobs when their time is up: spec.ttlSecondsAfterFinished after they completed, failed or were terminated.
//
// 1. A job is deleted once: in the version in which its time was found to be up, so a change of its TTL or phase, or a
//    deletion that has begun, refuses the request and the job is looked at again.
// 2. Its pods, PodGroup and claims go before it (foreground).
// 3. An aborted job is not over, it can be resumed: it stays, whatever its TTL says.
// 4. A job of a JobFlow stays until its flow has succeeded: a flow counts its jobs, and makes anew one that it misses.
// A job whose status does not say when it ended is left alone until it does. Items are keys of jobs.
#pragma once

#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

[[nodiscard]] VolcanoController gc_controller();

}  // namespace basalt::volcano
