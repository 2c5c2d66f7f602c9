// A whole cluster: an API server with admission, Kubernetes' and Volcano's controllers, and stand-ins for the scheduler
// and the nodes that do what they are told.
//
// In memory everything is deterministic: same calls, same objects, bit for bit, and time stands still but in advance().
// On another backend (life_backend.h) the same happens with the delays of a network.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "control/kubernetes/kube_controller_manager.h"
#include "control/volcano/volcano_controller_manager.h"
#include "kube/client/object_client.h"
#include "lab/life/crashable_client.h"
#include "lab/life/life_backend.h"

namespace basalt::lab {

inline constexpr size_t kMaxSettleRounds = 200;  // of all parts; more means that two of them quarrel
inline constexpr size_t kMaxLiveRounds = 2000;   // the same where answers take their time
inline constexpr size_t kQuietRounds = 8;        // without a change: rest, where answers take their time
inline constexpr size_t kMaxDuePoints = 20'000;  // in time, of one advance(); more is a slip of who asks for it

// The same for all containers of the pod.
struct LifePodReport {
  std::string_view phase;
  int exit_code = 0;  // of a pod that ended
  int restarts = 0;
  bool ready = true;  // of a running pod
};

class LifeCluster {
 public:
  // In memory. `terminated_pods`: see kubernetes::Periods.
  explicit LifeCluster(size_t terminated_pods = kubernetes::Periods{}.terminated_pods);
  explicit LifeCluster(std::unique_ptr<LifeBackend> backend,
                       size_t terminated_pods = kubernetes::Periods{}.terminated_pods);
  ~LifeCluster();
  LifeCluster(const LifeCluster&) = delete;
  LifeCluster& operator=(const LifeCluster&) = delete;

  [[nodiscard]] Instant now() const { return backend_->now(); }
  [[nodiscard]] client::ObjectClient& user() { return backend_->user(); }
  [[nodiscard]] LifeBackend& backend() { return *backend_; }
  [[nodiscard]] CrashableClient& controller_client() { return crashable_client_; }

  // Lets all parts do what is due now, until nothing is. An error: they do not come to rest.
  [[nodiscard]] Result<void> settle();
  // Lets time pass, doing on the way what falls due. An error besides: more than kMaxDuePoints do.
  [[nodiscard]] Result<void> advance(Duration length);
  // The controllers lose their memory. Also happens by itself when their client died.
  void crash();

  // Stand-in scheduler: PodGroups become Inqueue as soon as they are there, unless this is off.
  bool enqueues = true;
  // Stand-in nodes: a pod that is being deleted goes at once, unless this is off; then finish_deletions().
  bool ends_pods = true;
  void finish_deletions();

  // The object, or nullptr.
  [[nodiscard]] client::ObjectPtr get(const api::GroupVersionResource& resource, std::string_view ns,
                                      std::string_view name);
  [[nodiscard]] std::vector<client::ObjectPtr> list(const api::GroupVersionResource& resource, std::string_view ns);
  // What a pod does, as its node would report it: bound first where it is not.
  [[nodiscard]] api::ApiResult<void> report(std::string_view ns, std::string_view pod, const LifePodReport& report);

 private:
  void start_controllers();
  [[nodiscard]] bool stand_in();  // what scheduler and nodes do by themselves; false: nothing
  [[nodiscard]] std::optional<Instant> next_due() const;

  const std::unique_ptr<LifeBackend> backend_;
  CrashableClient crashable_client_;
  kubernetes::KubeControllerManager upkeep_;
  std::unique_ptr<volcano::VolcanoControllerManager> controllers_;
};

}  // namespace basalt::lab
