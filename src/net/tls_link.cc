#include "net/tls_link.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace basalt::net {
namespace {

using Clock = std::chrono::steady_clock;

std::string reason(int error) { return std::generic_category().message(error); }

enum class Wait : uint8_t { Ready, TimedOut };

Wait wait_for(int socket, short events, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Wait::TimedOut;
    pollfd entry{.fd = socket, .events = events, .revents = 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(std::min<int64_t>(left, 60'000)));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return Wait::Ready;  // the next call on it tells what is wrong
  }
}

// A connected socket, or an errno.
std::expected<int, int> connect_to(const addrinfo& address, Clock::time_point deadline) {
  const int socket = ::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, address.ai_protocol);
  if (socket < 0) return std::unexpected(errno);
  int error = 0;
  if (::connect(socket, address.ai_addr, address.ai_addrlen) != 0) error = errno;
  if (error == EINPROGRESS) {
    socklen_t size = sizeof error;
    if (wait_for(socket, POLLOUT, deadline) == Wait::TimedOut) {
      error = ETIMEDOUT;
    } else if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
      error = errno;
    }
  }
  if (error != 0) {
    ::close(socket);
    return std::unexpected(error);
  }
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

Result<int> connect_socket(const std::string& host, uint16_t port, Clock::time_point deadline) {
  const std::string place = host + ":" + std::to_string(port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); error != 0) {
    return failure(ErrorCode::Io, "connect to " + place + ": " + ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, FreeWith<::freeaddrinfo>> addresses(found);
  int last_error = EADDRNOTAVAIL;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    const auto socket = connect_to(*address, deadline);
    if (socket) return *socket;
    last_error = socket.error();
  }
  return failure(ErrorCode::Io, "connect to " + place + ": " + reason(last_error));
}

}  // namespace

Result<TlsLink> TlsLink::connect(std::shared_ptr<const TlsContext> context, const std::string& host, uint16_t port,
                                 Deadline deadline) {
  auto socket = connect_socket(host, port, deadline);
  if (!socket) return std::unexpected(socket.error());
  auto session = TlsSession::connect(std::move(context), *socket, host);
  if (!session) {
    ::close(*socket);
    return std::unexpected(session.error());
  }
  TlsLink link(*socket, std::move(*session));
  if (auto ok = link.handshake(deadline); !ok) return std::unexpected(ok.error().within("TLS with " + host));
  return link;
}

TlsLink::TlsLink(TlsLink&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), session_(std::move(other.session_)) {}

TlsLink::~TlsLink() {
  if (socket_ < 0) return;
  session_.close_notify();
  ::close(socket_);
}

Result<void> TlsLink::handshake(Deadline deadline) {
  for (;;) {
    const TlsStep step = session_.handshake();
    if (step == TlsStep::Done) return {};
    if (auto ok = wait(step, deadline, "handshake"); !ok) return ok;
  }
}

Result<void> TlsLink::wait(TlsStep step, Deadline deadline, std::string_view what) {
  if (step == TlsStep::Closed) return failure(ErrorCode::Io, std::string(what) + ": the peer closed the connection");
  if (step == TlsStep::Failed) return failure(ErrorCode::Io, std::string(what) + ": " + session_.reason());
  const bool reads = step == TlsStep::WantRead;
  if (wait_for(socket_, reads ? POLLIN : POLLOUT, deadline) == Wait::Ready) return {};
  return failure(ErrorCode::Io, std::string(what) + ": timed out");
}

Result<void> TlsLink::send(std::string_view data, Deadline deadline) {
  while (!data.empty()) {
    size_t put = 0;
    const TlsStep step = session_.write(data, put);
    if (step == TlsStep::Done) {
      data.remove_prefix(put);
    } else if (auto ok = wait(step, deadline, "send"); !ok) {
      return ok;
    }
  }
  return {};
}

Result<size_t> TlsLink::receive(std::span<char> into, Deadline deadline) {
  for (;;) {
    size_t got = 0;
    const TlsStep step = session_.read(into, got);
    if (step == TlsStep::Done) return got;
    if (step == TlsStep::Closed) return size_t{0};
    if (auto ok = wait(step, deadline, "receive"); !ok) return std::unexpected(ok.error());
  }
}

}  // namespace basalt::net
