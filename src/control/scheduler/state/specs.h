// Kubernetes and Volcano objects → the specs that ClusterState's events take.
//
// Every function is all or nothing: on an error the state has at most new interned names. Errors name the field below
// the object. Annotations follow Volcano's leniency: one that does not parse counts as documented here, never as an
// error, because objects with such annotations run in clusters today.
#pragma once

#include <string>

#include "base/result.h"
#include "engine/model/cluster_state.h"
#include "kube/api/node_types.h"
#include "kube/api/pod_group_types.h"
#include "kube/api/pod_types.h"
#include "kube/api/policy_types.h"
#include "kube/api/queue_types.h"

namespace basalt::state {

// What identifies a pod: its uid, or namespace/name where an object has none (hand-written manifests).
[[nodiscard]] std::string task_uid(const api::Pod& pod);

// Pending and Running pods with a deletion time are Releasing; Pending with a node is Bound.
[[nodiscard]] model::TaskStatus task_status(const api::Pod& pod);

// Annotations: group-name; task-spec (else the label; "" if none); task-priority (an int32, else spec.priority, else
// 1); preemptable (else the label; default true, unparsable false); revocable-zone ("*" only; absent: "*" if the
// annotation preemptable is true); cooldown-time (label first; unparsable: none).
[[nodiscard]] Result<model::TaskSpec> task_spec(const api::Pod& pod, model::ClusterState& state);

// Allocatable plus the oversubscription annotations (unparsable: 0). Label volcano.sh/revocable-zone.
[[nodiscard]] Result<model::NodeSpec> node_spec(const api::Node& node, model::ClusterState& state);

// Annotations: sla-waiting-time (both spellings; not positive or unparsable: none); preemptable (else the label;
// default false); revocable-zone as for pods; jdb-min-available, else jdb-max-unavailable; task-topology-….
[[nodiscard]] Result<model::JobSpec> job_spec(const api::PodGroup& group, std::string_view default_queue,
                                              model::ClusterState& state);

// Annotations: hierarchy, hierarchy-weights; nodegroup-resource-limits (unparsable: marked malformed). A state that is
// not written yet is Unknown: only Open admits jobs.
[[nodiscard]] Result<model::QueueSpec> queue_spec(const api::Queue& queue, model::ClusterState& state);

[[nodiscard]] Result<model::ResourceQuota> quota_row(const api::ResourceQuota& quota, model::ClusterState& state);
[[nodiscard]] Result<model::DisruptionBudgetObject> budget_row(const api::PodDisruptionBudget& budget,
                                                               model::ClusterState& state);

[[nodiscard]] Result<model::PodGroupPhase> pod_group_phase(std::string_view text);

}  // namespace basalt::state
