#include "server/store/memory_store.h"

#include <mutex>

namespace basalt::store {

StoreResult<RecordPtr> MemoryStore::write_steps(std::span<StoreWrite> steps, WriteCallback done) {
  for (StoreWrite& step : steps) settle(step);
  std::unique_lock guard(lock_);
  const StoreResult<std::vector<ObjectTable::Ordered>> ordered = table_.order_steps(steps);
  if (!ordered) {
    guard.unlock();
    return answer(std::unexpected(ordered.error()), done);
  }
  for (const ObjectTable::Ordered& step : *ordered) table_.commit(step);
  table_.history().garbage().clear();
  ++figures_.commits;
  figures_.writes += steps.size();
  guard.unlock();
  const std::string_view touched = ordered->back().resource_state->resource;
  subscriptions_.wake_all({&touched, 1});
  return answer(ordered->back().record, done);
}

void MemoryStore::compact(Revision revision) {
  const std::unique_lock guard(lock_);
  table_.compact(revision);
  table_.history().garbage().clear();
}

}  // namespace basalt::store
