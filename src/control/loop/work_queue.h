// The work queue: items to plan, each once, at its time.
//
// add() keeps the earlier of two times for an item that waits already. What failed comes back with back-off
// (kFirstRetry doubled up to kLastRetry), until it succeeds. Items that are due come out in the order of time, then
// controller, then name: runs are repeatable. All operations are O(log items).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/instant.h"

namespace basalt::loop {

inline constexpr size_t kMaxQueuedItems = 4'000'000;  // more: the queue forgets, and says so
inline constexpr Duration kFirstRetry = Duration::millis(10);
inline constexpr Duration kLastRetry = Duration::seconds(60);

struct Item {
  uint32_t controller = 0;
  std::string name;
  friend auto operator<=>(const Item&, const Item&) = default;
};

class WorkQueue {
 public:
  void add(Item item, Instant due);
  void retry(const Item& item, Instant now);  // after a failure
  void succeeded(const Item& item) { failures_.erase(item); }

  // Up to `limit` items whose time has come.
  [[nodiscard]] std::vector<Item> take_due(Instant now, size_t limit);
  [[nodiscard]] std::optional<Instant> next_due() const;
  [[nodiscard]] size_t size() const { return due_.size(); }
  // Items were dropped since the last call: everything has to be looked at again.
  [[nodiscard]] bool take_overflow() { return std::exchange(overflow_, false); }

 private:
  std::map<Item, Instant> due_;
  std::set<std::pair<Instant, Item>> order_;
  std::map<Item, int> failures_;
  bool overflow_ = false;
};

}  // namespace basalt::loop
