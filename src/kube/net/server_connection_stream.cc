// The part of a connection that serves a stream: head, chunks one at a time, and an ear for the peer that hangs up or,
// on an upgraded connection, speaks.
#include <array>
#include <ctime>
#include <utility>

#include "base/check.h"
#include "kube/net/response_text.h"
#include "kube/net/server_connection.h"

namespace basalt::net {
namespace {

// What a client may send ahead of its answer: a record and a bit.
constexpr size_t kMaxAheadBytes = 2 * SendBuffer::kRecordBytes;

}  // namespace

void ServerConnection::open_stream(HttpResponse head) {
  on_strand([self = shared_from_this(), head = std::move(head)] {
    if (self->state_ != State::Answering) return;
    self->begin_stream(head);
    self->pump();
  });
}

void ServerConnection::begin_stream(const HttpResponse& head) {
  state_ = State::Streaming;
  body_share_.release();
  finishing_ = false;
  chunked_ = http_1_1_;
  keep_alive_ = keep_alive_ && chunked_ && !core_->stopping;
  body_wanted_ = !is_head_ && has_body(head.status);
  append_head(send_buffer_.text(), head,
              {.framing = chunked_ ? Framing::Chunked : Framing::UntilClose,
               .keep_alive = keep_alive_,
               .now = std::time(nullptr)});
  set_write_deadline();
}

bool ServerConnection::advance_streaming() {
  if (stopping_ && !finishing_) {
    keep_alive_ = false;
    end_stream();
    if (const auto closed = std::exchange(on_closed_, nullptr)) closed();
    return true;
  }
  const bool all_sent = flush();
  if (state_ == State::Closed) return false;
  if (!all_sent) return read_ahead();
  no_deadline();
  if (const auto written = std::exchange(written_, nullptr)) {
    written(true);
    return true;
  }
  if (!finishing_) return read_ahead();
  on_closed_ = nullptr;
  on_data_ = nullptr;
  response_sent();
  return true;
}

// While a stream is open somebody must listen, or a hang-up between two writes would go unnoticed.
bool ServerConnection::read_ahead() {
  if (upgraded_) return read_duplex();
  if (read_waits_ || ahead_.size() >= kMaxAheadBytes) return false;
  std::array<char, SendBuffer::kRecordBytes> chunk;
  size_t got = 0;
  const TlsStep step = channel_->read(chunk, got);
  if (step != TlsStep::Done) {
    wait_for(step);
    return false;
  }
  ahead_.append(chunk.data(), got);
  return true;
}

void ServerConnection::open_duplex(HttpResponse head) {
  on_strand([self = shared_from_this(), head = std::move(head)] {
    if (self->state_ != State::Answering) return;
    self->http_1_1_ ? self->begin_duplex(head) : self->refuse_request(400, "an upgrade needs HTTP/1.1");
    self->pump();
  });
}

void ServerConnection::begin_duplex(const HttpResponse& head) {
  state_ = State::Streaming;
  body_share_.release();
  upgraded_ = linger_ = body_wanted_ = true;
  finishing_ = chunked_ = keep_alive_ = false;
  append_head(send_buffer_.text(), head, {.keep_alive = true, .now = std::time(nullptr)});
  set_write_deadline();
}

bool ServerConnection::read_duplex() {
  if (!on_data_ || held_ || finishing_) return false;
  std::array<char, SendBuffer::kRecordBytes> chunk;
  std::string_view fresh;
  const std::string ahead = std::exchange(ahead_, {});
  if (!ahead.empty()) {
    fresh = ahead;
  } else {
    if (read_waits_) return false;
    size_t got = 0;
    const TlsStep step = channel_->read(chunk, got);
    if (step != TlsStep::Done) {
      wait_for(step);
      return false;
    }
    fresh = {chunk.data(), got};
  }
  const auto data = std::exchange(on_data_, nullptr);  // it may end the stream, which forgets on_data_
  data(fresh);
  if (state_ == State::Streaming && !finishing_) on_data_ = data;
  return true;
}

void ServerConnection::duplex_on_data(std::function<void(std::string_view)> data) {
  on_strand([self = shared_from_this(), data = std::move(data)]() mutable {
    if (self->state_ != State::Streaming || self->finishing_) return;
    self->on_data_ = std::move(data);
    self->pump();
  });
}

void ServerConnection::duplex_hold(bool held) {
  on_strand([self = shared_from_this(), held] {
    self->held_ = held;
    self->pump();
  });
}

void ServerConnection::end_stream() {
  finishing_ = true;
  if (chunked_ && body_wanted_) send_buffer_.text().append(kLastChunk);
  set_write_deadline();
}

void ServerConnection::stream_write(std::string chunk, std::function<void(bool)> written) {
  on_strand([self = shared_from_this(), chunk = std::move(chunk), written = std::move(written)]() mutable {
    if (self->state_ != State::Streaming || self->finishing_) {
      // Later, not now: the caller may be in the middle of something.
      self->core_->post(self->socket_.get_executor(), [written = std::move(written)] { written(false); });
      return;
    }
    check(!self->written_, "a stream takes one write at a time");
    // Too many peers are slow to read: this one has to begin anew.
    if (chunk.size() > SendBuffer::kRecordBytes && !self->answer_share_.hold(chunk.size())) {
      ++self->core_->refused;
      self->core_->post(self->socket_.get_executor(), [self, written = std::move(written)] {
        written(false);
        self->close();
      });
      return;
    }
    self->written_ = std::move(written);
    if (self->body_wanted_ && !chunk.empty()) {
      self->chunked_ ? append_chunk(self->send_buffer_.text(), chunk) : void(self->send_buffer_.text().append(chunk));
    }
    self->set_write_deadline();
    self->pump();
  });
}

void ServerConnection::stream_finish() {
  on_strand([self = shared_from_this()] {
    if (self->state_ != State::Streaming || self->finishing_) return;
    self->end_stream();
    self->pump();
  });
}

void ServerConnection::stream_abandon() {
  on_strand([self = shared_from_this()] {
    if (self->state_ == State::Streaming && !self->finishing_) self->close();
  });
}

void ServerConnection::stream_run(std::function<void()> work) { core_->post(socket_.get_executor(), std::move(work)); }

void ServerConnection::stream_on_closed(std::function<void()> closed) {
  on_strand([self = shared_from_this(), closed = std::move(closed)]() mutable {
    if (self->state_ == State::Streaming && !self->finishing_) {
      self->on_closed_ = std::move(closed);
    } else {
      self->core_->post(self->socket_.get_executor(), std::move(closed));
    }
  });
}

}  // namespace basalt::net
