#include "store/memory_store.h"

#include <mutex>

namespace basalt::store {

StoreResult<RecordPtr> MemoryStore::write(Write write, Done done) {
  settle(write);
  std::unique_lock guard(lock_);
  const StoreResult<ObjectTable::Ordered> ordered = table_.order(std::move(write));
  if (!ordered) {
    guard.unlock();
    return answer(std::unexpected(ordered.error()), done);
  }
  table_.commit(*ordered);
  table_.history().garbage().clear();
  ++figures_.commits;
  ++figures_.writes;
  guard.unlock();
  const std::string_view touched = ordered->shelf->resource;
  subscriptions_.ring({&touched, 1});
  return answer(ordered->record, done);
}

void MemoryStore::compact(Revision revision) {
  const std::unique_lock guard(lock_);
  table_.compact(revision);
  table_.history().garbage().clear();
}

}  // namespace basalt::store
