// Follows queues, and namespaces where a webhook needs them, into AdmissionCache.
//
// Threads: a loop of its own; is_synced() from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "control/loop/reconcile_loop.h"
#include "programs/webhook/admission_cache.h"

namespace basalt::webhook {

class AdmissionCacheUpdater final : private loop::Reconciler {
 public:
  // Requires: `client` outlives it. `clock` as loop::LoopOptions has it.
  AdmissionCacheUpdater(client::ObjectClient& client, std::shared_ptr<AdmissionCache> known, bool namespaces,
                        std::function<Instant()> clock);
  ~AdmissionCacheUpdater() override { loop_.stop(); }

  // All that is followed was listed once.
  [[nodiscard]] bool is_synced() const { return synced_; }

  void start() { loop_.start(); }
  void stop() { loop_.stop(); }

 private:
  void learn(loop::KindId kind, const client::ObjectPtr& object, Instant now) override;
  void forget(loop::KindId kind, const std::string& key, Instant now) override;
  [[nodiscard]] std::vector<std::string> keys(loop::KindId kind) const override;
  [[nodiscard]] loop::WritePlan plan(const loop::Item& item, Instant now) override;
  void requeue_all(Instant now) override;

  std::shared_ptr<AdmissionCache> known_;  // shared with reviews under way
  std::atomic<bool> synced_ = false;
  loop::ReconcileLoop loop_;
};

}  // namespace basalt::webhook
