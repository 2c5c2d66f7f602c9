// Follows queues, and namespaces where a webhook needs them, into KnownObjects.
//
// Threads: a loop of its own; is_synced() from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "control/loop/loop.h"
#include "programs/webhook/known_objects.h"

namespace basalt::webhook {

class Follower final : private loop::Mind {
 public:
  // Requires: `client` outlives it. `clock` as loop::LoopOptions has it.
  Follower(client::ObjectClient& client, std::shared_ptr<KnownObjects> known, bool namespaces,
           std::function<Instant()> clock);
  ~Follower() override { loop_.stop(); }

  // All that is followed was listed once.
  [[nodiscard]] bool is_synced() const { return synced_; }

  void start() { loop_.start(); }
  void stop() { loop_.stop(); }

 private:
  void learn(loop::KindId kind, const client::ObjectPtr& object, Instant now) override;
  void forget(loop::KindId kind, const std::string& key, Instant now) override;
  [[nodiscard]] std::vector<std::string> keys(loop::KindId kind) const override;
  [[nodiscard]] loop::Plan plan(const loop::Item& item, Instant now) override;
  void look_at_everything(Instant now) override;

  std::shared_ptr<KnownObjects> known_;  // shared with reviews under way
  std::atomic<bool> synced_ = false;
  loop::Loop loop_;
};

}  // namespace basalt::webhook
