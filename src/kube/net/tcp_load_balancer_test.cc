#include "kube/net/tcp_load_balancer.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <functional>
#include <thread>

#include "kube/net/client_socket.h"
#include "kube/net/net_fixture.h"

namespace basalt::net {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

ClientSocket::Deadline soon() { return std::chrono::steady_clock::now() + kTestTimeout; }

// Serves one connection at a time, on a thread of its own, until it is destroyed.
class Backend {
 public:
  using Serve = std::function<void(tcp::socket&)>;
  explicit Backend(Serve serve, const char* address = "127.64.7.1")
      : acceptor_(loop_, tcp::endpoint(boost::asio::ip::make_address(address), 0)),
        thread_([this, serve = std::move(serve)] {
          for (;;) {
            error_code error;
            tcp::socket peer = acceptor_.accept(error);
            if (error || stopping_) return;
            serve(peer);
          }
        }) {}
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  ~Backend() {
    stopping_ = true;
    error_code ignored;
    tcp::socket(loop_).connect(acceptor_.local_endpoint(), ignored);  // wakes the accept
    thread_.join();
  }
  [[nodiscard]] Endpoint endpoint() const {
    return {.address = acceptor_.local_endpoint().address().to_string(), .port = acceptor_.local_endpoint().port()};
  }

