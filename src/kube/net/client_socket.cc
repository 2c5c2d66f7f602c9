#include "kube/net/client_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace basalt::net {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMaxPollMs = 60'000;
constexpr int kQuietSecondsBeforeProbe = 30;
constexpr int kSecondsBetweenProbes = 10;
constexpr int kLostProbes = 3;
constexpr int kMaxUnacknowledgedMs = 30'000;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

std::string reason(int error) { return std::generic_category().message(error); }

void set_option(int socket, int level, int name, int value) { ::setsockopt(socket, level, name, &value, sizeof value); }

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Result<ClientSocket> ClientSocket::connect(const std::string& host, uint16_t port, Deadline deadline,
                                           std::shared_ptr<const Interrupt> interrupt) {
  const std::string place = host + ":" + std::to_string(port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); error != 0) {
    return failure(ErrorCode::Io, "connect to " + place + ": " + ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, FreeAddresses> addresses(found);
  std::string last_error = reason(EADDRNOTAVAIL);
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    const int descriptor =
        ::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, address->ai_protocol);
    if (descriptor < 0) {
      last_error = reason(errno);
      continue;
    }
    ClientSocket socket(descriptor, interrupt);
    Result<void> connected;
    if (::connect(descriptor, address->ai_addr, address->ai_addrlen) != 0) {
      connected = errno == EINPROGRESS ? socket.finish_connecting(deadline) : failure(ErrorCode::Io, reason(errno));
    }
    if (connected) {
      set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
      set_option(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
      set_option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, kQuietSecondsBeforeProbe);
      set_option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, kSecondsBetweenProbes);
      set_option(descriptor, IPPROTO_TCP, TCP_KEEPCNT, kLostProbes);
      set_option(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, kMaxUnacknowledgedMs);
      return socket;
    }
    last_error = connected.error().message;
  }
  return failure(ErrorCode::Io, "connect to " + place + ": " + last_error);
}

ClientSocket::~ClientSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> ClientSocket::finish_connecting(Deadline deadline) const {
  if (auto ready = wait(Ready::Write, deadline, ""); !ready) return ready;
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return failure(ErrorCode::Io, reason(error));
  return {};
}

Result<void> ClientSocket::wait(Ready ready, Deadline deadline, std::string_view what) const {
  const std::string prefix = what.empty() ? "" : std::string(what) + ": ";
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return failure(ErrorCode::Io, prefix + "timed out");
    std::array<pollfd, 2> entries{
        pollfd{.fd = descriptor_, .events = static_cast<short>(ready == Ready::Read ? POLLIN : POLLOUT), .revents = 0},
        pollfd{.fd = interrupt_ != nullptr ? interrupt_->descriptor() : -1, .events = POLLIN, .revents = 0}};
    const int count = ::poll(entries.data(), entries.size(), static_cast<int>(std::min<int64_t>(left, kMaxPollMs)));
    if (count < 0 && errno != EINTR) return failure(ErrorCode::Io, prefix + reason(errno));
    if (entries[1].revents != 0) return failure(ErrorCode::Io, prefix + "interrupted");
    if (count > 0) return {};
  }
}

Result<void> ClientSocket::send(std::string_view data, Deadline deadline) {
  while (!data.empty()) {
    const auto sent = ::send(descriptor_, data.data(), data.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      data.remove_prefix(static_cast<size_t>(sent));
    } else if (!would_block(errno)) {
      return failure(ErrorCode::Io, "send: " + reason(errno));
    } else if (auto ready = wait(Ready::Write, deadline, "send"); !ready) {
      return ready;
    }
  }
  return {};
}

Result<size_t> ClientSocket::receive(std::span<char> into, Deadline deadline) {
  for (;;) {
    const auto got = ::recv(descriptor_, into.data(), into.size(), 0);
    if (got >= 0) return static_cast<size_t>(got);
    if (errno == ECONNRESET) return size_t{0};
    if (!would_block(errno)) return failure(ErrorCode::Io, "receive: " + reason(errno));
    if (auto ready = wait(Ready::Read, deadline, "receive"); !ready) return std::unexpected(ready.error());
  }
}

bool ClientSocket::has_input() const {
  pollfd entry{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, 0) != 0;
}

}  // namespace basalt::net
