// What a simulated node does about a pod at a time: the kubelet as a pure function.
//
//   bound ─► (ContainerCreating, start-seconds) ─► Running ─► run time over ─► Succeeded, Failed
//                                                    ▲              │ restartPolicy
//                                                    └── back-off ◄─┘
//   being deleted ─► (stop-seconds) ─► deleted for good
//
// One write brings a pod to Running. A run that ended while nobody looked is reported with the time at which it ended.
#pragma once

#include <string_view>

#include "base/instant.h"
#include "control/loop/write_plan.h"
#include "control/node/simulated/simulated_pod.h"

namespace basalt::node {

struct SimulatedPodContext {
  std::string_view host_ip;  // of the node
  uint64_t seed = 1;
};

[[nodiscard]] loop::WritePlan plan_pod(const SimulatedPod& pod, const SimulatedPodContext& around, Instant now);

// An address in 10.0.0.0/8 for a pod: nobody listens there, and two pods may share one.
[[nodiscard]] std::string pod_address(std::string_view uid);

}  // namespace basalt::node
