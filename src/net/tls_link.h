// A blocking TLS connection to a server: bytes out, bytes in, each with a time limit. What the HTTPS client stands on.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/tls.h"

namespace basalt::net {

class TlsLink {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  // `host` is a name or an address; the certificate must carry it.
  static Result<TlsLink> connect(std::shared_ptr<const TlsContext> context, const std::string& host, uint16_t port,
                                 Deadline deadline);
  TlsLink(TlsLink&& other) noexcept;
  TlsLink& operator=(TlsLink&&) = delete;
  // Says goodbye to the peer.
  ~TlsLink();

  Result<void> send(std::string_view data, Deadline deadline);
  // How many bytes are in `into`; 0: the peer has closed.
  Result<size_t> receive(std::span<char> into, Deadline deadline);

 private:
  TlsLink(int socket, TlsSession session) : socket_(socket), session_(std::move(session)) {}
  Result<void> handshake(Deadline deadline);
  Result<void> wait(TlsStep step, Deadline deadline, std::string_view what);

  int socket_;
  TlsSession session_;
};

}  // namespace basalt::net
