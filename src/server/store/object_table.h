// The objects and their history as plain data: all of the store but threads and disk.
//
// A write goes through two steps, in revision order: order() checks it against the latest state and gives it a
// revision; then commit() shows it to readers, or roll_back() undoes it. Between the two only latest() sees it. One
// owner, no locks. Cost: order and commit O(log objects); a page O(log objects + page) now, and O(events of the
// resource since) more at an older revision.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/store/history.h"
#include "server/store/key_index.h"
#include "server/store/record.h"
#include "server/store/store.h"

namespace basalt::store {

class ObjectTable {
 public:
  // All of one resource. Made with its first write and kept; there are as many as there are kinds.
  struct ResourceState {
    std::string resource;
    KeyIndex index;
    History::ResourceEvents resource_events;
    std::deque<RecordPtr> ordered;  // and not committed, in revision order
  };
  struct Ordered {
    ResourceState* resource_state = nullptr;
    RecordPtr record;
  };

  explicit ObjectTable(const StoreOptions& options) : history_(options) {}

  // What a file held: first its bounds, then its rows by rising revision. A row at or below `compacted` is state only.
  void load_bounds(Revision compacted, Revision highest);
  void load(std::string_view resource, RecordPtr record);

  StoreResult<Ordered> order(StoreWrite write);
  // See Store::write_steps. All or none.
  StoreResult<std::vector<Ordered>> order_steps(std::span<StoreWrite> steps);
  // Requires: ordered, and the oldest such.
  void commit(const Ordered& ordered);
  // Every write that was ordered and not committed is given up. Their revisions stay used.
  void roll_back(const Ordered& ordered);
  void compact(Revision revision) { history_.raise_floor(std::min(revision, committed_)); }

  [[nodiscard]] RecordPtr get(std::string_view resource, std::string_view key) const;
  [[nodiscard]] RecordPtr latest(std::string_view resource, std::string_view key) const;
  [[nodiscard]] StoreResult<ListPage> list(const ListRequest& request) const;
  [[nodiscard]] size_t count(std::string_view resource) const;
  [[nodiscard]] StoreResult<Store::Events> events(std::string_view resource, Revision after, size_t limit) const;

  [[nodiscard]] StoreResult<Store::Changes> changes(std::string_view resource, Revision after, size_t limit) const;

  [[nodiscard]] Revision committed() const { return committed_; }
  [[nodiscard]] Revision highest() const { return highest_; }  // that was ever given to a write
  [[nodiscard]] size_t objects() const { return objects_; }
  [[nodiscard]] size_t object_bytes() const { return object_bytes_; }
  [[nodiscard]] History& history() { return history_; }
  [[nodiscard]] const History& history() const { return history_; }

 private:
  ResourceState& resource_state(std::string_view resource);
  [[nodiscard]] const ResourceState* find_resource_state(std::string_view resource) const;
  [[nodiscard]] StoreResult<void> reaches(std::string_view resource, Revision revision) const;
  void count_change(const RecordPtr& before, const Record& now);

  std::map<std::string, std::unique_ptr<ResourceState>, std::less<>> resources_;
  History history_;
  Revision committed_ = 0, highest_ = 0;
  size_t objects_ = 0, object_bytes_ = 0;
  uint64_t given_up_ = 0;
};

}  // namespace basalt::store
