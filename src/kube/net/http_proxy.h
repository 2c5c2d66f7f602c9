// A way through an HTTP proxy: CONNECT, after which the socket speaks to the server behind it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "kube/net/client_socket.h"

namespace basalt::net {

struct HttpProxy {
  std::string host;
  uint16_t port = 0;
  std::string authorization;  // the value of Proxy-Authorization; "": none
};

// "host:port" as messages and headers have it, an IPv6 address in brackets.
[[nodiscard]] std::string host_and_port(const std::string& host, uint16_t port);

// Requires: `socket` is connected to the proxy and fresh.
Result<void> open_tunnel(ClientSocket& socket, const HttpProxy& proxy, const std::string& host, uint16_t port,
                         ClientSocket::Deadline deadline);

}  // namespace basalt::net
