// The state of every kind as a stream of changes: list, then watch from there, and go on watching when a watch ends.
//
// 1. A watch that ended is opened again from the last version that was seen (in events or bookmarks), without a list.
//    Only when the server has forgotten that version (410), when an event made no sense, or when the watch ended
//    kMaxFailedWatches times at once, the kind is listed again, and the difference to what is known is applied.
// 2. Lists come page by page (kPageSize), or as the initial events of a watch where the client prefers it
//    (ObjectClient::streams_lists) and the server offers it: a large kind is never in memory as a whole.
// 3. Nothing here waits for the server: its answers wake the loop's thread. A client that answers before send() returns
//    (the embedded server) has its kinds listed when open_due() returns.
// 4. Failed attempts are repeated with growing delays, at most kLongestReopen apart (informer_backoff.h). A kind that
//    the server does not have has no objects, and is tried every kLastRetry at most; one that was served before counts
//    as gone after kUnknownBeforeGone.
// 5. An inbox that is full (kMaxInbox) drops the watch that filled it; it goes on from the last event that had room.
// 6. All functions are called by one thread; what take() answers is in the order in which it happened, kind by kind.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/instant.h"
#include "control/loop/informer_inbox.h"
#include "control/loop/kind_id.h"
#include "control/loop/wake_up.h"
#include "kube/client/object_client.h"

namespace basalt::loop {

inline constexpr int kMaxFailedWatches = 5;
inline constexpr Duration kUnknownBeforeGone = Duration::seconds(30);
inline constexpr int kMaxFailedStreams = 2;                      // then a list page by page, for this time
inline constexpr Duration kSteadyWatch = Duration::seconds(10);  // a watch that lived so long was not in vain

class Informer {
 public:
  struct Change {
    KindId kind;
    client::WatchEvent event;
  };
  // What a list found, to be compared with what is known.
  struct Listed {
    KindId kind;
    std::vector<client::ObjectPtr> objects;
    bool first = false;     // the first page
    bool complete = false;  // the last page: known objects that were on no page are gone
  };
  using TakeListed = std::function<void(const Listed&)>;

  // `seed`: of what is left to chance (informer_backoff.h).
  Informer(client::ObjectClient& client, WakeUp& wake_up, uint64_t seed = 0)
      : client_(client), seed_(seed), inbox_(std::make_shared<InformerInbox>(wake_up)) {}
  ~Informer();
  Informer(const Informer&) = delete;
  Informer& operator=(const Informer&) = delete;

  // Once more: at another version, or with other selectors. `labels`, `fields`: "" for all objects.
  void follow(KindId kind, api::GroupVersionResource resource, Instant now, std::string labels = "",
              std::string fields = "");
  void leave(KindId kind);

  // Opens what is due, and hands pages of lists that have come to `take`.
  void open_due(Instant now, const TakeListed& take);
  [[nodiscard]] std::vector<Change> take(Instant now);
  [[nodiscard]] const std::set<KindId>& synced() const { return synced_; }  // listed at least once
  // When open_due() has something to do without a wake-up.
  [[nodiscard]] std::optional<Instant> next_due() const;
  void close();  // ends all watches

 private:
  enum class Phase : uint8_t { Waiting, Listing, Streaming, Watching };
  struct KindState {
    api::GroupVersionResource resource;
    std::string labels, fields;
    Phase phase = Phase::Waiting;
    std::unique_ptr<client::Watch> watch;
    uint64_t opening = 0;        // tells what comes of this one from what comes of a former one
    std::string version;         // watch from here; "": list
    std::string continue_token;  // of the list
    bool first_page = true;
    bool can_stream = true;
    bool received_event = false;  // an event has come since the watch was opened
    int failed_watches = 0, failed_streams = 0, failures = 0;
    Instant open_at, opened_at;
    Instant unknown_since;  // the server says that there is no such kind
  };

  [[nodiscard]] api::Call call_for(const KindState& state, api::Verb verb) const;
  void open(KindId kind, KindState& state, Instant now);
  void open_list(KindId kind, KindState& state);
  void open_watch(KindId kind, KindState& state);
  void open_stream(KindId kind, KindState& state);
  std::string shut(KindId kind, KindState& state);
  void take_parts(KindId kind, Instant now, const TakeListed& take);
  void list_failed(KindId kind, const api::ApiError& error, Instant now, const TakeListed& take);
  void watch_ended(KindId kind, KindState& state, const client::WatchEvent& end, Instant now);
  void watch_overran(KindId kind, KindState& state, Instant now);
  void open_later(KindId kind, KindState& state, Instant now, const api::ApiError& why, Duration longest);

  client::ObjectClient& client_;
  const uint64_t seed_;
  std::shared_ptr<InformerInbox> inbox_;  // shared with the functions that the client calls
  std::map<KindId, KindState> states_;
  std::set<KindId> synced_;
  uint64_t openings_ = 0;
};

}  // namespace basalt::loop
