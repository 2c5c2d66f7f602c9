// The lower half of a connection: bytes, waiting, time, the end.
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "kube/net/server_connection.h"

namespace basalt::net {
namespace {

// What one connection sends before others get their turn on the thread.
constexpr size_t kMaxBytesPerTurn = size_t{128} * 1024;
// The write timeout starts anew after so many bytes: a long list may take long, a peer that does not read may not.
constexpr size_t kWriteQuantum = size_t{64} * 1024;
// How long, and for how many bytes, a refused client may go on sending until it has read why.
constexpr std::chrono::milliseconds kLingerTime{2'000};
constexpr size_t kMaxLingerBytes = size_t{16} << 20U;

}  // namespace

bool ServerConnection::flush() {
  size_t turn = 0;
  while (!send_buffer_.empty()) {
    if (turn >= kMaxBytesPerTurn) {
      core_->post(socket_.get_executor(), [self = shared_from_this()] { self->pump(); });
      return false;
    }
    size_t put = 0;
    const TlsStep step = channel_->write(send_buffer_.next(), put);
    if (step != TlsStep::Done) {
      wait_for(step);
      return false;
    }
    send_buffer_.sent(put);
    turn += put;
    sent_since_deadline_ += put;
    if (sent_since_deadline_ >= kWriteQuantum) set_write_deadline();
  }
  answer_share_.release();
  return true;
}

bool ServerConnection::wait_for(TlsStep step) {
  if (step == TlsStep::WantRead) {
    wait_readable();
  } else if (step == TlsStep::WantWrite) {
    wait_writable();
  } else {
    close();
    return false;
  }
  return true;
}

void ServerConnection::wait_readable() {
  if (std::exchange(read_waits_, true)) return;
  socket_.async_wait(LoopSocket::wait_read, [self = shared_from_this()](const boost::system::error_code&) {
    self->read_waits_ = false;
    self->may_have_input_ = true;
    self->pump();
  });
}

void ServerConnection::wait_writable() {
  if (std::exchange(write_waits_, true)) return;
  socket_.async_wait(LoopSocket::wait_write, [self = shared_from_this()](const boost::system::error_code&) {
    self->write_waits_ = false;
    self->pump();
  });
}

void ServerConnection::set_write_deadline() {
  sent_since_deadline_ = 0;
  if (upgraded_ && !finishing_) return no_deadline();
  set_deadline(core_->options.limits.write_timeout);
}

// Deadlines move with every request, the timer hardly ever: it only has to go off before the deadline, and looks then.
void ServerConnection::set_deadline(std::chrono::milliseconds from_now) {
  deadline_ = std::min(Clock::now() + from_now, answer_end_);
  if (deadline_ < timer_set_to_) arm_timer();
}

void ServerConnection::arm_timer() {
  timer_set_to_ = deadline_;
  timer_.expires_at(deadline_);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (error || self->state_ == State::Closed) return;
    self->timer_set_to_ = Clock::time_point::max();
    if (Clock::now() >= self->deadline_) {
      self->time_is_up();
    } else if (self->deadline_ != Clock::time_point::max()) {
      self->arm_timer();
    }
  });
}

void ServerConnection::time_is_up() {
  no_deadline();
  if (state_ == State::Handshake) ++core_->refused;
  if (state_ != State::Reading) return close();
  if (!request_begun_) return say_goodbye();
  refuse_request(408, "the request did not arrive in time");
  pump();
}

void ServerConnection::start_lingering() {
  channel_->close_notify();
  boost::system::error_code ignored;
  socket_.shutdown(LoopSocket::shutdown_send, ignored);
  state_ = State::Lingering;
  answer_end_ = Clock::time_point::max();
  set_deadline(kLingerTime);
}

bool ServerConnection::advance_lingering() {
  std::array<char, SendBuffer::kRecordBytes> unread;
  const auto got = ::recv(socket_.native_handle(), unread.data(), unread.size(), 0);
  if (got > 0) lingered_ += static_cast<size_t>(got);
  if (got > 0 && !stopping_ && lingered_ < kMaxLingerBytes) return true;
  if (got < 0 && !stopping_ && (errno == EAGAIN || errno == EINTR)) {
    wait_readable();
  } else {
    close();
  }
  return false;
}

// The answer that other servers give to somebody who forgot the s of https.
void ServerConnection::refuse_plain_http() {
  constexpr std::string_view kAnswer =
      "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\n\r\nThis server speaks HTTPS: use https:// in the "
      "URL.\n";
  ::send(socket_.native_handle(), kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL);
}

void ServerConnection::say_goodbye() {
  if (channel_) channel_->close_notify();
  close();
}

void ServerConnection::close() {
  if (state_ == State::Closed) return;
  state_ = State::Closed;
  waiting_since_ = 0;
  boost::system::error_code ignored;
  socket_.close(ignored);
  timer_.cancel();
  channel_.reset();
  parser_.reset();
  send_buffer_.clear();
  body_share_.release();
  answer_share_.release();
  std::string().swap(ahead_);
  core_->remove(number_);
  const auto written = std::exchange(written_, nullptr);
  const auto closed = std::exchange(on_closed_, nullptr);
  const auto data = std::exchange(on_data_, nullptr);  // forgotten after the others were called: it may own them
  if (written) written(false);
  if (closed) closed();
}

}  // namespace basalt::net
