#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "programs/cli/check/check_rules.h"

namespace basalt::cli::checkup {
namespace {

// A gang as its pods show it.
struct Gang {
  int64_t held = 0;     // bound and alive, or succeeded: what counts towards minMember
  int64_t bound = 0;    // of them alive: they hold room
  int64_t waiting = 0;  // could be bound
  Instant moved;        // when the last of its pods was made or bound
};

std::map<std::string_view, Gang> gangs_of(const CheckedCluster& cluster) {
  std::map<std::string_view, Gang> gangs;
  for (const CheckedPod& pod : cluster.pods) {
    if (pod.group.empty() || pod.terminating || pod.phase == api::PodPhase::Failed) continue;
    Gang& gang = gangs[pod.group];
    gang.moved = std::max({gang.moved, pod.created, pod.bound});
    if (pod.is_bound() || !pod.alive()) {
      ++gang.held;
      gang.bound += pod.alive() ? 1 : 0;
    } else {
      gang.waiting += pod.gated ? 0 : 1;
    }
  }
  return gangs;
}

void check_gang(const CheckedGroup& group, const Gang& gang, const CheckOptions& options,
                std::vector<Finding>& findings) {
  if (gang.bound == 0 || gang.waiting == 0 || gang.held >= group.min_member) return;
  if (options.now - gang.moved < options.gang_patience) return;
  findings.push_back({.rule = kGangPartlyBound,
                      .kind = "PodGroup",
                      .object = group.key(),
                      .message = fmt::format("{} of at least {} pods are bound or done, {} wait", gang.held,
                                             group.min_member, gang.waiting)});
}

void check_relations(const CheckedGroup& group, const std::map<std::string_view, const CheckedJob*>& jobs,
                     const std::set<std::string_view>& queues, std::vector<Finding>& findings) {
  if (!queues.contains(group.queue)) {
    findings.push_back({.rule = kQueueMissing,
                        .kind = "PodGroup",
                        .object = group.key(),
                        .message = fmt::format("its queue {} does not exist", group.queue)});
  }
  // Kubernetes' own Jobs are of the same kind, and others' pods come and go: only "<job>-<uid>" is a Volcano job's.
  const bool of_volcano_job =
      group.owner_kind == "Job" && group.name == fmt::format("{}-{}", group.owner_name, group.owner_uid);
  if (!of_volcano_job || group.terminating) return;
  const auto job = jobs.find(group.owner_uid);
  if (job == jobs.end()) {
    findings.push_back({.rule = kGroupOrphaned,
                        .kind = "PodGroup",
                        .object = group.key(),
                        .message = fmt::format("its job {} does not exist", group.owner_name)});
  } else if (job->second->is_over()) {
    findings.push_back({.rule = kGroupLeftOver,
                        .kind = "PodGroup",
                        .object = group.key(),
                        .message = fmt::format("its job {} is {}", group.owner_name, job->second->phase)});
  }
}

}  // namespace

void check_groups(const CheckedCluster& cluster, const CheckOptions& options, std::vector<Finding>& findings) {
  const auto gangs = gangs_of(cluster);
  std::map<std::string_view, const CheckedJob*> jobs;
  for (const CheckedJob& job : cluster.jobs) jobs.emplace(job.uid, &job);
  std::set<std::string_view> queues;
  for (const CheckedQueue& queue : cluster.queues) queues.insert(queue.name);
  std::set<std::string> groups;
  for (const CheckedGroup& group : cluster.groups) {
    const std::string key = group.key();
    if (const auto gang = gangs.find(key); gang != gangs.end()) check_gang(group, gang->second, options, findings);
    check_relations(group, jobs, queues, findings);
    groups.insert(key);
  }
  for (const CheckedPod& pod : cluster.pods) {
    if (pod.group.empty() || pod.terminating || !pod.alive() || groups.contains(pod.group)) continue;
    findings.push_back({.rule = kGroupMissing,
                        .kind = "Pod",
                        .object = pod.key(),
                        .message = fmt::format("its PodGroup {} does not exist", pod.group)});
  }
}

}  // namespace basalt::cli::checkup
