#include "server/store/table_store.h"

namespace basalt::store {

RecordPtr TableStore::get(std::string_view resource, std::string_view key) const {
  const std::shared_lock guard(lock_);
  return table_.get(resource, key);
}

RecordPtr TableStore::latest(std::string_view resource, std::string_view key) const {
  const std::shared_lock guard(lock_);
  return table_.latest(resource, key);
}

StoreResult<ListPage> TableStore::list(const ListRequest& request) const {
  const std::shared_lock guard(lock_);
  return table_.list(request);
}

size_t TableStore::count(std::string_view resource) const {
  const std::shared_lock guard(lock_);
  return table_.count(resource);
}

StoreResult<Store::Events> TableStore::events(std::string_view resource, Revision after, size_t limit) const {
  const std::shared_lock guard(lock_);
  return table_.events(resource, after, limit);
}

StoreResult<Store::Changes> TableStore::changes(std::string_view resource, Revision after, size_t limit) const {
  const std::shared_lock guard(lock_);
  return table_.changes(resource, after, limit);
}

std::unique_ptr<Store::Subscription> TableStore::subscribe(std::string_view resource, std::function<void()> wake) {
  return subscriptions_.add(resource, std::move(wake));
}

Revision TableStore::revision() const {
  const std::shared_lock guard(lock_);
  return table_.committed();
}

Revision TableStore::compacted() const {
  const std::shared_lock guard(lock_);
  return table_.history().compacted();
}

void TableStore::compact(Revision revision) {
  const std::unique_lock guard(lock_);
  table_.compact(revision);
}

Store::Figures TableStore::figures() const {
  const std::shared_lock guard(lock_);
  Figures figures = figures_;
  figures.objects = table_.objects();
  figures.object_bytes = table_.object_bytes();
  figures.history_events = table_.history().event_count();
  return figures;
}

void TableStore::settle(StoreWrite& write) {
  write.address.key.shrink_to_fit();
  if (write.bytes.capacity() - write.bytes.size() > write.bytes.size() / 16) write.bytes.shrink_to_fit();
}

StoreResult<RecordPtr> TableStore::answer(StoreResult<RecordPtr> result, const WriteCallback& done) {
  if (done) done(result);
  return result;
}

}  // namespace basalt::store
