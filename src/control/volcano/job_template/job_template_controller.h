// JobTemplates: their status lists the jobs that were made from them.
#pragma once

#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

[[nodiscard]] VolcanoController job_template_controller();

// "<namespace>.<name>", by which a job names the template or the flow that it was made from.
[[nodiscard]] std::string origin_of(const text::Object& object);

}  // namespace basalt::volcano
