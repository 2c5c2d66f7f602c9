// A store on a journal whose outcomes the test scripts.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <vector>

#include "server/store/durable_store.h"
#include "server/store/store_fixture.h"

namespace basalt::store {

// Each commit waits for a word, and may be told to fail.
class ScriptedJournal final : public Journal {
 public:
  struct Script {
    std::counting_semaphore<> begun{0}, may_end{0};
    std::atomic<bool> fails = false;
    std::atomic<bool> has_reserve = false;  // batches that free room do not fail
    std::atomic<JournalFailure::Kind> kind = JournalFailure::Kind::Full;
    std::atomic<bool> recovers = true;     // else recover() fails in the same way
    std::atomic<int> tries = 0;            // to recover
    std::function<void()> while_it_tries;  // set before the first failure
    std::vector<size_t> sizes;
    std::vector<Revision> dropped;
    std::vector<bool> freed_room;  // what the batches said
    Revision highest = 0;
  };
  explicit ScriptedJournal(Script& script) : script_(script) {}

  JournalResult commit(const JournalBatch& batch) override {
    if (batch.writes.empty()) return {};
    script_.begun.release();
    script_.may_end.acquire();
    const bool from_reserve = script_.has_reserve && batch.frees_room;
    if (script_.fails && !from_reserve)
      return std::unexpected(JournalFailure{.kind = script_.kind, .message = "no room"});
    script_.freed_room.push_back(batch.frees_room);
    script_.dropped.insert(script_.dropped.end(), batch.drop.begin(), batch.drop.end());
    script_.sizes.push_back(batch.writes.size());
    script_.highest = batch.highest;
    return {};
  }
  JournalResult recover() override {
    ++script_.tries;
    if (script_.while_it_tries != nullptr) script_.while_it_tries();
    if (script_.recovers) return {};
    return std::unexpected(JournalFailure{.kind = script_.kind, .message = "still no room"});
  }

 private:
  Script& script_;
};

struct ScriptedStore {
  explicit ScriptedStore(std::chrono::milliseconds first_retry = std::chrono::milliseconds(1)) : retry(first_retry) {}

  std::chrono::milliseconds retry;
  ScriptedJournal::Script script;
  std::vector<std::string> answers;  // in the order of the Dones; read after drain()
  std::mutex health_lock;
  std::condition_variable health_changed;
  std::vector<StoreHealth::Condition> conditions;  // in the order of the changes
  DurableStore store{
      ObjectTable({}), std::make_unique<ScriptedJournal>(script),
      StoreOptions{.first_retry = retry, .last_retry = 8 * retry, .on_health = [this](const StoreHealth& health) {
                     const std::lock_guard guard(health_lock);
                     conditions.push_back(health.condition);
                     health_changed.notify_all();
                   }}};

  StoreResult<RecordPtr> write(StoreWrite write) {
    return store.write(std::move(write), [this](const StoreResult<RecordPtr>& result) {
      answers.push_back(result ? std::to_string((*result)->revision()) : result.error().message);
    });
  }
  // Returns when the last change was to this condition.
  void await(StoreHealth::Condition condition) {
    std::unique_lock guard(health_lock);
    const auto is_so = [&] { return !conditions.empty() && conditions.back() == condition; };
    EXPECT_TRUE(health_changed.wait_for(guard, kTestTimeout, is_so)) << "waited in vain";
  }
  // Lets the commits that are waiting go on, with one more write behind them.
  void drain() {
    script.may_end.release(1000);
    commit(store, put("drain", std::to_string(store.revision()), 0, ""));
  }
};

}  // namespace basalt::store
