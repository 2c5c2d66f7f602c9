// The store with a journal: write() orders, one thread of its own commits.
//
// While a commit is on its way to the disk, the writes that arrive wait together for the next one (group commit): the
// more there is to do, the more each sync carries.
//
// After a failure the same thread asks the journal to recover, later and later (StoreOptions::first_retry …). On a full
// disk it forgets history that is at least one try or one commit old, so that its rows leave the file: watchers that
// keep up notice nothing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "server/store/journal.h"
#include "server/store/table_store.h"

namespace basalt::store {

class DurableStore final : public TableStore {
 public:
  // Requires: the table holds exactly what the journal does.
  DurableStore(ObjectTable table, std::unique_ptr<Journal> journal, const StoreOptions& options = {});
  // Commits what is waiting; every WriteCallback has been called when it returns.
  ~DurableStore() override;

  StoreResult<RecordPtr> write_steps(std::span<StoreWrite> steps, WriteCallback done) override;
  void compact(Revision revision) override;
  [[nodiscard]] Figures figures() const override;
  [[nodiscard]] StoreHealth health() const override;

 private:
  using Clock = std::chrono::steady_clock;
  enum class Work : uint8_t { Commit, Recover, Stop };
  struct Waiting {
    ObjectTable::Ordered ordered;
    WriteCallback done;
    bool goes_on = false;  // the next one is a step of the same write
    bool frees_room = false;
  };
  using Batch = std::vector<Waiting>;

  [[nodiscard]] StoreResult<void> admits(size_t bytes, bool frees_room) const;
  Work next_work(Batch& batch);
  void run();
  bool commit(Batch& batch);
  void publish(Batch& batch, size_t dropped, double seconds);
  void count_failure(const JournalFailure& failure);
  [[nodiscard]] bool turns_to_reserve(const Batch& batch, const JournalFailure& failure);
  void give_up(Batch& batch, const JournalFailure& failure);
  void changed(StoreHealth::Condition before, const StoreHealth& now);
  void recover();
  void forget_old_history();

  // Of the committing thread only.
  std::unique_ptr<Journal> journal_;
  Revision used_;  // the highest revision that was committed, or lost with a failed commit: never to be used again
  Revision compacted_ = 0;  // what the journal was told last
  std::chrono::milliseconds first_retry_, last_retry_, delay_;
  std::function<void(const StoreHealth&)> on_health_;
  std::optional<Clock::time_point> retry_at_;  // there is something to recover from
  Clock::time_point recovered_at_;
  Revision seen_at_last_try_ = 0;

  // Nested inside lock_, so that the queue is in revision order.
  mutable std::mutex queue_lock_;
  std::condition_variable work_;
  std::deque<Waiting> queue_;
  size_t waiting_ = 0, waiting_bytes_ = 0;  // queued or in the commit that runs
  bool upkeep_ = false, stopping_ = false;
  StoreHealth health_;  // guarded by lock_

  std::thread committer_;
};

}  // namespace basalt::store
