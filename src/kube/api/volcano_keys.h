// Labels, annotations and fixed names of Volcano's API, with their exact spelling: the one place where they are written
// down.
#pragma once

#include <string_view>

namespace basalt::api::keys {

// What ties a pod to its group, job and queue.
inline constexpr std::string_view kGroupName = "scheduling.k8s.io/group-name";
inline constexpr std::string_view kQueueName = "scheduling.volcano.sh/queue-name";  // bare pods and namespaces
inline constexpr std::string_view kGroupMinMember = "scheduling.volcano.sh/group-min-member";
inline constexpr std::string_view kQueueGate = "scheduling.volcano.sh/queue-allocation-gate";  // gate and annotation
inline constexpr std::string_view kTaskSpec = "volcano.sh/task-spec";
inline constexpr std::string_view kTaskIndex = "volcano.sh/task-index";
inline constexpr std::string_view kJobName = "volcano.sh/job-name";
inline constexpr std::string_view kJobNamespace = "volcano.sh/job-namespace";
inline constexpr std::string_view kJobQueue = "volcano.sh/queue-name";
inline constexpr std::string_view kJobVersion = "volcano.sh/job-version";
inline constexpr std::string_view kJobRetryCount = "volcano.sh/job-retry-count";
inline constexpr std::string_view kTemplateUid = "volcano.sh/template-uid";
inline constexpr std::string_view kPartitionId = "volcano.sh/partition-id";
inline constexpr std::string_view kJobForwarding = "volcano.sh/job-forwarding";
inline constexpr std::string_view kJobType = "volcano.sh/job-type";
inline constexpr std::string_view kOutOfSync = "volcano.sh/controller-out-of-sync";

// What the scheduler reads.
inline constexpr std::string_view kTaskPriority = "volcano.sh/task-priority";
inline constexpr std::string_view kPreemptable = "volcano.sh/preemptable";
inline constexpr std::string_view kRevocableZone = "volcano.sh/revocable-zone";
inline constexpr std::string_view kCooldownTime = "volcano.sh/cooldown-time";
inline constexpr std::string_view kMinAvailable = "volcano.sh/jdb-min-available";
inline constexpr std::string_view kMaxUnavailable = "volcano.sh/jdb-max-unavailable";
inline constexpr std::string_view kNumaPolicy = "volcano.sh/numa-topology-policy";
inline constexpr std::string_view kNetworkTopologyMode = "volcano.sh/network-topology-mode";
inline constexpr std::string_view kNetworkTopologyTier = "volcano.sh/network-topology-highest-tier";

// Queues.
inline constexpr std::string_view kHierarchy = "volcano.sh/hierarchy";
inline constexpr std::string_view kHierarchyWeights = "volcano.sh/hierarchy-weights";
inline constexpr std::string_view kClosedByParent = "volcano.sh/closed-by-parent";
inline constexpr std::string_view kRootQueue = "root";
inline constexpr std::string_view kDefaultQueue = "default";

// Where other controllers leave their traces.
inline constexpr std::string_view kCreatedByTemplate = "volcano.sh/createdByJobTemplate";
inline constexpr std::string_view kCreatedByFlow = "volcano.sh/createdByJobFlow";
inline constexpr std::string_view kScheduledTimestamp = "volcano.sh/cronjob-scheduled-timestamp";
inline constexpr std::string_view kTopologySource = "volcano.sh/network-topology-source";
inline constexpr std::string_view kResourceGroup = "volcano.sh/resource-group";
inline constexpr std::string_view kRankIndex = "hccl/rankIndex";

inline constexpr std::string_view kScheduler = "volcano";  // spec.schedulerName of what we schedule

}  // namespace basalt::api::keys
