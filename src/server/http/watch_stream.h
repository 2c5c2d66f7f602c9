// A watch on its way to an HTTP client: the store wakes it, it reads what is new and writes it, one chunk at a time.
//
// While a chunk is on its way nothing is read from the store: the connection's speed is the watch's speed, and what
// waits is the shared history, not a queue. Chunks are bounded by kMaxChunkBytes and one object.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include "kube/net/http.h"
#include "server/http/response_encoding.h"
#include "server/rest/watch_cursor.h"
#include "server/server_metrics.h"
#include "server/ticker.h"

namespace basalt::server {

inline constexpr size_t kMaxChunkBytes = size_t{256} * 1024;
inline constexpr size_t kEventsPerRead = 200;
inline constexpr int64_t kBookmarkSeconds = 60;

class WatchStream : public Ticker::Listener, public std::enable_shared_from_this<WatchStream> {
 public:
  WatchStream(std::unique_ptr<WatchCursor> cursor, std::shared_ptr<net::ResponseStream> stream, EncodingOptions options,
              WatchSeries series, std::function<Instant()> clock, int64_t timeout_seconds,
              std::shared_ptr<void> record);
  ~WatchStream() override;

  // Subscribes and sends what there is. Holds itself alive until the stream is closed.
  void start(store::Store& store);
  void tick() override;

 private:
  void wake();
  void pump();  // Requires: busy_ was won by the caller
  bool send(std::string chunk, bool last);
  void close();

  std::unique_ptr<WatchCursor> cursor_;
  std::shared_ptr<net::ResponseStream> stream_;
  EncodingOptions options_;
  WatchSeries series_;
  std::function<Instant()> clock_;
  const std::shared_ptr<void> record_;  // lives until the stream has ended; see RequestRecorder::streams
  Instant deadline_, next_bookmark_;
  std::deque<CursorEvent> read_;  // and not in a chunk yet
  std::mutex mutex_;
  bool busy_ = false, again_ = false, closed_ = false, due_ = false;
  std::unique_ptr<store::Store::Subscription> subscription_;
  std::shared_ptr<WatchStream> self_;
};

}  // namespace basalt::server
