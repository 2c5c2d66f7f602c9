#include "kube/net/client_connection.h"

#include <array>
#include <utility>

namespace basalt::net {

Result<ClientConnection> ClientConnection::connect(std::shared_ptr<const TlsContext> context, const Route& route,
                                                   Deadline deadline, std::shared_ptr<const Interrupt> interrupt) {
  const std::string& host = route.proxy ? route.proxy->host : route.host;
  const uint16_t port = route.proxy ? route.proxy->port : route.port;
  auto socket = ClientSocket::connect(host, port, deadline, std::move(interrupt));
  if (!socket) return std::unexpected(route.proxy ? socket.error().within("proxy") : socket.error());
  if (context == nullptr) return ClientConnection(std::move(*socket));
  if (route.proxy) {
    auto open = open_tunnel(*socket, *route.proxy, route.host, route.port, deadline);
    if (!open) return std::unexpected(open.error());
  }
  const std::string& name = route.tls_name.empty() ? route.host : route.tls_name;
  auto session = TlsSession::connect(std::move(context), socket->descriptor(), name);
  if (!session) return std::unexpected(session.error());
  ClientConnection link(std::move(*socket));
  link.session_.emplace(std::move(*session));
  if (auto ok = link.handshake(deadline); !ok) return std::unexpected(ok.error().within("TLS with " + name));
  return link;
}

ClientConnection::ClientConnection(ClientConnection&& other) noexcept : socket_(std::move(other.socket_)) {
  if (!other.session_) return;
  session_.emplace(std::move(*other.session_));
  other.session_.reset();
}

ClientConnection::~ClientConnection() {
  if (session_) session_->close_notify();
}

Result<void> ClientConnection::handshake(Deadline deadline) {
  for (;;) {
    const TlsStep step = session_->handshake();
    if (step == TlsStep::Done) return {};
    if (auto ok = wait(step, deadline, "handshake"); !ok) return ok;
  }
}

Result<void> ClientConnection::wait(TlsStep step, Deadline deadline, std::string_view what) {
  if (step == TlsStep::Closed) return failure(ErrorCode::Io, std::string(what) + ": the peer closed the connection");
  if (step == TlsStep::Failed) return failure(ErrorCode::Io, std::string(what) + ": " + session_->reason());
  const auto ready = step == TlsStep::WantRead ? ClientSocket::Ready::Read : ClientSocket::Ready::Write;
  return socket_.wait(ready, deadline, what);
}

Result<void> ClientConnection::send(std::string_view data, Deadline deadline) {
  if (!session_) return socket_.send(data, deadline);
  while (!data.empty()) {
    size_t put = 0;
    const TlsStep step = session_->write(data, put);
    if (step == TlsStep::Done) {
      data.remove_prefix(put);
    } else if (auto ok = wait(step, deadline, "send"); !ok) {
      return ok;
    }
  }
  return {};
}

Result<size_t> ClientConnection::receive(std::span<char> into, Deadline deadline) {
  if (!session_) return socket_.receive(into, deadline);
  for (;;) {
    size_t got = 0;
    const TlsStep step = session_->read(into, got);
    if (step == TlsStep::Done) return got;
    if (step == TlsStep::Closed) return size_t{0};
    if (auto ok = wait(step, deadline, "receive"); !ok) return std::unexpected(ok.error());
  }
}

Result<void> ClientConnection::await_input(Deadline deadline) {
  if (session_ && session_->has_pending()) return {};
  return socket_.wait(ClientSocket::Ready::Read, deadline, "receive");
}

bool ClientConnection::is_stale() {
  if (!session_) return socket_.has_input();
  if (!session_->has_pending() && !socket_.has_input()) return false;
  // Input may be TLS's own (session tickets), which says nothing about the peer.
  std::array<char, 1> unexpected{};
  size_t got = 0;
  return session_->read(unexpected, got) != TlsStep::WantRead;
}

}  // namespace basalt::net
