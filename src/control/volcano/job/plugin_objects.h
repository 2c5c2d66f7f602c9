// What the plugins of a job want beside its pods (Services, ConfigMaps, Secrets …): made, kept in step, removed.
//
// These kinds are not watched: a controller should not read all Secrets of a cluster. What has been made is remembered
// in the job's status (controlled_resources.h) by a write that comes after it, so the worst that a crash brings is that
// it is made again. Cost: one look at the job's status as long as the job's spec is the one for which everything was
// brought in step.
#pragma once

#include "base/result.h"
#include "control/volcano/job/controlled_resources.h"
#include "control/volcano/job/expand/job_view.h"
#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

// Adds the writes, and to `memory` what they leave. An error: a plugin cannot work with this job; a note tells it too.
[[nodiscard]] Result<void> sync_plugin_objects(WritePlan& plan, const VolcanoContext& context, const JobView& job,
                                               ControlledResourcesChange& memory);

// Removes what was made. `keep_keys`: a Secret with keys stays, for a job that may be resumed: the keys are the job's,
// not those of one run.
void delete_plugin_objects(WritePlan& plan, const JobView& job, bool keep_keys, ControlledResourcesChange& memory);

// "Execute plugin when job add failed, err: …"
[[nodiscard]] EventNote plugin_error(const JobView& job, std::string_view why);

}  // namespace basalt::volcano
