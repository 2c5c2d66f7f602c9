// The store with a journal: write() orders, one thread of its own commits.
//
// While a commit is on its way to the disk, the writes that arrive wait together for the next one (group commit): the
// more there is to do, the more each sync carries.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "store/journal.h"
#include "store/table_store.h"

namespace basalt::store {

class DurableStore final : public TableStore {
 public:
  // Requires: the table holds exactly what the journal does.
  DurableStore(ObjectTable table, std::unique_ptr<Journal> journal);
  // Commits what is waiting; every Done has been called when it returns.
  ~DurableStore() override;

  StoreResult<RecordPtr> write_steps(std::span<Write> steps, Done done) override;
  void compact(Revision revision) override;
  [[nodiscard]] Figures figures() const override;

 private:
  struct Waiting {
    ObjectTable::Ordered ordered;
    Done done;
    bool goes_on = false;  // the next one is a step of the same write
  };
  using Batch = std::vector<Waiting>;

  [[nodiscard]] StoreResult<void> admits(size_t bytes) const;
  bool take(Batch& batch);
  void run();
  void commit(Batch& batch);
  void publish(Batch& batch, size_t dropped, double seconds);
  void give_up(Batch& batch, const JournalFailure& failure);

  // Of the committing thread only.
  std::unique_ptr<Journal> journal_;
  Revision used_;  // the highest revision that was committed, or lost with a failed commit: never to be used again
  Revision compacted_ = 0;  // what the journal was told last

  // Nested inside lock_, so that the queue is in revision order.
  mutable std::mutex queue_lock_;
  std::condition_variable work_;
  std::deque<Waiting> queue_;
  size_t waiting_ = 0, waiting_bytes_ = 0;  // queued or in the commit that runs
  bool upkeep_ = false, stopping_ = false;
  std::string broken_;  // why no write is accepted any more; guarded by lock_

  std::thread committer_;
};

}  // namespace basalt::store
