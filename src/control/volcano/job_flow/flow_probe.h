// May a step of a JobFlow start? Its targets must be completed; with a probe, a target that is under way is enough when
// the probe's checks of it are good.
//
//   taskStatusList   the target's task has its minimum of pods in a phase
//   httpGetList      every pod of the task answers an HTTP request well
//   tcpSocketList    every pod of the task takes connections
// A check is about each target that has a task of that name; a probe without any check about a target is not good.
#pragma once

#include "control/volcano/job_flow/flow_view.h"

namespace basalt::volcano {

inline constexpr size_t kMaxProbedPods = 64;                   // of one task; those with the lowest numbers
inline constexpr Duration kProbeAgain = Duration::seconds(5);  // after one that was not good
inline constexpr Duration kProbeLife = Duration::seconds(30);  // a good one counts this long

struct StepReadiness {
  bool ready = false;
  std::vector<loop::Probe> asks;  // to be made before it can be told
};

[[nodiscard]] StepReadiness readiness_of(const VolcanoContext& context, const FlowView& flow, const FlowStep& step,
                                         Instant now);

}  // namespace basalt::volcano
