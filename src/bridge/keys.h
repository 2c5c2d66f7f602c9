// Labels and annotations that the scheduler reads, with their exact spelling.
#pragma once

#include <string_view>

namespace basalt::bridge::keys {

inline constexpr std::string_view kGroupName = "scheduling.k8s.io/group-name";
inline constexpr std::string_view kQueueGate = "scheduling.volcano.sh/queue-allocation-gate";  // gate and annotation
inline constexpr std::string_view kTaskSpec = "volcano.sh/task-spec";
inline constexpr std::string_view kTaskPriority = "volcano.sh/task-priority";
inline constexpr std::string_view kPreemptable = "volcano.sh/preemptable";
inline constexpr std::string_view kRevocableZone = "volcano.sh/revocable-zone";
inline constexpr std::string_view kCooldownTime = "volcano.sh/cooldown-time";

inline constexpr std::string_view kWaitingTime = "volcano.sh/sla-waiting-time";
inline constexpr std::string_view kWaitingTimeOld = "sla-waiting-time";
inline constexpr std::string_view kMinAvailable = "volcano.sh/jdb-min-available";
inline constexpr std::string_view kMaxUnavailable = "volcano.sh/jdb-max-unavailable";
inline constexpr std::string_view kTopologyAffinity = "volcano.sh/task-topology-affinity";
inline constexpr std::string_view kTopologyAntiAffinity = "volcano.sh/task-topology-anti-affinity";
inline constexpr std::string_view kTopologyTaskOrder = "volcano.sh/task-topology-task-order";

inline constexpr std::string_view kHierarchy = "volcano.sh/hierarchy";
inline constexpr std::string_view kHierarchyWeights = "volcano.sh/hierarchy-weights";
inline constexpr std::string_view kGroupLimits = "volcano.sh/nodegroup-resource-limits";

inline constexpr std::string_view kOversubscriptionCpu = "volcano.sh/oversubscription-cpu";        // millicores
inline constexpr std::string_view kOversubscriptionMemory = "volcano.sh/oversubscription-memory";  // bytes

}  // namespace basalt::bridge::keys
