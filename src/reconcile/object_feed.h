// The state of every kind as a stream of changes: list, then watch from there, and again when a watch ends.
//
// 1. Lists come page by page (kPageSize), so a large kind never lies twice in memory.
// 2. `receive` runs on the server's committing thread and only enqueues. An inbox that is full (kMaxInbox) drops the
//    watch that filled it: its kind is listed again, and the difference to what is known is applied.
// 3. take() and open_due() are called by one thread; what they answer is in the order in which it happened, kind by
//    kind.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "base/instant.h"
#include "client/object_client.h"
#include "reconcile/bell.h"
#include "reconcile/kind_id.h"

namespace basalt::reconcile {

inline constexpr size_t kMaxInbox = 20'000;  // parsed objects of some 10 KB each: more memory is not worth a list
inline constexpr int64_t kPageSize = 500;

class ObjectFeed {
 public:
  struct News {
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

  ObjectFeed(client::ObjectClient& client, Bell& bell) : client_(client), inbox_(std::make_shared<Inbox>(bell)) {}

  // Once more: at another version, or with other selectors. `labels`, `fields`: "" for all objects.
  void follow(KindId kind, api::ResourceName resource, Instant now, std::string labels = "", std::string fields = "");
  void leave(KindId kind);

  // Opens what is due: lists through `take`, then watches.
  void open_due(Instant now, const TakeListed& take);
  [[nodiscard]] std::vector<News> take(Instant now);
  [[nodiscard]] const std::set<KindId>& synced() const { return synced_; }
  [[nodiscard]] std::optional<Instant> next_due() const;
  void close();

 private:
  struct Inbox {
    explicit Inbox(Bell& at) : bell(at) {}
    struct Letter {
      KindId kind;
      uint64_t epoch;
      client::WatchEvent event;
    };
    Bell& bell;
    std::mutex mutex;
    std::vector<Letter> letters;
    std::map<KindId, uint64_t> dropped;  // the epoch of a watch that lost an event
    void put(KindId kind, uint64_t epoch, client::WatchEvent event);
  };
  struct Line {
    api::ResourceName resource;
    std::string labels, fields;
    std::unique_ptr<client::Watch> watch;
    uint64_t epoch = 0;  // tells letters of this watch from those of a former one
    int failures = 0;
    Instant open_at;
  };

  bool open(KindId kind, Line& line, const TakeListed& take);
  void reopen_later(Line& line, Instant now);

  client::ObjectClient& client_;
  std::shared_ptr<Inbox> inbox_;  // shared with receive functions
  std::map<KindId, Line> lines_;
  std::set<KindId> synced_;
  uint64_t epochs_ = 0;
};

}  // namespace basalt::reconcile
