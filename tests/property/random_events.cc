// What happens to a random world between two cycles.
#include <algorithm>

#include "tests/property/pick.h"
#include "tests/property/random_cluster.h"

namespace basalt::property {

using model::TaskStatus;

std::vector<PlanChange> RandomCluster::take_changes() {
  std::vector<PlanChange> changes(pending_.begin(), pending_.end());
  pending_.clear();
  return changes;
}

void RandomCluster::settle(const NamedDecisions& decided) {
  for (const auto& [pod, node] : decided.binds) {
    plan_.pods.at(pod).node = node;
    plan_.pods.at(pod).status = TaskStatus::Binding;
  }
  for (const NamedDecisions::Evict& evict : decided.evicts) {
    plan_.pods.at(evict.victim).status = TaskStatus::Releasing;
    touch(PlanKind::Pod, evict.victim);
  }
  for (const NamedDecisions::Pipelined& held : decided.pipelined) {
    if (!held.evicted) continue;
    plan_.pods.at(held.pod).nominated = held.node;
    touch(PlanKind::Pod, held.pod);
  }
  for (const auto& [job, status] : decided.statuses) plan_.jobs.at(job).status = status;
}

void RandomCluster::confirm_bind(const std::string& uid, PodPlan& pod, bool may_fail) {
  if (may_fail && rng_.chance(0.08)) {
    pod.node.clear();
    pod.status = TaskStatus::Pending;
  } else {
    pod.status = rng_.chance(0.8) ? TaskStatus::Running : TaskStatus::Bound;
  }
  pod.nominated.clear();
  touch(PlanKind::Pod, uid);
}

// A controller makes a new pod for one that is gone.
void RandomCluster::replace(const PodPlan& gone) {
  PodPlan pod = gone;
  pod.node.clear();
  pod.nominated.clear();
  pod.status = TaskStatus::Pending;
  pod.created = now_;
  const std::string uid = pod.ns + "." + pod.name + "#" + std::to_string(next_number_++);
  plan_.pods.emplace(uid, std::move(pod));
  touch(PlanKind::Pod, uid);
}

void RandomCluster::finish(PodPlan& pod) { pod.status = rng_.chance(0.8) ? TaskStatus::Succeeded : TaskStatus::Failed; }

// `eager`: the pod was picked for something to happen to it.
void RandomCluster::change_pod(const std::string& uid, bool eager) {
  PodPlan& pod = plan_.pods.at(uid);
  const TaskStatus status = pod.status;
  const auto likely = [&](double probability) { return rng_.chance(eager ? 0.8 : probability); };
  if (status == TaskStatus::Binding) {
    if (likely(0.7)) confirm_bind(uid, pod, /*may_fail=*/true);
  } else if (status == TaskStatus::Running && likely(0.12)) {
    if (rng_.chance(0.25)) return remove(uid, /*replaced=*/rng_.chance(0.3));  // deleted by force
    if (rng_.chance(0.6)) {
      finish(pod);
    } else {
      pod.status = TaskStatus::Releasing;
    }
    touch(PlanKind::Pod, uid);
  } else if (status == TaskStatus::Bound && likely(0.5)) {
    pod.status = TaskStatus::Running;
    touch(PlanKind::Pod, uid);
  } else if (status == TaskStatus::Pending && likely(0.05)) {
    if (pod.gated) {
      pod.gated = false;
    } else if (rng_.chance(0.5)) {
      pod.labels["app"] = "green";
    } else {
      plan_.pods.erase(uid);
    }
    touch(PlanKind::Pod, uid);
  } else if (status == TaskStatus::Releasing && likely(0.7)) {
    remove(uid, /*replaced=*/rng_.chance(0.4));
  } else if (model::is_completed(status) && likely(0.2)) {
    remove(uid, /*replaced=*/rng_.chance(0.5));
  }
}

void RandomCluster::remove(const std::string& uid, bool replaced) {
  if (replaced) replace(plan_.pods.at(uid));
  plan_.pods.erase(uid);
  touch(PlanKind::Pod, uid);
}

void RandomCluster::change_pods() {
  std::vector<std::string> uids;
  for (const auto& [uid, pod] : plan_.pods) uids.push_back(uid);
  for (const std::string& uid : uids) change_pod(uid, /*eager=*/false);
}

// One thing alone, so that nothing else covers up what it did not tell.
void RandomCluster::change_one_thing() {
  switch (rng_.below(8)) {
    case 3:
    case 4:
      return add_job();
    case 0:
      return change_nodes();
    case 1:
      return change_queues();
    case 2:
      return change_jobs();
    default:
      break;
  }
  std::vector<std::string> gone;
  for (const auto& [uid, pod] : plan_.pods) {
    if (pod.status == TaskStatus::Releasing || model::is_completed(pod.status)) gone.push_back(uid);
  }
  if (!gone.empty() && rng_.chance(0.5)) {
    remove(pick(rng_, gone), /*replaced=*/false);
  } else if (!plan_.pods.empty()) {
    change_pod(std::string(pick_key(rng_, plan_.pods)), /*eager=*/true);
  }
}

void RandomCluster::change_nodes() {
  if (rng_.chance(0.12)) add_node();
  if (!gone_nodes_.empty() && rng_.chance(0.5)) {
    const std::string name = pick_key(rng_, gone_nodes_);
    plan_.nodes.insert(gone_nodes_.extract(name));
    touch(PlanKind::Node, name);
  }
  if (rng_.chance(0.6)) return;
  const std::string name = pick_key(rng_, plan_.nodes);
  NodePlan& node = plan_.nodes.at(name);
  touch(PlanKind::Node, name);
  switch (rng_.below(5)) {
    case 0:
      node.unschedulable = !node.unschedulable;
      return;
    case 1:
      node.labels["zone"] = rng_.chance(0.5) ? "east" : "west";
      return;
    case 2:
      if (node.taints.empty()) {
        node.taints.push_back({.key = "dedicated", .value = "red"});
      } else {
        node.taints.clear();
      }
      return;
    case 3:
      node.allocatable["cpu"] = rng_.between(1, 9) * 1000;
      return;
    default:
      if (plan_.nodes.size() > 1) gone_nodes_.insert(plan_.nodes.extract(name));
      return;
  }
}

void RandomCluster::change_queues() {
  if (rng_.chance(0.05)) add_queue("");
  if (!gone_queues_.empty() && rng_.chance(0.5)) {
    const std::string name = pick_key(rng_, gone_queues_);
    plan_.queues.insert(gone_queues_.extract(name));
    touch(PlanKind::Queue, name);
  }
  if (rng_.chance(0.75)) return;
  const std::string name = pick_key(rng_, plan_.queues);
  QueuePlan& queue = plan_.queues.at(name);
  touch(PlanKind::Queue, name);
  switch (rng_.below(5)) {
    case 0:
      queue.weight = static_cast<int32_t>(rng_.between(1, 9));
      return;
    case 1:
      queue.capability = random_quota(20, 120);
      return;
    case 2:
      queue.deserved = random_quota(5, 80);
      return;
    case 3:
      queue.state = queue.state == model::QueueState::Open ? model::QueueState::Closed : model::QueueState::Open;
      return;
    default:
      if (name != "default" && rng_.chance(0.5)) gone_queues_.insert(plan_.queues.extract(name));
      return;
  }
}

void RandomCluster::change_jobs() {
  if (rng_.chance(0.4)) add_job();
  if (plan_.jobs.empty() || rng_.chance(0.7)) return;
  const std::string key = pick_key(rng_, plan_.jobs);
  JobPlan& job = plan_.jobs.at(key);
  touch(PlanKind::Job, key);
  switch (rng_.below(4)) {
    case 0:
      job.min_available = static_cast<int32_t>(rng_.between(0, 4));
      return;
    case 1:
      job.priority_class = rng_.chance(0.5) ? "high" : "low";
      return;
    case 2:
      job.queue = pick_key(rng_, plan_.queues);
      return;
    default:
      if (rng_.chance(0.5)) plan_.jobs.erase(key);
      return;
  }
}

void RandomCluster::change_priority_classes() {
  if (!rng_.chance(0.06)) return;
  plan_.priority_classes["mid"] = static_cast<int32_t>(rng_.between(1, 2000));
  touch(PlanKind::PriorityClass, "mid");
}

std::vector<PlanChange> RandomCluster::next_events() {
  now_ = now_ + Duration::seconds(rng_.between(0, 20));
  if (rng_.chance(0.15)) return take_changes();  // nothing but what the decisions themselves cause
  if (rng_.chance(0.35)) {
    change_one_thing();
    return take_changes();
  }
  change_pods();
  change_nodes();
  change_queues();
  change_jobs();
  change_priority_classes();
  return take_changes();
}

std::vector<PlanChange> RandomCluster::calm_events() {
  now_ = now_ + Duration::seconds(1);
  std::vector<std::string> gone;
  for (auto& [uid, pod] : plan_.pods) {
    if (pod.status == TaskStatus::Binding) confirm_bind(uid, pod, /*may_fail=*/false);
    if (pod.status == TaskStatus::Releasing) gone.push_back(uid);
  }
  for (const std::string& uid : gone) {
    plan_.pods.erase(uid);
    touch(PlanKind::Pod, uid);
  }
  return take_changes();
}

}  // namespace basalt::property
