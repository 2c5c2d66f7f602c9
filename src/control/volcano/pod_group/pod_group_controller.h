// PodGroups for pods that name our scheduler and no group: bare pods, and pods of ReplicaSets, StatefulSets,
// DaemonSets, Kubernetes' Jobs and other controllers.
//
// 1. One group for all pods of one controller, "podgroup-<uid of the controller, else of the pod>", owned like them.
//    The group is there before a pod names it.
// 2. The group is as pod and owner say (pod_group_draft.h): minMember from the owner's annotation, queue and hints from
//    the pod. When the owner's annotations change, so does the group. A new pod of a ReplicaSet or StatefulSet, whose
//    pods are made from one template, brings the group in step with itself; pods of others may differ, the first one
//    counts.
// 3. A ReplicaSet or StatefulSet that is scaled to 0 has no group.
// 4. Pods that are over or leaving need none.
// 5. An owner that is not known yet is waited for kOwnerWaitTimeout after the pod was created: without it the group
//    would start with a wrong minMember.
// Items are keys of PodGroups.
#pragma once

#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

inline constexpr Duration kOwnerWaitTimeout = Duration::seconds(5);

[[nodiscard]] VolcanoController pod_group_controller();

}  // namespace basalt::volcano
