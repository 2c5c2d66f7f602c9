// One client's connection carried on to a backend: the first of a list that can be reached.
//
// Bytes flow both ways, at the pace of the slower side. The end of one half is passed on, and the other half goes on;
// when both have ended, or one breaks, both connections are closed.
//
// Threads: all functions on the loop's one thread. It keeps itself alive until it has ended.
#pragma once

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace basalt::net {

inline constexpr size_t kPumpBytes = size_t{16} * 1024;
inline constexpr std::chrono::milliseconds kConnectTimeout{2'000};  // per backend
inline constexpr size_t kMaxBackendsTried = 16;

class TcpRelay : public std::enable_shared_from_this<TcpRelay> {
 public:
  using Tcp = boost::asio::ip::tcp;
  struct Callbacks {
    std::function<void()> connected;
    std::function<void(bool connected)> ended;  // once; nothing is told after it
  };

  // Requires: `client` is of the same loop as all else.
  TcpRelay(Tcp::socket client, std::vector<Tcp::endpoint> backends, Callbacks told);

  void start();
  void stop();

 private:
  struct Half {
    Half(Tcp::socket& source, Tcp::socket& target) : from(source), to(target) {}
    Tcp::socket& from;
    Tcp::socket& to;
    std::array<char, kPumpBytes> bytes{};
    bool ended = false;
  };

  void connect_next();
  void begin();
  void pump(Half& half);
  void end_half(Half& half);
  void close();

  Tcp::socket client_, backend_;
  std::vector<Tcp::endpoint> backends_;
  Callbacks callbacks_;
  boost::asio::steady_timer deadline_;
  size_t tried_ = 0;
  bool connected_ = false, closed_ = false;
  std::unique_ptr<Half> there_, back_;  // made when connected
};

}  // namespace basalt::net
