#include "server/http/watch_stream.h"

namespace basalt::server {

WatchStream::WatchStream(std::unique_ptr<WatchCursor> cursor, std::shared_ptr<net::ResponseStream> stream,
                         EncodingOptions options, WatchSeries series, std::function<Instant()> clock,
                         int64_t timeout_seconds, std::shared_ptr<void> record)
    : cursor_(std::move(cursor)),
      stream_(std::move(stream)),
      options_(options),
      series_(series),
      clock_(std::move(clock)),
      record_(std::move(record)),
      deadline_(clock_() + Duration::seconds(timeout_seconds)),
      next_bookmark_(clock_() + Duration::seconds(kBookmarkSeconds)) {
  series_.open.add(1);
}

WatchStream::~WatchStream() { series_.open.add(-1); }

void WatchStream::start(store::Store& store) {
  self_ = shared_from_this();
  std::weak_ptr<WatchStream> weak = self_;
  stream_->on_closed([weak] {
    if (const auto stream = weak.lock()) stream->close();
  });
  const std::string name = cursor_->resource().storage_name();
  auto subscription = store.subscribe(name, [weak] {
    if (const auto stream = weak.lock()) stream->wake();
  });
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) subscription_ = std::move(subscription);
  }
  wake();
}

void WatchStream::wake() {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    if (busy_) {
      again_ = true;
      return;
    }
    busy_ = true;
  }
  // The committing thread must not encode for a thousand watchers: the connection's own thread does.
  stream_->run([self = shared_from_this()] { self->pump(); });
}

void WatchStream::tick() {
  const Instant now = clock_();
  if (now < deadline_ && now < next_bookmark_) return;
  {
    const std::lock_guard lock(mutex_);
    due_ = true;
  }
  wake();
}

void WatchStream::pump() {
  for (;;) {
    bool due = false;
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      again_ = false;
      due = std::exchange(due_, false);
    }
    std::string chunk;
    bool last = false;
    while (chunk.size() < kMaxChunkBytes) {
      if (read_.empty()) {
        auto cursor_events = cursor_->next(kEventsPerRead);
        if (!cursor_events) {
          append_watch_error(chunk, cursor_events.error());
          last = true;
          break;
        }
        read_.assign(std::make_move_iterator(cursor_events->begin()), std::make_move_iterator(cursor_events->end()));
      }
      if (read_.empty()) break;
      append_watch_event(chunk, cursor_->resource(), read_.front(), options_);
      read_.pop_front();
      options_.table.headers = false;
      series_.events.add();
    }
    if (due && !last) {
      const Instant now = clock_();
      last = now >= deadline_;
      // A bookmark speaks for all that was read: it comes when that is on its way.
      if (read_.empty()) {
        for (const CursorEvent& mark : cursor_->bookmark())
          append_watch_event(chunk, cursor_->resource(), mark, options_);
      }
      next_bookmark_ = now + Duration::seconds(kBookmarkSeconds);
    }
    if (!chunk.empty() || last) {
      if (send(std::move(chunk), last)) return;
      continue;
    }
    const std::lock_guard lock(mutex_);
    if (again_ || due_) continue;
    busy_ = false;
    return;
  }
}

// True: the pump goes on when the chunk is written.
bool WatchStream::send(std::string chunk, bool last) {
  if (chunk.empty()) {
    stream_->finish();
    close();
    return true;
  }
  stream_->write(std::move(chunk), [self = shared_from_this(), last](bool written) {
    if (!written) return self->close();
    if (last) {
      self->stream_->finish();
      return self->close();
    }
    self->pump();
  });
  return true;
}

void WatchStream::close() {
  std::unique_ptr<store::Store::Subscription> subscription;
  std::shared_ptr<WatchStream> self;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    subscription = std::move(subscription_);
    self = std::move(self_);
  }
  // The subscription's destructor waits for a running wake, which takes the lock: so it ends here, outside.
}

}  // namespace basalt::server
