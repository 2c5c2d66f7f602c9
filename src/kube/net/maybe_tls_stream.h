// The bytes of one accepted connection, in TLS or plain, on a non-blocking socket: what TlsSession does, for both.
// The socket belongs to the caller and outlives the channel.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "kube/net/tls.h"

namespace basalt::net {

class MaybeTlsStream {
 public:
  // `context`: null for a plain connection.
  static Result<MaybeTlsStream> accept(std::shared_ptr<const TlsContext> context, int socket);

  TlsStep handshake() { return session_ ? session_->handshake() : TlsStep::Done; }
  // As TlsSession's.
  TlsStep read(std::span<char> into, size_t& got);
  TlsStep write(std::string_view data, size_t& put);
  void close_notify() {
    if (session_) session_->close_notify();
  }
  [[nodiscard]] bool has_pending() const { return session_ && session_->has_pending(); }
  // TLS was expected, and the peer spoke HTTP without.
  [[nodiscard]] bool met_plain_http() const { return session_ && session_->met_plain_http(); }
  void describe(Peer& peer) const {
    if (session_) session_->describe(peer);
  }

 private:
  explicit MaybeTlsStream(int socket) : socket_(socket) {}

  int socket_;
  std::optional<TlsSession> session_;  // none: plain
};

}  // namespace basalt::net
