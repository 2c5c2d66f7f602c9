// What happened lately: the events of every resource, within bounds.
//
// 1. Events of one resource are in revision order, each once, without a gap above the resource's horizon().
// 2. History holds at most StoreOptions::history_events events, and at most StoreOptions::history_bytes of records that
//    only it holds: replaced states, and the last states of removed objects. The oldest of all go first.
// 3. A resource's horizon only moves when an event of its own is forgotten (or by raise_floor): watching nodes does not
//    expire because pods change often.
// Cost: add O(1) amortised with what it forgets; lookups O(log events).
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "server/store/record.h"
#include "server/store/store.h"

namespace basalt::store {

class History {
 public:
  // The events of one resource. Requires: outlives the History that filled it.
  class ResourceEvents {
   public:
    // Oldest first.
    [[nodiscard]] const std::deque<StoreEvent>& events() const { return events_; }
    // The first event with a revision above `after`.
    [[nodiscard]] std::deque<StoreEvent>::const_iterator first_after(Revision after) const;

   private:
    friend class History;
    std::deque<StoreEvent> events_;
    Revision forgotten_ = 0;
  };

  explicit History(const StoreOptions& bounds) : bounds_(bounds) {}

  // Requires: its revision is above all others.
  void add(ResourceEvents& resource_events, StoreEvent event);
  // Forgets every event up to `revision`, and says so even where there was none.
  void raise_floor(Revision revision);

  // Lists and events of this resource are complete above this revision.
  [[nodiscard]] Revision horizon(const ResourceEvents& resource_events) const {
    return std::max(floor_, resource_events.forgotten_);
  }
  [[nodiscard]] Revision compacted() const { return compacted_; }  // the highest revision that was forgotten
  [[nodiscard]] size_t event_count() const { return order_.size(); }

  // Revisions of records that nothing here holds any more, in the order in which they became so: the journal may drop
  // them. The caller takes them from the front.
  std::deque<Revision>& garbage() { return garbage_; }
  [[nodiscard]] const std::deque<Revision>& garbage() const { return garbage_; }

 private:
  void forget_oldest();

  StoreOptions bounds_;
  std::deque<ResourceEvents*> order_;  // of each event, by revision
  std::deque<Revision> garbage_;
  size_t bytes_ = 0;
  Revision floor_ = 0, compacted_ = 0;
};

}  // namespace basalt::store
