#include "server/store/history.h"

#include <algorithm>

namespace basalt::store {

namespace {

constexpr size_t kRecordBytes = sizeof(Record) + 64;  // with what the allocator and the pointers to it take

size_t size_of(const Record& record) { return kRecordBytes + record.key().size() + record.bytes().size(); }

// What only history holds once the event is in it.
size_t held_by(const Event& event) {
  return (event.before != nullptr ? size_of(*event.before) : 0) + (event.now->deleted() ? size_of(*event.now) : 0);
}

}  // namespace

std::deque<Event>::const_iterator History::Track::first_after(Revision after) const {
  return std::ranges::partition_point(events_, [after](const Event& event) { return event.now->revision() <= after; });
}

void History::add(Track& track, Event event) {
  bytes_ += held_by(event);
  track.events_.push_back(std::move(event));
  order_.push_back(&track);
  while (order_.size() > bounds_.history_events || (bytes_ > bounds_.history_bytes && !order_.empty())) forget_oldest();
}

void History::raise_floor(Revision revision) {
  while (!order_.empty() && order_.front()->events_.front().now->revision() <= revision) forget_oldest();
  floor_ = std::max(floor_, revision);
  compacted_ = std::max(compacted_, revision);
}

void History::forget_oldest() {
  Track& track = *order_.front();
  order_.pop_front();
  const Event event = std::move(track.events_.front());
  track.events_.pop_front();
  bytes_ -= held_by(event);
  // The state that this event made may be needed as another's `before`; the one that it replaced is not.
  if (event.before != nullptr) garbage_.push_back(event.before->revision());
  if (event.now->deleted()) garbage_.push_back(event.now->revision());
  track.forgotten_ = compacted_ = event.now->revision();
}

}  // namespace basalt::store
