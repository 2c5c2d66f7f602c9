#include "control/loop/work_queue.h"

#include <algorithm>

namespace basalt::loop {

void WorkQueue::add(Item item, Instant due) {
  const auto at = due_.find(item);
  if (at == due_.end()) {
    if (due_.size() >= kMaxQueuedItems) {
      overflow_ = true;
      return;
    }
    order_.emplace(due, item);
    due_.emplace(std::move(item), due);
    return;
  }
  if (at->second <= due) return;
  order_.erase({at->second, item});
  at->second = due;
  order_.emplace(due, std::move(item));
}

void WorkQueue::retry(const Item& item, Instant now) {
  constexpr int kDoublings = 13;  // 10 ms · 2^13 is more than a minute
  const int failures = std::min(failures_[item]++, kDoublings);
  const Duration wait{std::min(kFirstRetry.nanos << failures, kLastRetry.nanos)};
  add(item, now + wait);
}

std::vector<Item> WorkQueue::take_due(Instant now, size_t limit) {
  std::vector<Item> items;
  while (!order_.empty() && items.size() < limit && order_.begin()->first <= now) {
    auto first = order_.extract(order_.begin());
    due_.erase(first.value().second);
    items.push_back(std::move(first.value().second));
  }
  return items;
}

std::optional<Instant> WorkQueue::next_due() const {
  if (order_.empty()) return std::nullopt;
  return order_.begin()->first;
}

}  // namespace basalt::loop