 private:
  boost::asio::io_context loop_;
  tcp::acceptor acceptor_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

Backend::Serve says(std::string word) {
  return [word](tcp::socket& peer) {
    error_code ignored;
    boost::asio::write(peer, boost::asio::buffer(word), ignored);
  };
}

// Reads all until the client ends its half, then answers it backwards.
void reverse_all(tcp::socket& peer) {
  std::string all;
  std::array<char, 4096> chunk{};
  error_code error;
  while (!error) all.append(chunk.data(), peer.read_some(boost::asio::buffer(chunk), error));
  const std::string back(all.rbegin(), all.rend());
  boost::asio::write(peer, boost::asio::buffer(back), error);
}

// A port of this address that is free now.
Endpoint free_endpoint(const char* address) {
  boost::asio::io_context loop;
  const tcp::acceptor acceptor(loop, tcp::endpoint(boost::asio::ip::make_address(address), 0));
  return {.address = address, .port = acceptor.local_endpoint().port()};
}

std::unique_ptr<TcpLoadBalancer> start(TcpLoadBalancer::Options options = {}) {
  return TcpLoadBalancer::start(options).value();
}

// All that comes until the connection ends.
std::string drain(ClientSocket& socket) {
  std::string all;
  std::array<char, 4096> chunk{};
  for (;;) {
    const auto got = socket.receive(chunk, soon());
    if (!got || *got == 0) return all;
    all.append(chunk.data(), *got);
  }
}
std::string ask(const Endpoint& at) {
  auto socket = ClientSocket::connect(at.address, at.port, soon(), nullptr);
  return socket ? drain(*socket) : "(refused)";
}

bool has_connected(const TcpLoadBalancer& balancer) {
  const auto deadline = soon();
  while (balancer.figures().connected == 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  return balancer.figures().connected > 0;
}

TEST(TcpLoadBalancer, BackendsTakeTurns) {
  const Backend a(says("a")), b(says("b"), "127.64.7.2");
  const Endpoint front = free_endpoint("127.96.7.1");
  const auto balancer = start();
  ASSERT_TRUE(balancer->set({{front, {a.endpoint(), b.endpoint()}}}).empty());
  std::string said;
  for (int i = 0; i < 6; ++i) said += ask(front);
  EXPECT_EQ(said, "ababab");
  EXPECT_EQ(balancer->figures().connected, 6U);
  EXPECT_EQ(balancer->figures().listeners, 1U);
}

TEST(TcpLoadBalancer, OneThatCannotBeReachedIsPassedOver) {
  const Backend good(says("good"));
  const Endpoint dead = free_endpoint("127.64.7.3");
  const Endpoint front = free_endpoint("127.96.7.1");
  const auto balancer = start();
  ASSERT_TRUE(balancer->set({{front, {dead, good.endpoint()}}}).empty());
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(front), "good");
  ASSERT_TRUE(balancer->set({{front, {dead}}}).empty());
  EXPECT_EQ(ask(front), "");
  ASSERT_TRUE(balancer->set({{front, {}}}).empty());
  EXPECT_EQ(ask(front), "");
  EXPECT_EQ(balancer->figures().refused, 2U);
}

TEST(TcpLoadBalancer, TheEndOfOneHalfIsPassedOn) {
  const Backend backend(reverse_all);
  const Endpoint front = free_endpoint("127.96.7.1");
  const auto balancer = start();
  ASSERT_TRUE(balancer->set({{front, {backend.endpoint()}}}).empty());
  boost::asio::io_context loop;
  tcp::socket client(loop);
  client.connect(tcp::endpoint(boost::asio::ip::make_address(front.address), front.port));
  std::string sent;
  for (int i = 0; sent.size() < 300'000; ++i) sent += std::to_string(i) + " ";
  boost::asio::write(client, boost::asio::buffer(sent));
  client.shutdown(tcp::socket::shutdown_send);
  std::string got;
  std::array<char, 4096> chunk{};
  error_code error;
  while (!error) got.append(chunk.data(), client.read_some(boost::asio::buffer(chunk), error));
  EXPECT_EQ(got, std::string(sent.rbegin(), sent.rend()));
}

TEST(TcpLoadBalancer, TheTableMayChangeWhileItRuns) {
  const Backend a(says("a")), b(says("b"), "127.64.7.2");
  const Endpoint one = free_endpoint("127.96.7.1"), two = free_endpoint("127.96.7.2");
  const auto balancer = start();
  ASSERT_TRUE(balancer->set({{one, {a.endpoint()}}}).empty());
  EXPECT_EQ(ask(one), "a");
  ASSERT_TRUE(balancer->set({{one, {b.endpoint()}}, {two, {a.endpoint()}}}).empty());
  EXPECT_EQ(ask(one), "b");
  EXPECT_EQ(ask(two), "a");
  ASSERT_TRUE(balancer->set({{two, {a.endpoint()}}}).empty());
  EXPECT_EQ(ask(one), "(refused)");
  EXPECT_EQ(ask(two), "a");
}

TEST(TcpLoadBalancer, ConnectionsThatStandGoOn) {
  const Backend backend(reverse_all);
  const Endpoint front = free_endpoint("127.96.7.1");
  const auto balancer = start();
  ASSERT_TRUE(balancer->set({{front, {backend.endpoint()}}}).empty());
  auto client = ClientSocket::connect(front.address, front.port, soon(), nullptr);
  ASSERT_TRUE(client);
  ASSERT_TRUE(client->send("abc", soon()));
  ASSERT_TRUE(has_connected(*balancer));
  ASSERT_TRUE(balancer->set({}).empty());
  ASSERT_EQ(::shutdown(client->descriptor(), SHUT_WR), 0);
  EXPECT_EQ(drain(*client), "cba");
}

TEST(TcpLoadBalancer, AnAddressInUseIsAnErrorThatNamesIt) {
  boost::asio::io_context loop;
  const tcp::acceptor other(loop, tcp::endpoint(boost::asio::ip::make_address("127.96.7.3"), 0));
  const Endpoint taken{.address = "127.96.7.3", .port = other.local_endpoint().port()};
  const Backend a(says("a"));
  const Endpoint front = free_endpoint("127.96.7.1");
  const auto balancer = start();
  const auto errors = balancer->set({{taken, {}},
                                     {front, {a.endpoint(), {.address = "nonsense", .port = 1}}},
                                     {{.address = "203.0.113.77", .port = 9}, {}},
                                     {{.address = "x", .port = 1}, {}}});
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_EQ(errors[0].message, "nonsense:1: not an IP address");
  EXPECT_EQ(errors[1].message, "listen on " + taken.text() + ": Address already in use");
  EXPECT_NE(errors[2].message.find("listen on 203.0.113.77:9: "), std::string::npos);
  EXPECT_NE(errors[3].message.find("not an IP address"), std::string::npos);
  EXPECT_EQ(ask(front), "a") << "the others work";
}

TEST(TcpLoadBalancer, AboveTheLimitClientsWait) {
  const Backend backend(reverse_all);
  const Endpoint front = free_endpoint("127.96.7.1");
  const auto balancer = start({.connections = 1});
  ASSERT_TRUE(balancer->set({{front, {backend.endpoint()}}}).empty());
  auto first = ClientSocket::connect(front.address, front.port, soon(), nullptr);
  auto second = ClientSocket::connect(front.address, front.port, soon(), nullptr);
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(has_connected(*balancer));
  ASSERT_TRUE(second->send("abc", soon()));
  ASSERT_EQ(::shutdown(second->descriptor(), SHUT_WR), 0);
  EXPECT_EQ(balancer->figures().accepted, 1U);
  ASSERT_EQ(::shutdown(first->descriptor(), SHUT_WR), 0);
  EXPECT_EQ(drain(*first), "");
  EXPECT_EQ(drain(*second), "cba");
}

TEST(TcpLoadBalancer, TheEndEndsEverything) {
  const Backend backend(reverse_all);
  const Endpoint front = free_endpoint("127.96.7.1");
  auto balancer = start();
  ASSERT_TRUE(balancer->set({{front, {backend.endpoint()}}}).empty());
  auto client = ClientSocket::connect(front.address, front.port, soon(), nullptr);
  ASSERT_TRUE(client);
  ASSERT_TRUE(client->send("abc", soon()));
  ASSERT_TRUE(has_connected(*balancer));
  balancer.reset();
  (void)drain(*client);
  EXPECT_EQ(ask(front), "(refused)");
}

}  // namespace
}  // namespace basalt::net
