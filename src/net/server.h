// An HTTP/1.1 server with keep-alive, in TLS or plain, within limits that no client can stretch.
//
// A request that breaks a limit is answered (431, 413, 408, 400) and its connection closed; the handler never sees it.
// Errors that the server itself answers have the body that `error_body(status, message)` makes, so that clients get
// Kubernetes Status objects there too.
//
// Above Limits::connections some dozens of clients are answered 503 and closed, the others are closed unheard.
// A connection at rest costs about 15 KB.
//
// Threads: `threads` I/O threads run connections; the handler is called on them and must not block.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/http.h"

namespace basalt::net {

struct Limits {
  size_t header_bytes = size_t{64} * 1024;
  size_t body_bytes = size_t{3} * 1024 * 1024;  // as kube-apiserver
  size_t connections = 10'000;
  std::chrono::milliseconds handshake_timeout{10'000};
  std::chrono::milliseconds request_timeout{30'000};  // from the first byte of a request to its last
  std::chrono::milliseconds idle_timeout{300'000};    // between requests
  std::chrono::milliseconds write_timeout{30'000};    // per write, also of a stream's chunk, and per 64 KiB of it
};

// All "": plain HTTP.
struct TlsIdentity {
  std::string certificate_pem, key_pem;  // the server's own, chain included
  std::string client_ca_pem;  // client certificates are asked for, not demanded; a bad one ends the handshake
};

struct ServerOptions {
  std::string address = "127.0.0.1";  // "": all interfaces, IPv6 and IPv4
  uint16_t port = 0;                  // 0: any free one
  std::string socket_file;            // instead of both: a socket in the file system, for its owner only
  unsigned threads = 2;
  TlsIdentity tls;
  Limits limits;
  std::function<std::string(unsigned status, std::string_view message)> error_body;
};

class Server {
 public:
  // Listens when it returns. "address already in use" and the like are errors that name the address.
  static Result<std::unique_ptr<Server>> start(ServerOptions options, RequestHandler handler);
  virtual ~Server() = default;  // stops at once if still running

  [[nodiscard]] virtual uint16_t port() const = 0;  // 0 of a socket file
  // New connections get this identity; those that are there keep theirs. An error leaves things as they are: an
  // identity that cannot be used, or a server in plain HTTP. From any thread.
  virtual Result<void> replace_identity(const TlsIdentity& identity) = 0;
  // Stops accepting, closes idle connections, lets requests under way finish, closes streams; returns when all is quiet
  // or `grace` is over. Call it once, not from the handler.
  virtual void stop(std::chrono::milliseconds grace) = 0;

  // `refused`: requests and connections that broke a limit or a rule.
  struct Figures {
    uint64_t accepted = 0, requests = 0, refused = 0;
    size_t open = 0;
  };
  [[nodiscard]] virtual Figures figures() const = 0;
};

}  // namespace basalt::net
