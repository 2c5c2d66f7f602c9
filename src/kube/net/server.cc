#include "kube/net/server.h"

#include <poll.h>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <exception>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "kube/net/descriptor_limit.h"
#include "kube/net/listening_socket.h"
#include "kube/net/server_connection.h"
#include "kube/net/server_core.h"

namespace basalt::net {
namespace {

namespace asio = boost::asio;
using asio::generic::stream_protocol;
using boost::system::error_code;

// Above the limit so many more connections are kept, long enough to be told 503; the rest are closed unheard.
constexpr size_t kMaxRefusals = 64;
constexpr unsigned kMaxThreads = 256;

// Null: plain HTTP.
Result<std::shared_ptr<const TlsContext>> context_of(const TlsIdentity& tls) {
  if (tls.certificate_pem.empty() && tls.key_pem.empty() && tls.client_ca_pem.empty()) return nullptr;
  auto context = TlsContext::server(tls.certificate_pem, tls.key_pem, tls.client_ca_pem);
  if (!context) return std::unexpected(context.error().within("the server's TLS identity"));
  return context;
}

class HttpServer final : public Server {
 public:
  explicit HttpServer(std::shared_ptr<ServerCore> core)
      : core_(std::move(core)),
        acceptor_(asio::make_strand(core_->loop)),
        pause_(acceptor_.get_executor()),
        stay_(core_->loop.get_executor()) {}
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer() override {
    if (!stopped_) stop(std::chrono::milliseconds(0));
  }

  Result<void> listen();
  void run();

  [[nodiscard]] uint16_t port() const override { return port_; }
  Result<void> replace_identity(const TlsIdentity& identity) override;
  void stop(std::chrono::milliseconds grace) override;
  [[nodiscard]] Figures figures() const override {
    return {.accepted = core_->accepted,
            .requests = core_->requests,
            .refused = core_->refused,
            .open = core_->open(),
            .body_bytes = core_->bodies.taken(),
            .answer_bytes = core_->answers.taken(),
            .made_room = core_->made_room};
  }

 private:
  using Acceptor = asio::basic_socket_acceptor<stream_protocol, LoopStrand>;

  void accept_next();
  void accept_later();
  void take(LoopSocket socket);

  std::shared_ptr<ServerCore> core_;  // shared with the connections
  Acceptor acceptor_;
  asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, LoopStrand>
      pause_;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> stay_;
  std::vector<std::jthread> threads_;
  uint16_t port_ = 0;
  bool stopped_ = false;
};

Result<void> HttpServer::listen() {
  const ServerOptions& options = core_->options;
  auto socket = options.socket_file.empty() ? ListeningSocket::on_address(options.address, options.port)
                                            : ListeningSocket::on_file(options.socket_file);
  if (!socket) return std::unexpected(socket.error());
  error_code error;
  acceptor_.assign(stream_protocol(socket->family(), 0), socket->descriptor(), error);
  if (error) return failure(ErrorCode::Io, "listen: " + error.message());
  port_ = socket->port();
  socket->release();  // the acceptor's now
  return {};
}

Result<void> HttpServer::replace_identity(const TlsIdentity& identity) {
  if (core_->tls() == nullptr) return invalid("a server in plain HTTP has no identity to replace");
  auto context = context_of(identity);
  if (!context) return std::unexpected(context.error());
  if (*context == nullptr) return invalid("the server's TLS identity: a certificate and its key are needed");
  core_->replace_tls(std::move(*context));
  return {};
}

void HttpServer::run() {
  core_->post(acceptor_.get_executor(), [this] { accept_next(); });
  for (unsigned i = 0; i < core_->options.threads; ++i) {
    threads_.emplace_back([core = core_] { core->loop.run(); });
  }
}

void HttpServer::accept_next() {
  acceptor_.async_accept(asio::make_strand(core_->loop), [this](const error_code& error, LoopSocket socket) {
    if (!acceptor_.is_open()) return;
    if (!error) {
      take(std::move(socket));
      return accept_next();
    }
    if (error == asio::error::connection_aborted) return accept_next();
    accept_later();
  });
}

// Without a free descriptor the kernel refuses to accept, also when nobody is there to be accepted.
void HttpServer::accept_later() {
  pollfd door{.fd = acceptor_.native_handle(), .events = POLLIN, .revents = 0};
  const auto again = [this](const error_code& stopped) {
    if (!stopped && acceptor_.is_open()) accept_next();
  };
  if (::poll(&door, 1, 0) != 1) return acceptor_.async_wait(Acceptor::wait_read, again);
  ++core_->refused;
  core_->make_room();  // whoever is there waits in the kernel's queue until that has given us a descriptor
  pause_.expires_after(kAcceptPause);
  pause_.async_wait(again);
}

void HttpServer::take(LoopSocket socket) {
  ++core_->accepted;
  const size_t open = core_->open();
  const size_t limit = core_->options.limits.connections;
  const bool full = open >= limit && core_->make_room() == 0;
  if (open >= limit + kMaxRefusals) {
    ++core_->refused;
    return;  // the socket's end closes it
  }
  std::make_shared<ServerConnection>(core_, std::move(socket), full)->start();
}

void HttpServer::stop(std::chrono::milliseconds grace) {
  stopped_ = true;
  core_->stopping = true;
  core_->post(acceptor_.get_executor(), [this] {
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    // Behind the close, so that no connection comes after this round.
    for (const auto& connection : core_->connections()) connection->stop();
  });
  if (grace.count() > 0) core_->wait_until_quiet(grace);
  core_->post(acceptor_.get_executor(), [this] {
    for (const auto& connection : core_->connections()) connection->abort();
  });
  stay_.reset();  // the threads end when nothing is pending any more
  threads_.clear();
  core_->shut_gate();
  // What was posted between the last thread's end and the gate's.
  core_->loop.restart();
  core_->loop.poll();
  core_->handler = nullptr;
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, RequestHandler handler) {
  if (options.threads == 0 || options.threads > kMaxThreads) {
    return invalid("a server needs 1 to " + std::to_string(kMaxThreads) + " threads");
  }
  auto context = context_of(options.tls);
  if (!context) return std::unexpected(context.error());
  options.limits.connections = connections_within(options.limits.connections, descriptor_limit());
  try {
    auto core = std::make_shared<ServerCore>(std::move(options), std::move(handler), std::move(*context));
    auto server = std::make_unique<HttpServer>(std::move(core));
    if (auto listening = server->listen(); !listening) return std::unexpected(listening.error());
    server->run();
    return server;
  } catch (const std::exception& refused) {  // epoll or threads that the system does not give
    return failure(ErrorCode::Io, std::string("start the server: ") + refused.what());
  }
}

}  // namespace basalt::net
