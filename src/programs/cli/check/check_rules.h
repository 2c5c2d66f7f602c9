// The invariants of a cluster that runs batch jobs, each as a pure function over what the API says.
//
// A healthy cluster breaks none of them for longer than its programs need to react. Every rule has a name, by which
// people and scripts know it. Cost of all: O(objects · log objects).
#pragma once

#include <string_view>
#include <vector>

#include "base/instant.h"
#include "programs/cli/check/checked_cluster.h"
#include "programs/cli/check/finding.h"

namespace basalt::cli::checkup {

inline constexpr std::string_view kUnreadable = "unreadable";  // an object that is not as its kind should be
// Nodes: what bound pods that are not over ask for is there; the node of such a pod exists.
inline constexpr std::string_view kNodeOversubscribed = "node-oversubscribed";
inline constexpr std::string_view kNodeMissing = "node-missing";
// Gangs: fewer than minMember are bound while others of the same group wait, and nothing moves.
inline constexpr std::string_view kGangPartlyBound = "gang-partly-bound";
// PodGroups: those that pods name exist, and so do their owners and queues; none is left of a job that is over.
inline constexpr std::string_view kGroupMissing = "group-missing";
inline constexpr std::string_view kGroupOrphaned = "group-orphaned";
inline constexpr std::string_view kGroupLeftOver = "group-left-over";
inline constexpr std::string_view kQueueMissing = "queue-missing";
// Queues: what runs in one and below it stays within its capability.
inline constexpr std::string_view kQueueOverCapability = "queue-over-capability";
// The scheduler's ConfigMap: a conf that does not load, and so is not in force; what it names and is left out here.
inline constexpr std::string_view kPolicyRefused = "policy-refused";
inline constexpr std::string_view kPolicySkipped = "policy-skipped";  // advice
// Volcano jobs and their pods.
inline constexpr std::string_view kPodOrphaned = "pod-orphaned";     // its job is gone
inline constexpr std::string_view kPodTwice = "pod-twice";           // two living pods of one task and index
inline constexpr std::string_view kPodMisplaced = "pod-misplaced";   // a task or an index that the job has not
inline constexpr std::string_view kPodsLost = "pods-lost";           // of a job that is Running
inline constexpr std::string_view kPodOutlives = "pod-outlives";     // it lives on although its job is over
inline constexpr std::string_view kJobCounts = "job-counts";         // its status counts its pods wrongly
inline constexpr std::string_view kPodsRunAgain = "pods-run-again";  // taken after they finished, before the job did

struct CheckOptions {
  Instant now;
  // How long a gang may be partly bound since the last of its pods was made or bound. Room that others have to leave
  // first takes its time.
  Duration gang_patience = Duration::seconds(60);
};

// Sorted by rule, kind and object.
[[nodiscard]] std::vector<Finding> check_cluster(const CheckedCluster& cluster, const CheckOptions& options);

// Its parts, each adds what it finds.
void check_nodes(const CheckedCluster& cluster, std::vector<Finding>& findings);
void check_groups(const CheckedCluster& cluster, const CheckOptions& options, std::vector<Finding>& findings);
void check_queues(const CheckedCluster& cluster, std::vector<Finding>& findings);
void check_jobs(const CheckedCluster& cluster, std::vector<Finding>& findings);
void check_policy(const CheckedCluster& cluster, std::vector<Finding>& findings);

}  // namespace basalt::cli::checkup
