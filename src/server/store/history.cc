#include "server/store/history.h"

#include <algorithm>

namespace basalt::store {

namespace {

constexpr size_t kRecordBytes = sizeof(Record) + 64;  // with what the allocator and the pointers to it take

size_t size_of(const Record& record) { return kRecordBytes + record.key().size() + record.bytes().size(); }

// What only history holds once the event is in it.
size_t held_by(const StoreEvent& event) {
  return (event.before != nullptr ? size_of(*event.before) : 0) + (event.now->deleted() ? size_of(*event.now) : 0);
}

}  // namespace

std::deque<StoreEvent>::const_iterator History::ResourceEvents::first_after(Revision after) const {
  return std::ranges::partition_point(events_,
                                      [after](const StoreEvent& event) { return event.now->revision() <= after; });
}

void History::add(ResourceEvents& resource_events, StoreEvent event) {
  bytes_ += held_by(event);
  resource_events.events_.push_back(std::move(event));
  order_.push_back(&resource_events);
  while (order_.size() > bounds_.history_events || (bytes_ > bounds_.history_bytes && !order_.empty())) forget_oldest();
}

void History::raise_floor(Revision revision) {
  while (!order_.empty() && order_.front()->events_.front().now->revision() <= revision) forget_oldest();
  floor_ = std::max(floor_, revision);
  compacted_ = std::max(compacted_, revision);
}

void History::forget_oldest() {
  ResourceEvents& resource_events = *order_.front();
  order_.pop_front();
  const StoreEvent event = std::move(resource_events.events_.front());
  resource_events.events_.pop_front();
  bytes_ -= held_by(event);
  // The state that this event made may be needed as another's `before`; the one that it replaced is not.
  if (event.before != nullptr) garbage_.push_back(event.before->revision());
  if (event.now->deleted()) garbage_.push_back(event.now->revision());
  resource_events.forgotten_ = compacted_ = event.now->revision();
}

}  // namespace basalt::store
