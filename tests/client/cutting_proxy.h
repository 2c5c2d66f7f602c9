// A stretch of network that the test breaks: a TCP proxy on loopback in front of one server.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace basalt::tests {

class CuttingProxy {
 public:
  explicit CuttingProxy(uint16_t server_port);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  [[nodiscard]] uint16_t port() const { return port_; }
  // Ends all connections. With `down`, new ones are ended at once as well, until up().
  void cut(bool down = false);
  void up() { down_ = false; }
  // What is under way on the connections of now never arrives, and nobody is told; new ones are not concerned, unless
  // it is `for_good`.
  void go_silent(bool for_good = false);

 private:
  struct Pipe {
    int client = -1, server = -1;
    std::atomic<bool> silent = false;
    std::thread there, back;
  };
  void accept_all();
  static void copy(const Pipe& pipe, int from, int to);

  const uint16_t server_port_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> down_ = false, silent_ = false;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Pipe>> pipes_;  // also those that have ended: tests are short
  std::thread thread_;
};

}  // namespace basalt::tests
