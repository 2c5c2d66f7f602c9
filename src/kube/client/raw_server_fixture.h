// A server for tests that sends exactly the bytes that the test gives it: plain TCP on loopback, one thread, one
// connection after the other.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace basalt::client {

class RawServer {
 public:
  // `serve` has the connection until it returns; then it is closed. `number` counts connections from 0.
  using Serve = std::function<void(RawServer& server, int socket, int number)>;
  explicit RawServer(Serve serve) : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);  // NOLINT: as sockets want it
    ::bind(listener_, generic, size);
    ::listen(listener_, 16);
    ::getsockname(listener_, generic, &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, serve = std::move(serve)] { run(serve); });
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  ~RawServer() {
    stopping_ = true;
    ::shutdown(listener_, SHUT_RDWR);  // wakes accept()
    if (const int socket = current_.load(); socket >= 0) ::shutdown(socket, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

  [[nodiscard]] uint16_t port() const { return port_; }
  [[nodiscard]] int requests() const { return requests_; }

  // The head of a request, and the body that came with it; "" when the client has gone.
  std::string read_request(int socket) {
    std::string text;
    std::array<char, 4096> chunk{};
    while (!text.contains("\r\n\r\n")) {
      const auto got = ::recv(socket, chunk.data(), chunk.size(), 0);
      if (got <= 0) return "";
      text.append(chunk.data(), static_cast<size_t>(got));
    }
    ++requests_;
    return text;
  }
  static void say(int socket, std::string_view text) {
    while (!text.empty()) {
      const auto sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      text.remove_prefix(static_cast<size_t>(sent));
    }
  }
  static std::string ok(std::string_view body) {
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + std::string(body);
  }

 private:
  void run(const Serve& serve) {
    for (int number = 0;; ++number) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      current_ = socket;
      if (!stopping_) serve(*this, socket, number);
      current_ = -1;
      ::close(socket);
    }
  }

  int listener_;
  uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> current_ = -1, requests_ = 0;
  std::thread thread_;
};

}  // namespace basalt::client
