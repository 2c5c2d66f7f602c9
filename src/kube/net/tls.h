// TLS on a non-blocking socket, without an event loop: each call does what it can and says what it waits for.
//
// OpenSSL reads and writes the socket itself, so that no byte is copied twice and a quiet session holds no buffers
// (about 10 KB each); there is no BIO pair. The socket belongs to the caller and outlives the session.
//
// TLS 1.2 or later, as server and as client only with AEAD suites and forward secrecy; ALPN
// "http/1.1" only. A context may be shared by threads; a session belongs to one at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/net/http.h"
#include "kube/net/openssl_handles.h"

namespace basalt::net {

// How a client judges a server, and who it is itself.
struct ClientTls {
  std::string_view ca_pem;                    // who may vouch for the server
  bool system_roots = false;                  // instead of ca_pem: the authorities that this machine trusts
  bool insecure = false;                      // the server's certificate is not looked at; neither of the above counts
  std::string_view certificate_pem, key_pem;  // both may be ""
};

class TlsContext {
 public:
  // `client_ca_pem`: "" asks for no client certificates.
  static Result<std::shared_ptr<const TlsContext>> server(std::string_view certificate_pem, std::string_view key_pem,
                                                          std::string_view client_ca_pem);
  static Result<std::shared_ptr<const TlsContext>> client(const ClientTls& tls);

 private:
  friend class TlsSession;
  Result<void> create(const SSL_METHOD* method);
  Result<void> use_identity(std::string_view certificate_pem, std::string_view key_pem);
  Result<void> trust(std::string_view ca_pem);
  SslContextPtr context_;
  BioMethodPtr socket_method_;
};

enum class TlsStep : uint8_t { Done, WantRead, WantWrite, Closed, Failed };

class TlsSession {
 public:
  static Result<TlsSession> accept(std::shared_ptr<const TlsContext> context, int socket);
  // `host`: the name or address that the server's certificate must carry.
  static Result<TlsSession> connect(std::shared_ptr<const TlsContext> context, int socket, const std::string& host);

  TlsStep handshake();
  // Done: `got` > 0 bytes are in `into`.
  TlsStep read(std::span<char> into, size_t& got);
  // Done: the first `put` > 0 bytes of `data` are on their way. After WantRead or WantWrite the same bytes come again.
  // Requires: data is not empty.
  TlsStep write(std::string_view data, size_t& put);
  // Tells the peer that this is the end, as far as the socket takes it now.
  void close_notify();

  // Bytes that the socket's readiness does not tell about: they are here already.
  [[nodiscard]] bool has_pending() const { return SSL_has_pending(ssl_.get()) == 1; }
  // Why the last step Failed.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // The peer spoke HTTP without TLS.
  [[nodiscard]] bool met_plain_http() const { return plain_http_; }
  // The certificate's part of `peer`. Requires: the handshake is Done.
  void describe(Peer& peer) const;

 private:
  TlsSession(std::shared_ptr<const TlsContext> context, SslPtr ssl)
      : context_(std::move(context)), ssl_(std::move(ssl)) {}
  static Result<TlsSession> make(std::shared_ptr<const TlsContext> context, int socket);
  TlsStep step_of(int result);

  std::shared_ptr<const TlsContext> context_;  // shared: its BIO method must outlive every session
  SslPtr ssl_;
  std::string reason_;
  bool plain_http_ = false;
};

}  // namespace basalt::net
