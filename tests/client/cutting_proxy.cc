#include "tests/client/cutting_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace basalt::tests {
namespace {

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

sockaddr* generic(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }  // NOLINT: as sockets want it

}  // namespace

CuttingProxy::CuttingProxy(uint16_t server_port)
    : server_port_(server_port), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  ::bind(listener_, generic(address), size);
  ::listen(listener_, 16);
  ::getsockname(listener_, generic(address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { accept_all(); });
}

CuttingProxy::~CuttingProxy() {
  ::shutdown(listener_, SHUT_RDWR);  // wakes accept()
  thread_.join();
  ::close(listener_);
  cut();
  for (const auto& pipe : pipes_) {
    pipe->there.join();
    pipe->back.join();
    ::close(pipe->client);
    ::close(pipe->server);
  }
}

void CuttingProxy::accept_all() {
  for (;;) {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(server_port_);
    const std::lock_guard lock(mutex_);
    if (down_ || ::connect(server, generic(address), sizeof address) != 0) {
      ::close(client);
      ::close(server);
      continue;
    }
    auto pipe = std::make_unique<Pipe>();
    pipe->client = client;
    pipe->server = server;
    pipe->silent = silent_.load();
    pipe->there = std::thread([&pipe = *pipe] { copy(pipe, pipe.client, pipe.server); });
    pipe->back = std::thread([&pipe = *pipe] { copy(pipe, pipe.server, pipe.client); });
    pipes_.push_back(std::move(pipe));
  }
}

void CuttingProxy::copy(const Pipe& pipe, int from, int to) {
  std::array<char, 4096> bytes{};
  for (;;) {
    const auto got = ::recv(from, bytes.data(), bytes.size(), 0);
    if (got <= 0) break;
    for (ssize_t sent = 0; sent < got && !pipe.silent;) {
      const auto more = ::send(to, bytes.data() + sent, static_cast<size_t>(got - sent), MSG_NOSIGNAL);
      if (more <= 0) break;
      sent += more;
    }
  }
  if (!pipe.silent) ::shutdown(to, SHUT_RDWR);
}

void CuttingProxy::cut(bool down) {
  const std::lock_guard lock(mutex_);
  down_ = down;
  for (const auto& pipe : pipes_) {
    ::shutdown(pipe->client, SHUT_RDWR);
    ::shutdown(pipe->server, SHUT_RDWR);
  }
}

void CuttingProxy::go_silent(bool for_good) {
  const std::lock_guard lock(mutex_);
  silent_ = for_good;
  for (const auto& pipe : pipes_) pipe->silent = true;
}

}  // namespace basalt::tests
