#include "kube/net/tcp_load_balancer.h"

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "kube/net/descriptor_limit.h"
#include "kube/net/tcp_relay.h"

namespace basalt::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

Result<tcp::endpoint> resolve(const Endpoint& endpoint) {
  error_code error;
  const auto address = asio::ip::make_address(endpoint.address, error);
  if (error) return invalid(endpoint.text() + ": not an IP address");
  return tcp::endpoint(address, endpoint.port);
}

// One address that is listened on. Shared with the accept that is under way.
struct Listener {
  explicit Listener(asio::io_context& loop) : acceptor(loop), pause(loop) {}
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  std::vector<tcp::endpoint> backends;
  size_t turn = 0;
  bool waiting = false;  // for a connection to end
};

class TcpBalancer final : public TcpLoadBalancer {
 public:
  explicit TcpBalancer(Options options) : options_(options), stay_(loop_.get_executor()) {}
  TcpBalancer(const TcpBalancer&) = delete;
  TcpBalancer& operator=(const TcpBalancer&) = delete;
  ~TcpBalancer() override;

  void run() {
    thread_ = std::thread([this] { loop_.run(); });
  }

  std::vector<Error> set(Table table) override {
    std::promise<std::vector<Error>> done;
    asio::post(loop_, [&] { done.set_value(take(table)); });
    return done.get_future().get();
  }

  [[nodiscard]] Figures figures() const override {
    return {
        .accepted = accepted_, .connected = connected_, .refused = refused_, .listeners = listening_, .open = open_};
  }

 private:
  std::vector<Error> take(const Table& table);
  void take_backends(Listener& listener, const std::vector<Endpoint>& backends, std::vector<Error>& errors);
  Result<std::shared_ptr<Listener>> listen(const Endpoint& at);
  static void close(Listener& listener);
  void accept_next(const std::shared_ptr<Listener>& listener);
  void carry(Listener& listener, tcp::socket client);
  void ended(uint64_t number, bool connected);

  const Options options_;
  asio::io_context loop_{1};
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> stay_;
  std::map<Endpoint, std::shared_ptr<Listener>> listeners_;
  std::map<uint64_t, std::weak_ptr<TcpRelay>> relays_;  // those that run; they keep themselves alive
  uint64_t next_number_ = 0;
  std::atomic<uint64_t> accepted_{0}, connected_{0}, refused_{0};
  std::atomic<size_t> listening_{0}, open_{0};
  std::thread thread_;
};

TcpBalancer::~TcpBalancer() {
  asio::post(loop_, [this] {
    for (const auto& [at, listener] : listeners_) close(*listener);
    for (auto& [number, relay] : std::exchange(relays_, {})) {
      if (const auto running = relay.lock()) running->stop();
    }
  });
  stay_.reset();  // the thread ends when nothing is pending any more
  if (thread_.joinable()) thread_.join();
}

std::vector<Error> TcpBalancer::take(const Table& table) {
  std::vector<Error> errors;
  // First what is left, so that its address is free for others.
  std::erase_if(listeners_, [&](const auto& one) {
    if (table.contains(one.first)) return false;
    close(*one.second);
    return true;
  });
  for (const auto& [at, backends] : table) {
    auto known = listeners_.find(at);
    if (known == listeners_.end()) {
      if (listeners_.size() >= kMaxListeners) {
        errors.push_back(
            {.code = ErrorCode::Unsupported, .message = "listen on " + at.text() + ": too many addresses"});
        continue;
      }
      auto listener = listen(at);
      if (!listener) {
        errors.push_back(listener.error().within("listen on " + at.text()));
        continue;
      }
      known = listeners_.emplace(at, std::move(*listener)).first;
      accept_next(known->second);
    }
    take_backends(*known->second, backends, errors);
  }
  listening_ = listeners_.size();
  return errors;
}

void TcpBalancer::take_backends(Listener& listener, const std::vector<Endpoint>& backends, std::vector<Error>& errors) {
  listener.backends.clear();
  for (const Endpoint& backend : backends) {
    if (auto target = resolve(backend)) {
      listener.backends.push_back(*target);
    } else {
      errors.push_back(target.error());
    }
  }
}

Result<std::shared_ptr<Listener>> TcpBalancer::listen(const Endpoint& at) {
  const auto endpoint = resolve(at);
  if (!endpoint) return std::unexpected(endpoint.error());
  auto listener = std::make_shared<Listener>(loop_);
  error_code error;
  tcp::acceptor& acceptor = listener->acceptor;
  acceptor.open(endpoint->protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(*endpoint, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) return failure(ErrorCode::Io, error.message());
  return listener;
}

void TcpBalancer::close(Listener& listener) {
  error_code ignored;
  listener.acceptor.close(ignored);
  listener.pause.cancel();
}

void TcpBalancer::accept_next(const std::shared_ptr<Listener>& listener) {
  listener->waiting = open_ >= options_.connections;
  if (listener->waiting) return;
  listener->acceptor.async_accept([this, listener](const error_code& error, tcp::socket client) {
    if (!listener->acceptor.is_open()) return;
    if (!error) {
      carry(*listener, std::move(client));
      return accept_next(listener);
    }
    if (error == asio::error::connection_aborted) return accept_next(listener);
    listener->pause.expires_after(kAcceptPause);
    listener->pause.async_wait([this, listener](const error_code& stopped) {
      if (!stopped && listener->acceptor.is_open()) accept_next(listener);
    });
  });
}

void TcpBalancer::carry(Listener& listener, tcp::socket client) {
  ++accepted_;
  std::vector<tcp::endpoint> backends;
  const size_t count = listener.backends.size();
  for (size_t i = 0; i < count; ++i) backends.push_back(listener.backends[(listener.turn + i) % count]);
  if (count > 0) listener.turn = (listener.turn + 1) % count;
  const uint64_t number = next_number_++;
  const auto relay = std::make_shared<TcpRelay>(
      std::move(client), std::move(backends),
      TcpRelay::Callbacks{.connected = [this] { ++connected_; },
                          .ended = [this, number](bool connected) { ended(number, connected); }});
  relays_.emplace(number, relay);
  ++open_;
  relay->start();
}

void TcpBalancer::ended(uint64_t number, bool connected) {
  if (!connected) ++refused_;
  relays_.erase(number);
  --open_;
  for (const auto& [at, listener] : listeners_) {
    if (listener->waiting && listener->acceptor.is_open()) accept_next(listener);
  }
}

}  // namespace

std::string Endpoint::text() const {
  return (address.contains(':') ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

Result<std::unique_ptr<TcpLoadBalancer>> TcpLoadBalancer::start(Options options) {
  try {
    auto balancer = std::make_unique<TcpBalancer>(options);
    balancer->run();
    return balancer;
  } catch (const std::exception& refused) {  // epoll or a thread that the system does not give
    return failure(ErrorCode::Io, std::string("start the load balancer: ") + refused.what());
  }
}

}  // namespace basalt::net
