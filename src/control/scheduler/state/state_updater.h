// Watch events → ClusterState: the one place where Kubernetes objects enter the engine.
//
//   StateUpdater updater(state);
//   for (const api::AnyObject& object : objects) if (auto ok = updater.apply(object); !ok) log(ok.error());
//
// 1. apply() creates or updates, remove() deletes; order does not matter: a pod may come before its group or its node.
// 2. A bad object is an Error that names object and field ("Pod ns/p: spec.tolerations[0].operator: …"); the state then
//    keeps what it had about that object.
// 3. Which pods are seen: those of our schedulers; of others only those on a node. A pod without a group is only
//    counted on its node. Others are dropped, also when they were known before.
// 4. An update without a node for a pod that a cycle has just bound is older than our decision and is ignored.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/model/cluster_state.h"
#include "kube/api/any_object.h"

namespace basalt::state {

struct StateOptions {
  std::vector<std::string> scheduler_names = {"volcano"};  // pods with these are ours to place
  bool every_pod = false;                                  // all pods are ours, whatever their schedulerName
  std::string default_queue = "default";                   // of pod groups that name none
  std::vector<std::pair<std::string, std::string>> nodes;  // only nodes with one of these labels; none given: all
};

class StateUpdater {
 public:
  explicit StateUpdater(model::ClusterState& state, StateOptions options = {});

  Result<void> apply(const api::Pod& pod);
  // As apply(), but rule 4 does not hold: the pod was read after the bind ended, so what it says is what came of it.
  Result<void> apply_outcome(const api::Pod& pod);
  Result<void> apply(const api::Node& node);
  Result<void> apply(const api::PodGroup& group);
  Result<void> apply(const api::Queue& queue);
  Result<void> apply(const api::PriorityClass& priority);
  Result<void> apply(const api::ResourceQuota& quota);
  Result<void> apply(const api::PodDisruptionBudget& budget);
  Result<void> apply(const api::Namespace& ns);
  // Any of the above; kinds that the scheduler does not read are ignored.
  Result<void> apply(const api::AnyObject& object);

  void remove(const api::Pod& pod);
  void remove(const api::Node& node);
  void remove(const api::PodGroup& group);
  void remove(const api::Queue& queue);
  void remove(const api::PriorityClass& priority);
  void remove(const api::ResourceQuota& quota);
  void remove(const api::PodDisruptionBudget& budget);
  void remove(const api::Namespace& ns);
  void remove(const api::AnyObject& object);

 private:
  [[nodiscard]] bool is_ours(const api::Pod& pod) const;
  [[nodiscard]] bool is_ours(const api::Node& node) const;
  // True: the pod belongs into the state. Otherwise it was taken out, if it was there.
  bool admit(const api::Pod& pod, model::TaskStatus status);
  Result<void> put(const api::Pod& pod);

  model::ClusterState& state_;
  StateOptions options_;
};

}  // namespace basalt::state
