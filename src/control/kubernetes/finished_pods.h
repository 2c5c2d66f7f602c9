// Whether an owner still needs its finished pods for its result. If such a pod were collected, the owner would create
// it again and run its work twice.
//
// counts_finished_pods() answers for an owner, by what it says of itself:
//   Volcano Job               until it is Completed, Failed or Terminated (Aborted: it may be resumed, and then counts)
//   PodGroup                  until it is Completed
//   ReplicaSet, StatefulSet,  never: they replace a pod that finished, however long it is kept
//   DaemonSet, ReplicationController, Node
//   Pod                       until it has finished
//   anything else             until it says that it is over: status.completionTime, or one of the conditions Complete,
//                             Completed, Succeeded, Failed, Finished is True. A kind that never says so keeps its pods.
#pragma once

#include "control/kubernetes/watched_kinds.h"
#include "kube/text/json.h"

namespace basalt::kubernetes {

[[nodiscard]] bool counts_finished_pods(const WatchedKind& kind, const text::Object& object);

}  // namespace basalt::kubernetes
