#include "kube/net/websocket_link.h"

#include <utility>

namespace basalt::net {

void WebSocketLink::start(Ears ears) {
  {
    const std::lock_guard lock(mutex_);
    ears_ = std::make_shared<const Ears>(std::move(ears));
  }
  duplex_->on_closed([self = shared_from_this()] { self->gone(); });
  duplex_->on_data([self = shared_from_this()](std::string_view bytes) { self->take(bytes); });
}

WebSocketLink::EarsPtr WebSocketLink::ears() {
  const std::lock_guard lock(mutex_);
  return ears_;
}

WebSocketLink::EarsPtr WebSocketLink::forget_ears() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ears_, nullptr);
}

WebSocketLink::Sent WebSocketLink::send(std::string_view message) {
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    if (closing_ || finished_) return Sent::Gone;
    append_frame(outbox_, WebSocketOp::Binary, message);
    full = full_ = outbox_.size() >= kMaxWebSocketOutbox;
  }
  flush();
  return full ? Sent::Full : Sent::Room;
}

void WebSocketLink::close(uint16_t code, std::string_view reason) {
  forget_ears();
  end(code, reason, false);
}

void WebSocketLink::end(uint16_t code, std::string_view reason, bool peer_is_done) {
  {
    const std::lock_guard lock(mutex_);
    if (!closing_) append_frame(outbox_, WebSocketOp::Close, close_payload(code, reason));
    closing_ = true;
    peer_done_ = peer_done_ || peer_is_done;
  }
  flush();
  if (!peer_is_done) duplex_->hold(false);  // the peer's answer is to be heard
}

void WebSocketLink::hold(bool held) {
  duplex_->hold(held);
  bool closing = false;
  {
    const std::lock_guard lock(mutex_);
    closing = closing_;
  }
  if (held && closing) duplex_->hold(false);  // end() may have come between
}

void WebSocketLink::take(std::string_view bytes) {
  WebSocketParser::Fed fed = parser_.feed(bytes);
  for (WebSocketMessage& message : fed.messages) take_message(std::move(message));
  if (!fed.fault) return;
  const EarsPtr last = forget_ears();
  end(fed.fault->code, fed.fault->reason, true);
  if (last) last->closed();
}

void WebSocketLink::take_message(WebSocketMessage message) {
  if (message.op == WebSocketOp::Pong) return;
  if (message.op == WebSocketOp::Ping) {
    {
      const std::lock_guard lock(mutex_);
      // A peer that asks without reading our answers gets no more of them.
      if (closing_ || outbox_.size() >= kMaxWebSocketOutbox) return;
      append_frame(outbox_, WebSocketOp::Pong, message.payload);
    }
    return flush();
  }
  if (message.op == WebSocketOp::Close) {
    const EarsPtr last = forget_ears();
    end(kCloseNormal, "", true);
    if (last) last->closed();
    return;
  }
  if (const EarsPtr listening = ears()) listening->message(std::move(message));
}

void WebSocketLink::gone() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = finished_ = true;
    outbox_.clear();
  }
  if (const EarsPtr last = forget_ears()) last->closed();
}

// Outside the lock: `written` may be called before write() returns.
void WebSocketLink::flush() {
  std::string frames;
  bool finish = false;
  {
    const std::lock_guard lock(mutex_);
    if (writing_ || finished_) return;
    if (outbox_.empty()) {
      if (!closing_ || !peer_done_) return;
      finish = finished_ = true;
    } else {
      writing_ = true;
      frames.swap(outbox_);
    }
  }
  if (finish) return duplex_->finish();
  duplex_->write(std::move(frames), [self = shared_from_this()](bool good) { self->written(good); });
}

void WebSocketLink::written(bool good) {
  if (!good) return;  // on_closed comes, or came
  EarsPtr waiting;
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (full_ && outbox_.size() < kMaxWebSocketOutbox) {
      full_ = false;
      waiting = ears_;
    }
  }
  flush();
  if (waiting) waiting->room();
}

}  // namespace basalt::net
