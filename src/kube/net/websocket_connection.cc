#include "kube/net/websocket_connection.h"

#include <utility>

namespace basalt::net {

void WebSocketConnection::start(Callbacks callbacks) {
  {
    const std::lock_guard lock(mutex_);
    callbacks_ = std::make_shared<const Callbacks>(std::move(callbacks));
  }
  duplex_->on_closed([self = shared_from_this()] { self->gone(); });
  duplex_->on_data([self = shared_from_this()](std::string_view bytes) { self->take(bytes); });
}

WebSocketConnection::CallbacksPtr WebSocketConnection::callbacks() {
  const std::lock_guard lock(mutex_);
  return callbacks_;
}

WebSocketConnection::CallbacksPtr WebSocketConnection::forget_callbacks() {
  const std::lock_guard lock(mutex_);
  return std::exchange(callbacks_, nullptr);
}

WebSocketConnection::SendResult WebSocketConnection::send(std::string_view message) {
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    if (closing_ || finished_) return SendResult::Gone;
    append_frame(send_buffer_, WebSocketOp::Binary, message);
    full = full_ = send_buffer_.size() >= kMaxWebSocketSendBuffer;
  }
  flush();
  return full ? SendResult::Full : SendResult::Room;
}

void WebSocketConnection::close(uint16_t code, std::string_view reason) {
  forget_callbacks();
  end(code, reason, false);
}

void WebSocketConnection::end(uint16_t code, std::string_view reason, bool peer_is_done) {
  {
    const std::lock_guard lock(mutex_);
    if (!closing_) append_frame(send_buffer_, WebSocketOp::Close, close_payload(code, reason));
    closing_ = true;
    peer_done_ = peer_done_ || peer_is_done;
  }
  flush();
  if (!peer_is_done) duplex_->hold(false);  // the peer's answer is to be heard
}

void WebSocketConnection::hold(bool held) {
  duplex_->hold(held);
  bool closing = false;
  {
    const std::lock_guard lock(mutex_);
    closing = closing_;
  }
  if (held && closing) duplex_->hold(false);  // end() may have come between
}

void WebSocketConnection::take(std::string_view bytes) {
  WebSocketParser::FeedResult fed = parser_.feed(bytes);
  for (WebSocketMessage& message : fed.messages) take_message(std::move(message));
  if (!fed.fault) return;
  const CallbacksPtr last = forget_callbacks();
  end(fed.fault->code, fed.fault->reason, true);
  if (last) last->closed();
}

void WebSocketConnection::take_message(WebSocketMessage message) {
  if (message.op == WebSocketOp::Pong) return;
  if (message.op == WebSocketOp::Ping) {
    {
      const std::lock_guard lock(mutex_);
      // A peer that asks without reading our answers gets no more of them.
      if (closing_ || send_buffer_.size() >= kMaxWebSocketSendBuffer) return;
      append_frame(send_buffer_, WebSocketOp::Pong, message.payload);
    }
    return flush();
  }
  if (message.op == WebSocketOp::Close) {
    const CallbacksPtr last = forget_callbacks();
    end(kCloseNormal, "", true);
    if (last) last->closed();
    return;
  }
  if (const CallbacksPtr listening = callbacks()) listening->message(std::move(message));
}

void WebSocketConnection::gone() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = finished_ = true;
    send_buffer_.clear();
  }
  if (const CallbacksPtr last = forget_callbacks()) last->closed();
}

// Outside the lock: `written` may be called before write() returns.
void WebSocketConnection::flush() {
  std::string frames;
  bool finish = false;
  {
    const std::lock_guard lock(mutex_);
    if (writing_ || finished_) return;
    if (send_buffer_.empty()) {
      if (!closing_ || !peer_done_) return;
      finish = finished_ = true;
    } else {
      writing_ = true;
      frames.swap(send_buffer_);
    }
  }
  if (finish) return duplex_->finish();
  duplex_->write(std::move(frames), [self = shared_from_this()](bool good) { self->written(good); });
}

void WebSocketConnection::written(bool good) {
  if (!good) return;  // on_closed comes, or came
  CallbacksPtr waiting;
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (full_ && send_buffer_.size() < kMaxWebSocketSendBuffer) {
      full_ = false;
      waiting = callbacks_;
    }
  }
  flush();
  if (waiting) waiting->room();
}

}  // namespace basalt::net
