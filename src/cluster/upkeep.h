// The controllers that every Kubernetes cluster has and that a cluster of ours has to bring along: namespaces, owner
// references, service accounts, node heartbeats, evictions by taint, old events, quota and budget status, removal of
// custom kinds, lost pods.
//
// Upkeep is the thin shell around them: it follows every kind (object_feed.h), keeps what it saw (object_cache.h), asks
// the controllers (controller.h) which items a change concerns, plans what is due, and sends the writes. It keeps no
// state of its own: killed at any point, the next one goes on from what the server has.
//
// Threads: step() and next_due() by one thread at a time. Either the owner calls step() (simulation, tests), or start()
// lets a thread of its own do it. With an in-memory server everything is deterministic.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/instant.h"
#include "client/object_client.h"
#include "cluster/controller.h"

namespace basalt::cluster {

inline constexpr size_t kMaxItemsPerRound = 512;   // planned on one view of the world, their writes sent together
inline constexpr size_t kMaxRoundsPerStep = 2000;  // what is left then is due at once, in the next step

struct UpkeepOptions {
  std::function<Instant()> clock;  // for start(); may be empty otherwise
  Periods periods;
  bool api_server_only = false;  // only what a kube-apiserver itself does: the removal of custom kinds
};

struct UpkeepFigures {
  uint64_t writes = 0, refused = 0;  // refused: by the server, to be tried again (but for what was done already)
  size_t queued = 0;
};

class Upkeep {
 public:
  // Requires: `client` outlives it.
  Upkeep(client::ObjectClient& client, UpkeepOptions options);
  ~Upkeep();
  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;

  void step(Instant now);  // does everything that is due
  // When step() has something to do though nothing changes; nothing: never.
  [[nodiscard]] std::optional<Instant> next_due() const;

  void start();
  void stop();  // and wait for it; no write is under way afterwards

  [[nodiscard]] UpkeepFigures figures() const;  // Requires: as step()

 private:
  class Desk;
  std::unique_ptr<Desk> desk_;
};

}  // namespace basalt::cluster
