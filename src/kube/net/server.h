// An HTTP/1.1 server with keep-alive, in TLS or plain, within limits that no client can stretch.
//
// A request that breaks a limit is answered (431, 413, 408, 400, 429) and its connection closed; the handler never sees
// it. Errors that the server itself answers have the body that `error_body(status, message)` makes, so that clients get
// Kubernetes Status objects there too.
//
// A connection at rest costs about 15 KB. Above ServerLimits::connections, and when the process has no file descriptor
// left, those that owe us a request header longest (idle ones, slow handshakes, headers that trickle in) are closed to
// make room. When all are at work some dozens of clients are answered 503 and closed, the others are closed without a
// response.
//
// Memory: what clients send and what they are slow to read is bounded for all connections together
// (ServerLimits::all_body_bytes, all_answer_bytes); beyond it the answer is 429 with Retry-After.
//
// Threads: `threads` I/O threads run connections; the handler is called on them and must not block.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "kube/net/http.h"

namespace basalt::net {

struct ServerLimits {
  size_t header_bytes = size_t{64} * 1024;
  size_t body_bytes = size_t{3} * 1024 * 1024;  // as kube-apiserver
  size_t connections = 10'000;  // and at most three quarters of the file descriptors that the process may have
  // Of the bodies of all requests under way, until they are answered: as they come, not as they are announced.
  size_t all_body_bytes = size_t{128} * 1024 * 1024;
  // Of all answers, and chunks of streams, of more than a TLS record, until they are sent.
  size_t all_answer_bytes = size_t{512} * 1024 * 1024;
  std::chrono::milliseconds handshake_timeout{10'000};
  std::chrono::milliseconds request_timeout{30'000};    // from the first byte of a request to its last
  std::chrono::milliseconds idle_timeout{300'000};      // between requests
  std::chrono::milliseconds write_timeout{30'000};      // per write, also of a stream's chunk, and per 64 KiB of it
  size_t answer_bytes_per_second = size_t{512} * 1024;  // a whole answer: write_timeout, and its length at this rate
};

// All "": plain HTTP.
struct TlsIdentity {
  std::string certificate_pem, key_pem;  // the server's own, chain included
  std::string client_ca_pem;  // client certificates are asked for, not demanded; a bad one ends the handshake
};

// What may follow a header.
struct BodyAdmission {
  std::optional<HttpResponse> refusal;  // the answer, instead of the handler's; the connection is closed after it
  size_t body_bytes =
      std::numeric_limits<size_t>::max();  // at most so many, and at most ServerLimits::body_bytes; else 413
};
using BodyGate = std::function<BodyAdmission(const HttpRequest& head)>;

struct ServerOptions {
  std::string address = "127.0.0.1";  // "": all interfaces, IPv6 and IPv4
  uint16_t port = 0;                  // 0: any free one
  std::string socket_file;            // instead of both: a socket in the file system, for its owner only
  unsigned threads = 2;
  TlsIdentity tls;
  ServerLimits limits;
  std::function<std::string(unsigned status, std::string_view message)> error_body;
  // Asked when the header of a request is here and its body is not, before any more of it is read or asked for ("100
  // Continue"). On an I/O thread: must not block. Null: whoever connects may send ServerLimits::body_bytes.
  BodyGate body_gate;
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
    size_t body_bytes = 0, answer_bytes = 0;  // of all connections, at this moment
    uint64_t made_room = 0;                   // connections that were closed for others
  };
  [[nodiscard]] virtual Figures figures() const = 0;
};

}  // namespace basalt::net
