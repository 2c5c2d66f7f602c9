// The controllers that every Kubernetes cluster has and that a cluster of ours has to bring along: namespaces, owner
// references, service accounts, node heartbeats, evictions by taint, old events, quota and budget status, removal of
// custom kinds, lost pods; an event on each workload that nobody runs here; and Deployments of the owner's own parts.
//
// KubeControllerManager owns a loop::ReconcileLoop that follows every kind, and its Reconciler: the cache
// (object_cache.h) and the controllers (kubernetes_controller.h). It keeps no state of its own: killed at any point,
// the next one goes on from what the server has.
//
// Threads: step() and next_due() by one thread at a time. Either the owner calls step() (simulation, tests), or start()
// lets a thread of its own do it. With an in-memory server everything is deterministic.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "control/kubernetes/kubernetes_controller.h"
#include "control/loop/reconcile_loop.h"
#include "kube/client/object_client.h"

namespace basalt::kubernetes {

struct KubeControllerManagerOptions {
  std::function<Instant()> clock;  // for start(); may be empty otherwise
  Periods periods;
  std::vector<std::string>
      components;  // labels "app" of Deployments in volcano-system that the owner is; see KubernetesContext
  bool api_server_only = false;  // only what a kube-apiserver itself does: the removal of custom kinds
};

class KubeControllerManager {
 public:
  // Requires: `client` outlives it.
  KubeControllerManager(client::ObjectClient& client, KubeControllerManagerOptions options);
  ~KubeControllerManager();
  KubeControllerManager(const KubeControllerManager&) = delete;
  KubeControllerManager& operator=(const KubeControllerManager&) = delete;

  void step(Instant now);  // does everything that is due
  // When step() has something to do though nothing changes; nothing: never.
  [[nodiscard]] std::optional<Instant> next_due() const;

  void start();
  void stop();  // and wait for it; no write is under way afterwards

  [[nodiscard]] loop::LoopCounters counters() const;  // Requires: as step()

 private:
  class ControllersReconciler;
  std::unique_ptr<ControllersReconciler> reconciler_;
};

}  // namespace basalt::kubernetes
