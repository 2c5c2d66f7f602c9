// What both forms of the store share: an ObjectTable behind a lock, its readers and its subscribers. The forms differ
// in how a write gets from ordered to committed.
//
// Readers share the lock and hold it as long as it takes to copy pointers.
#pragma once

#include <memory>
#include <shared_mutex>

#include "server/store/object_table.h"
#include "server/store/store.h"
#include "server/store/subscriptions.h"

namespace basalt::store {

class TableStore : public Store {
 public:
  explicit TableStore(ObjectTable table) : table_(std::move(table)) {}

  [[nodiscard]] RecordPtr get(std::string_view resource, std::string_view key) const final;
  [[nodiscard]] RecordPtr latest(std::string_view resource, std::string_view key) const final;
  [[nodiscard]] StoreResult<ListPage> list(const ListRequest& request) const final;
  [[nodiscard]] size_t count(std::string_view resource) const final;
  [[nodiscard]] StoreResult<Events> events(std::string_view resource, Revision after, size_t limit) const final;
  [[nodiscard]] StoreResult<Changes> changes(std::string_view resource, Revision after, size_t limit) const final;
  [[nodiscard]] std::unique_ptr<Subscription> subscribe(std::string_view resource, std::function<void()> wake) final;
  [[nodiscard]] Revision revision() const final;
  [[nodiscard]] Revision compacted() const final;
  void compact(Revision revision) override;
  [[nodiscard]] Figures figures() const override;

 protected:
  // Makes the write ready to be ordered outside the lock: a record lives long, so it holds no spare capacity.
  static void settle(StoreWrite& write);
  // Calls `done`, if there is one, with the answer.
  static StoreResult<RecordPtr> answer(StoreResult<RecordPtr> result, const WriteCallback& done);

  mutable std::shared_mutex lock_;  // guards the table and the figures
  ObjectTable table_;
  Figures figures_;
  Subscriptions subscriptions_;
};

}  // namespace basalt::store
