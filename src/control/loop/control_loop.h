// The kernel of every loop on an API server: it follows kinds, hands on what changed, and gives turns to the work.
//
// Controllers (reconcile_loop.h) and the scheduler differ only in what a turn does.
// 1. Changes come before the turn: pages of lists, then watch events, in their order. What a list no longer has
//    is found by difference (relist.h).
// 2. Turns follow each other until one finds nothing to do, at most kMaxTurnsPerStep in a step. What is left then is
//    due at once, in the next step.
// 3. In a thread of its own (start) each turn has the time of its beginning: under load a step may last minutes, and
//    what is due meanwhile must not wait for its end. With step() time stands still within it, so that the owner's runs
//    (simulation, tests) are deterministic.
// 4. health() says what is not listed yet, and since when the turn under way has been running.
//
// Threads: all functions by one thread at a time, but health() and wake_up(), from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/instant.h"
#include "control/loop/informer.h"
#include "control/loop/kind_id.h"
#include "control/loop/loop_health.h"
#include "control/loop/relist.h"
#include "control/loop/wake_up.h"
#include "kube/client/object_client.h"
#include "kube/text/json.h"

namespace basalt::loop {

inline constexpr size_t kMaxTurnsPerStep = 2'000;

// What a loop is for. All functions are called by the loop's thread.
class LoopWork {
 public:
  enum class Source : uint8_t { Watch, List };  // a list is what the API has now, whatever was told before

  virtual ~LoopWork() = default;

  virtual void object_changed(KindId kind, const client::ObjectPtr& object, Source source, Instant now) = 0;
  // The watch says that it was deleted; `last` is its last state.
  virtual void object_deleted(KindId kind, const text::Object& last, Instant now) = 0;
  // A list does not have it any more. The key is "namespace/name", or "name".
  virtual void object_gone(KindId kind, const std::string& key, Instant now) = 0;
  // The keys of all that is known, in order.
  [[nodiscard]] virtual std::vector<std::string> keys(KindId kind) const = 0;

  // Does what is due. `heard`: a watch event came since the last turn. False: nothing was due.
  virtual bool turn(Instant now, bool heard) = 0;
  // When turn() has something to do though nothing is heard; nothing: never.
  [[nodiscard]] virtual std::optional<Instant> work_due() const = 0;

  virtual void before_step(Instant /*now*/) {}
  virtual void after_step() {}
};

struct ControlLoopOptions {
  std::function<Instant()> clock;  // for start(); may be empty otherwise
  Duration batch_delay;            // in a thread: how long more may come after the first of a burst
};

class ControlLoop {
 public:
  // Requires: `client` and `work` outlive it, or stop() was called.
  ControlLoop(client::ObjectClient& client, LoopWork& work, ControlLoopOptions options);
  ~ControlLoop() { stop(); }
  ControlLoop(const ControlLoop&) = delete;
  ControlLoop& operator=(const ControlLoop&) = delete;

  // Again: at another version. `labels`, `fields`: selectors, "" for all objects.
  void follow(KindId kind, const api::GroupVersionResource& resource, Instant now = kNever,
              const std::string& labels = "", const std::string& fields = "");
  void leave(KindId kind);
  [[nodiscard]] const std::set<KindId>& synced() const { return informer_.synced(); }
  // Every followed kind was listed once.
  [[nodiscard]] bool is_synced() const { return informer_.synced().size() == kinds_.size(); }

  void step(Instant now);
  // When step() has something to do though nothing changes; nothing: never.
  [[nodiscard]] std::optional<Instant> next_due() const;
  // The time of the turn under way, or of the last one.
  [[nodiscard]] Instant now() const { return now_; }

  void start();
  void stop();  // and wait for it; watches are closed
  [[nodiscard]] bool in_thread() const { return in_thread_; }

  [[nodiscard]] WakeUp& wake_up() { return wake_up_; }
  [[nodiscard]] const LoopHealth& health() const { return health_; }

 private:
  void run();
  bool turn();
  void take_list(const Informer::Listed& listed);
  void take_change(const Informer::Change& change);
  void report_unsynced();

  LoopWork& work_;
  ControlLoopOptions options_;
  WakeUp wake_up_;
  Informer informer_;
  Relist relist_;
  std::map<KindId, std::string> kinds_;  // followed, with the plural
  LoopHealth health_;
  bool reported_all_ = false;  // as synced
  Instant now_;
  std::atomic<bool> stopping_ = false;
  bool in_thread_ = false;
  std::thread thread_;
};

// The earlier of two times that may not be.
[[nodiscard]] inline std::optional<Instant> earlier(std::optional<Instant> one, std::optional<Instant> other) {
  if (!one || (other && *other < *one)) return other;
  return one;
}

}  // namespace basalt::loop
