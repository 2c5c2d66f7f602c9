// The loop of controllers: a ControlLoop whose turn plans the items that are due and sends their writes.
//
// It keeps no state that matters: killed at any point, the next one goes on from what the server has. Nothing is
// planned before every followed kind was listed once: a plan from an incomplete cache would repair what is not broken.
//
// Threads: as ControlLoop. Either the owner calls step() (simulation, tests), or start() lets a thread of its own do
// it. With an in-memory server everything is deterministic.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/instant.h"
#include "control/loop/loop_health.h"
#include "control/loop/reconciler.h"
#include "kube/client/object_client.h"

namespace basalt::loop {

inline constexpr size_t kMaxItemsPerRound = 512;    // planned on one view of the cache, their writes sent together
inline constexpr size_t kMaxCallsUnderWay = 2'000;  // beyond, sending waits for answers

struct LoopOptions {
  std::function<Instant()> clock;  // for start(); may be empty otherwise
  std::string component;           // the source of events, "vc-controller-manager"
  // Answers a probe, on any thread. Empty: no probe is ever good.
  std::function<void(const Probe& probe, std::function<void(bool good)> done)> prober;
};

struct LoopCounters {
  uint64_t plans = 0, writes = 0, refused = 0;  // refused: by the server, to be tried again
  size_t queued = 0;
};

class ReconcileLoop {
 public:
  // Requires: `client` and `reconciler` outlive it, or stop() was called.
  ReconcileLoop(client::ObjectClient& client, Reconciler& reconciler, LoopOptions options);
  ~ReconcileLoop();
  ReconcileLoop(const ReconcileLoop&) = delete;
  ReconcileLoop& operator=(const ReconcileLoop&) = delete;

  // Again: at another version. `labels`, `fields`: selectors, "" for all objects.
  void follow(KindId kind, const api::GroupVersionResource& resource, Instant now = kNever,
              const std::string& labels = "", const std::string& fields = "");
  void leave(KindId kind);
  [[nodiscard]] const std::set<KindId>& synced() const;  // kinds whose present objects are all known
  void wake(Item item, Instant due);
  // The same, due at once, from any thread: something outside of the API has happened to the item.
  void wake_now(Item item);

  void step(Instant now);  // does everything that is due
  // When step() has something to do though nothing changes; nothing: never.
  [[nodiscard]] std::optional<Instant> next_due() const;

  void start();
  void stop();  // and wait for it; no write is under way afterwards

  [[nodiscard]] LoopCounters counters() const;     // Requires: as step()
  [[nodiscard]] const LoopHealth& health() const;  // from any thread

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace basalt::loop
