// The status of a JobFlow, from the jobs that are there.
#pragma once

#include <string_view>

#include "control/volcano/job_flow/flow_view.h"

namespace basalt::volcano {

// Pending, Running, Succeed or Failed. A flow that succeeded stays so, whatever becomes of its jobs.
[[nodiscard]] std::string_view flow_phase(const FlowView& flow);

// The whole status; equal to the present one when nothing is to be written. A job's history grows by a line when its
// phase is another than in the present status.
[[nodiscard]] text::Object flow_status(const FlowView& flow, Instant now);

}  // namespace basalt::volcano
