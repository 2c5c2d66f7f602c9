// The queue between the client's threads and the informer's: pages of lists, events of watches.
//
// 1. Only what belongs to the present opening of a kind (open() to shut()) is taken; the rest came too late.
// 2. Bounded: an opening that finds kMaxInbox events waiting loses all that follows, which the informer is told once.
//    The initial events of a watch are never lost: the client's thread waits while a page of them is here. shut() and
//    close() end that waiting.
// 3. Bookmarks wake nobody: the last one of an opening is answered by shut().
//
// Shared with the functions that calls and watches were given, which may outlive the informer. From any thread.
#pragma once

#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "control/loop/kind_id.h"
#include "control/loop/wake_up.h"
#include "kube/client/object_client.h"

namespace basalt::loop {

inline constexpr size_t kMaxInbox = 20'000;  // parsed objects of some 10 KB each: more memory is not worth a watch
inline constexpr int64_t kPageSize = 500;

class InformerInbox {
 public:
  struct QueuedEvent {
    KindId kind;
    uint64_t opening;
    client::WatchEvent event;
  };
  // A part of a list: of one that was asked for, or of the initial events of a watch.
  struct Part {
    client::ReplyOrError outcome;
    bool last = false;
  };
  struct Taken {
    std::vector<QueuedEvent> events;
    std::map<KindId, uint64_t> overrun;  // the openings that lost events
  };

  explicit InformerInbox(WakeUp& wake_up) : wake_up_(&wake_up) {}

  void open(KindId kind, uint64_t opening);
  // Answers the resourceVersion of the last bookmark; "": there was none.
  std::string shut(KindId kind);
  void close();  // the loop goes away; nothing is taken any more

  void put_page(KindId kind, uint64_t opening, client::ReplyOrError outcome);
  void put_event(KindId kind, uint64_t opening, client::WatchEvent event);
  // Of a watch that began with initial events. They are parts; what is no part of them (a deletion meanwhile, and what
  // follows it) is a queued. A watch that ends before they are complete is a part that failed.
  class Initial {
   public:
    void put(InformerInbox& inbox, KindId kind, uint64_t opening, client::WatchEvent event);

   private:
    bool complete_ = false, only_events_ = false;
  };

  [[nodiscard]] std::optional<Part> take_part(KindId kind);
  // Letters; those of kinds that are being listed stay for later, because their lists come first.
  template <std::predicate<KindId> IsListing>
  [[nodiscard]] Taken take_events(const IsListing& is_listing) {
    const std::lock_guard lock(mutex_);
    notified_ = false;
    Taken taken{.events = std::exchange(events_, {}), .overrun = std::exchange(overrun_, {})};
    std::vector<QueuedEvent> now;
    now.reserve(taken.events.size());
    for (QueuedEvent& queued : taken.events) {
      (is_listing(queued.kind) ? events_ : now).push_back(std::move(queued));
    }
    taken.events = std::move(now);
    return taken;
  }

 private:
  struct Opening {
    uint64_t number = 0;
    std::string bookmark_version;
    std::optional<Part> part;
    bool lost = false;
  };
  Opening* find(KindId kind, uint64_t opening);
  void put_initial(KindId kind, uint64_t opening, client::ObjectPtr object);
  void end_initial(KindId kind, uint64_t opening, client::ReplyOrError outcome);

  std::mutex mutex_;
  std::condition_variable room_;
  WakeUp* wake_up_;  // null: nobody listens any more
  std::map<KindId, Opening> openings_;
  std::vector<QueuedEvent> events_;
  bool notified_ = false;  // for a queued, since events were last taken: those that follow are taken with it
  std::map<KindId, uint64_t> overrun_;
};

}  // namespace basalt::loop
