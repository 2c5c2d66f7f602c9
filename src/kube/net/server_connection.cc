#include "kube/net/server_connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <ctime>
#include <utility>

#include "kube/net/listening_socket.h"
#include "kube/net/response_text.h"

namespace basalt::net {
namespace {

// Steps of one connection before others get their turn on the thread. A step reads up to one record (16 KiB): when
// hundreds send large bodies, whoever asks something small waits for a turn of each of them.
constexpr int kMaxStepsPerTurn = 8;

// Answers leave at once. A quiet watch whose peer lost its power would stay open for ever: the kernel asks after a
// minute, and gives up in another. On a socket file none of these means anything, and the kernel says no.
void set_up(int socket) {
  const auto set = [socket](int level, int name, int value) {
    ::setsockopt(socket, level, name, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
}

}  // namespace

ServerConnection::ServerConnection(std::shared_ptr<ServerCore> core, LoopSocket socket, bool refuse)
    : core_(std::move(core)),
      socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      refuse_(refuse),
      body_share_(core_->bodies),
      answer_share_(core_->answers) {}

ServerConnection::~ServerConnection() { core_->remove(number_); }

void ServerConnection::start() {
  waiting_since_ = Clock::now().time_since_epoch().count();
  number_ = core_->add(weak_from_this());
  on_strand([self = shared_from_this()] {
    boost::system::error_code ignored;
    self->socket_.non_blocking(true, ignored);
    set_up(self->socket_.native_handle());
    self->peer_.address = peer_address(self->socket_.native_handle());
    auto channel = MaybeTlsStream::accept(self->core_->tls(), self->socket_.native_handle());
    if (!channel) return self->close();
    self->channel_ = std::move(*channel);
    self->set_deadline(self->core_->options.limits.handshake_timeout);
    self->pump();
  });
}

void ServerConnection::stop() {
  on_strand([self = shared_from_this()] {
    self->stopping_ = true;
    self->pump();
  });
}

void ServerConnection::abort() {
  on_strand([self = shared_from_this()] { self->close(); });
}

void ServerConnection::make_room() {
  waiting_since_ = 0;
  on_strand([self = shared_from_this()] {
    const bool waits = self->state_ == State::Handshake || (self->state_ == State::Reading && !self->header_judged_);
    if (waits) self->say_goodbye();
  });
}

void ServerConnection::pump() {
  if (pumping_) return;
  pumping_ = true;
  int steps = 0;
  while (state_ != State::Closed && advance()) {
    if (++steps < kMaxStepsPerTurn) continue;
    core_->post(socket_.get_executor(), [self = shared_from_this()] { self->pump(); });
    break;
  }
  pumping_ = false;
}

bool ServerConnection::advance() {
  switch (state_) {
    case State::Handshake:
      return advance_handshake();
    case State::Reading:
      return advance_reading();
    case State::Writing:
      return advance_writing();
    case State::Streaming:
      return advance_streaming();
    case State::Lingering:
      return advance_lingering();
    case State::Answering:
    case State::Closed:
      break;
  }
  return false;
}

bool ServerConnection::advance_handshake() {
  if (!channel_ || stopping_) {
    close();
    return false;
  }
  const TlsStep step = channel_->handshake();
  if (step == TlsStep::Done) {
    channel_->describe(peer_);
    next_request();
    return true;
  }
  if (step == TlsStep::Failed) {
    ++core_->refused;
    if (channel_->met_plain_http()) refuse_plain_http();
  }
  wait_for(step);
  return false;
}

void ServerConnection::next_request() {
  state_ = State::Reading;
  parser_.reset();
  header_judged_ = request_begun_ = told_to_continue_ = linger_ = false;
  answer_end_ = Clock::time_point::max();
  may_have_input_ = channel_->has_pending();
  ahead_is_new_ = !ahead_.empty();
  set_deadline(core_->options.limits.idle_timeout);
  waiting_since_ = (deadline_ - core_->options.limits.idle_timeout).time_since_epoch().count();
}

bool ServerConnection::advance_reading() {
  if (stopping_ && !request_begun_ && !ahead_is_new_) {
    say_goodbye();
    return false;
  }
  if (!flush()) {  // "100 Continue" is on its way
    if (state_ == State::Closed) return false;
  }
  if (std::exchange(ahead_is_new_, false)) return take(std::exchange(ahead_, {}));
  if (!may_have_input_) {
    wait_readable();
    return false;
  }
  std::array<char, SendBuffer::kRecordBytes> chunk;  // not zeroed: read() says how much of it counts
  size_t got = 0;
  const TlsStep step = channel_->read(chunk, got);
  if (step == TlsStep::Done) return take({chunk.data(), got});
  may_have_input_ = step == TlsStep::WantWrite;  // TLS itself must send before it can read on
  wait_for(step);
  return false;
}

void ServerConnection::answer(HttpResponse response) {
  on_strand([self = shared_from_this(), response = std::move(response)]() mutable {
    if (self->state_ != State::Answering) return;
    self->begin_answer(std::move(response));
    self->pump();
  });
}

void ServerConnection::answer_dropped() {
  answer(core_->error_response(500, "the request was dropped without an answer"));
}

void ServerConnection::begin_answer(HttpResponse response) {
  state_ = State::Writing;
  body_share_.release();
  keep_alive_ = keep_alive_ && !core_->stopping;
  const bool sent = !is_head_ && has_body(response.status);
  if (sent && response.body.size() > SendBuffer::kRecordBytes) {
    if (is_read_ && !answer_share_.hold(response.body.size())) {
      ++core_->refused;
      response = core_->error_response(429, "too many bytes of answers wait to be read, please try again later");
    } else if (!is_read_) {  // what was done cannot be answered with a refusal
      answer_share_.hold_anyway(response.body.size());
    }
    const ServerLimits& limits = core_->options.limits;
    const std::chrono::milliseconds at_that_rate(response.body.size() * 1000 / limits.answer_bytes_per_second);
    answer_end_ = Clock::now() + limits.write_timeout + at_that_rate;
  }
  append_head(send_buffer_.text(), response, {.keep_alive = keep_alive_, .now = std::time(nullptr)});
  if (sent) send_buffer_.put_body(std::move(response.body));
  set_write_deadline();
}

bool ServerConnection::advance_writing() {
  if (!flush()) return false;
  response_sent();
  return true;
}

void ServerConnection::response_sent() {
  if (keep_alive_ && !stopping_) return next_request();
  if (linger_) return start_lingering();
  say_goodbye();
}

}  // namespace basalt::net
