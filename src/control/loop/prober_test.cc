#include "control/loop/prober.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <mutex>
#include <string>
#include <thread>

namespace basalt::loop {
namespace {

// Listens on a port of its own, and answers each request with the same bytes.
class ToyListener {
 public:
  explicit ToyListener(std::string answer) : descriptor_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(descriptor_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(descriptor_, 8), 0);
    getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size);
    port = ntohs(address.sin_port);
    if (!answer.empty()) thread_ = std::thread([this, answer = std::move(answer)] { serve(answer); });
  }
  ~ToyListener() {
    shutdown(descriptor_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    close(descriptor_);
  }
  uint16_t port = 0;
  std::string request() const {  // the last one
    const std::lock_guard lock(mutex_);
    return request_;
  }

 private:
  void serve(const std::string& answer) {
    for (;;) {
      const int peer = accept(descriptor_, nullptr, nullptr);
      if (peer < 0) return;
      char bytes[4096];
      const ssize_t got = read(peer, bytes, sizeof bytes);
      {
        const std::lock_guard lock(mutex_);
        request_.assign(bytes, got > 0 ? static_cast<size_t>(got) : 0);
      }
      EXPECT_GT(write(peer, answer.data(), answer.size()), 0);
      close(peer);
    }
  }
  mutable std::mutex mutex_;
  std::string request_;
  int descriptor_;
  std::thread thread_;
};

bool ask(Prober& prober, const Probe& probe) {
  std::promise<bool> good;
  prober.ask(probe, [&](bool answer) { good.set_value(answer); });
  return good.get_future().get();
}

TEST(Prober, ConnectsOrAsksForAPage) {
  const auto prober = Prober::make().value();
  ToyListener silent("");
  EXPECT_TRUE(ask(*prober, {.host = "127.0.0.1", .port = silent.port}));
  ToyListener well("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(ask(*prober, {.host = "127.0.0.1",
                            .port = well.port,
                            .http = true,
                            .path = "/ready",
                            .header_name = "X-A",
                            .header_value = "b"}));
  EXPECT_TRUE(well.request().starts_with("GET /ready HTTP/1.1\r\n")) << well.request();
  EXPECT_NE(well.request().find("X-A: b\r\n"), std::string::npos) << well.request();
  ToyListener ill("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  EXPECT_FALSE(ask(*prober, {.host = "127.0.0.1", .port = ill.port, .http = true, .path = "/"}));
  const uint16_t gone = [] { return ToyListener("").port; }();
  EXPECT_FALSE(ask(*prober, {.host = "127.0.0.1", .port = gone}));
}

TEST(Prober, EndsProbesThatAreUnderWay) {
  ToyListener silent("");  // takes connections and never answers
  std::promise<bool> good;
  {
    const auto prober = Prober::make().value();
    for (size_t i = 0; i < kProbeThreads; ++i)
      prober->ask({.host = "127.0.0.1", .port = silent.port, .http = true}, [](bool) {});
    prober->ask({.host = "127.0.0.1", .port = silent.port, .http = true}, [&](bool answer) { good.set_value(answer); });
  }
  EXPECT_FALSE(good.get_future().get());
}

}  // namespace
}  // namespace basalt::loop
