// A blocking connection to a server, in TLS or plain, directly or through a proxy: bytes out, bytes in, each with a
// time limit. The HTTPS client is built on it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/net/client_socket.h"
#include "kube/net/http_proxy.h"
#include "kube/net/tls.h"

namespace basalt::net {

// Where to, and what the other side must prove to be.
struct Route {
  std::string host;  // a name or an address
  uint16_t port = 0;
  std::string tls_name;            // the name that the certificate must carry; "": host
  std::optional<HttpProxy> proxy;  // TLS goes through a tunnel, plain HTTP to the proxy itself
};

class ClientConnection {
 public:
  using Deadline = ClientSocket::Deadline;

  // `context`: null for a plain connection. `interrupt` may be null.
  static Result<ClientConnection> connect(std::shared_ptr<const TlsContext> context, const Route& route,
                                          Deadline deadline, std::shared_ptr<const Interrupt> interrupt);
  ClientConnection(ClientConnection&& other) noexcept;
  ClientConnection& operator=(ClientConnection&&) = delete;
  // Says goodbye to the peer.
  ~ClientConnection();

  Result<void> send(std::string_view data, Deadline deadline);
  // How many bytes are in `into`; 0: the peer has closed.
  Result<size_t> receive(std::span<char> into, Deadline deadline);
  // Until receive() has something to tell, be it bytes or an end.
  Result<void> await_input(Deadline deadline);
  // Whether the peer has closed, or spoken out of turn, while nobody listened: no request should go out on it.
  [[nodiscard]] bool is_stale();

 private:
  explicit ClientConnection(ClientSocket socket) : socket_(std::move(socket)) {}
  Result<void> handshake(Deadline deadline);
  Result<void> wait(TlsStep step, Deadline deadline, std::string_view what);

  ClientSocket socket_;
  std::optional<TlsSession> session_;  // none: plain
};

}  // namespace basalt::net
