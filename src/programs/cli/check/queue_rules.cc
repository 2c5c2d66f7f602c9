#include <fmt/format.h>

#include <map>
#include <set>

#include "kube/api/pod_requests.h"
#include "kube/api/volcano_keys.h"
#include "programs/cli/check/check_rules.h"

namespace basalt::cli::checkup {
namespace {

using Queues = std::map<std::string_view, const CheckedQueue*>;

// What runs in each queue and below it. A pod that is on its way out no longer counts, as for the scheduler.
std::map<std::string_view, api::ResourceList> usage_of(const CheckedCluster& cluster, const Queues& queues) {
  std::map<std::string_view, std::string_view> queue_of;
  std::vector<std::string> keys;
  keys.reserve(cluster.groups.size());
  for (const CheckedGroup& group : cluster.groups) queue_of.emplace(keys.emplace_back(group.key()), group.queue);
  std::map<std::string_view, api::ResourceList> own;
  for (const CheckedPod& pod : cluster.pods) {
    if (!pod.is_bound() || !pod.alive() || pod.terminating) continue;
    const auto queue = queue_of.find(pod.group);
    if (queue != queue_of.end()) api::add(own[queue->second], pod.requests);
  }
  std::map<std::string_view, api::ResourceList> all;
  for (const auto& [name, used] : own) {
    std::set<std::string_view> seen;  // parents may form a circle
    for (auto at = queues.find(name); at != queues.end() && seen.insert(at->first).second;) {
      api::add(all[at->first], used);
      const CheckedQueue& queue = *at->second;
      if (queue.name == api::keys::kRootQueue || queue.parent.empty()) break;
      at = queues.find(queue.parent);
    }
  }
  return all;
}

}  // namespace

void check_queues(const CheckedCluster& cluster, std::vector<Finding>& findings) {
  Queues queues;
  for (const CheckedQueue& queue : cluster.queues) queues.emplace(queue.name, &queue);
  const auto usage = usage_of(cluster, queues);
  for (const CheckedQueue& queue : cluster.queues) {
    if (!queue.parent.empty() && !queues.contains(queue.parent)) {
      findings.push_back({.rule = kQueueMissing,
                          .kind = "Queue",
                          .object = queue.name,
                          .message = fmt::format("its parent {} does not exist", queue.parent)});
    }
    const auto used = usage.find(queue.name);
    if (used == usage.end()) continue;
    for (const auto& [resource, limit] : queue.capability) {
      const auto amount = used->second.find(resource);
      if (amount == used->second.end() || amount->second <= limit) continue;
      findings.push_back({.rule = kQueueOverCapability,
                          .kind = "Queue",
                          .object = queue.name,
                          .message = fmt::format("bound pods of it and below it ask for {} {}, its capability is {}",
                                                 amount->second.to_string(), resource, limit.to_string())});
    }
  }
}

}  // namespace basalt::cli::checkup
