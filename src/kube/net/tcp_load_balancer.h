// A TCP load balancer: listens on some addresses, and connects each client to one of the backends behind that address.
//
// Backends take turns. One that cannot be reached is passed over for the next (tcp_relay.h); when none can be, or there
// is none, the client's connection is closed. A connection costs two sockets and 32 KiB.
//
// Above Options::connections (give or take one per address) clients wait in the kernel's queue until one ends.
//
// Threads: one of its own; the functions may be called from any other.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace basalt::net {

struct Endpoint {
  std::string address;  // an IP address
  uint16_t port = 0;
  [[nodiscard]] std::string text() const;  // "127.0.0.1:80"
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

inline constexpr size_t kMaxListeners = 4'096;

class TcpLoadBalancer {
 public:
  using Table = std::map<Endpoint, std::vector<Endpoint>>;

  struct Options {
    size_t connections = 2'000;
  };
  struct Figures {
    uint64_t accepted = 0, connected = 0, refused = 0;  // refused: no backend could be reached
    size_t listeners = 0, open = 0;
  };

  // An error: the system gives no thread or file descriptor.
  static Result<std::unique_ptr<TcpLoadBalancer>> start(Options options);
  virtual ~TcpLoadBalancer() = default;  // ends all connections

  // From now on it is `table` that counts, when this returns. Addresses that are no longer in it are left, connections
  // that stand go on. Answers why an address cannot be listened on (each says which); it is tried again by the next
  // call. Cost: O(table).
  virtual std::vector<Error> set(Table table) = 0;

  [[nodiscard]] virtual Figures figures() const = 0;
};

}  // namespace basalt::net
