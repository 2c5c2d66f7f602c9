// A real API server as the backend of a LifeCluster. Volcano's definitions and, for defaults and refusals, its webhooks
// are there already; nothing else of Volcano runs, and no kube-controller-manager.
//
// Time is the wall clock and what the scenario lets pass: the server's own stamps do not know of the latter.
// Each scenario begins on an empty cluster: whatever is there is deleted. So a cluster has to be marked for it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lab/life/life_backend.h"

namespace basalt::lab {

inline constexpr std::string_view kMarkedNamespace = "volcano-system";
inline constexpr std::string_view kScratchLabel = "basalt.sh/scratch";  // on that namespace: the cluster may be emptied
inline constexpr int kMaxCleanRounds = 300;                             // a breath each

class KubernetesBackend final : public LifeBackend {
 public:
  // An error: no server, no mark, or it cannot be emptied.
  [[nodiscard]] static Result<std::unique_ptr<KubernetesBackend>> open(const std::string& kubeconfig);
  KubernetesBackend();  // see open()
  ~KubernetesBackend() override;

  client::ObjectClient& user() override;
  client::ObjectClient& upkeep() override;
  client::ObjectClient& controllers() override;
  [[nodiscard]] Instant now() const override;
  void advance_to(Instant later) override;
  uint64_t revision() override;
  [[nodiscard]] bool answers_at_once() const override { return false; }
  void wait_briefly() override;

 private:
  class Counted;  // a client that counts answers to writes, and news
  [[nodiscard]] Result<void> check_mark();
  [[nodiscard]] Result<void> clean();
  [[nodiscard]] size_t sweep(const api::GroupVersionResource& resource, bool namespaced);  // how many are left

  Duration ahead_;
  std::atomic<uint64_t> changes_{0};
  std::unique_ptr<Counted> user_, upkeep_, controllers_;
};

}  // namespace basalt::lab
