// Labels and annotations that only the scheduler reads, and the names from api/ for those that it shares with others.
#pragma once

#include <string_view>

#include "kube/api/volcano_keys.h"

namespace basalt::state::keys {

using api::keys::kCooldownTime;
using api::keys::kGroupName;
using api::keys::kHierarchy;
using api::keys::kHierarchyWeights;
using api::keys::kMaxUnavailable;
using api::keys::kMinAvailable;
using api::keys::kPreemptable;
using api::keys::kQueueGate;
using api::keys::kRevocableZone;
using api::keys::kTaskPriority;
using api::keys::kTaskSpec;

inline constexpr std::string_view kWaitingTime = "volcano.sh/sla-waiting-time";
inline constexpr std::string_view kWaitingTimeOld = "sla-waiting-time";
inline constexpr std::string_view kTopologyAffinity = "volcano.sh/task-topology-affinity";
inline constexpr std::string_view kTopologyAntiAffinity = "volcano.sh/task-topology-anti-affinity";
inline constexpr std::string_view kTopologyTaskOrder = "volcano.sh/task-topology-task-order";
inline constexpr std::string_view kGroupLimits = "volcano.sh/nodegroup-resource-limits";

inline constexpr std::string_view kOversubscriptionCpu = "volcano.sh/oversubscription-cpu";        // millicores
inline constexpr std::string_view kOversubscriptionMemory = "volcano.sh/oversubscription-memory";  // bytes

// Never written: it only tells the engine that something besides the pod's own gates keeps it back.
inline constexpr std::string_view kHeldGate = "scheduler/held";

}  // namespace basalt::state::keys
