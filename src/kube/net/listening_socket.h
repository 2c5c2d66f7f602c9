// The socket that a server accepts on: an address of the machine, all of them, or a file of the file system.
//
// "" as the address means all interfaces: one socket for IPv6 and IPv4 where the machine has IPv6, else IPv4 alone.
// A socket file can be used by its owner only. One that is there already is replaced: whoever made it is gone or will
// not be found any more. A file that is no socket stays, and is an error.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"

namespace basalt::net {

class ListeningSocket {
 public:
  // `address`: "", or an IP address without brackets. `port` 0: any free one. An error names the place.
  static Result<ListeningSocket> on_address(const std::string& address, uint16_t port);
  static Result<ListeningSocket> on_file(const std::string& path);

  ListeningSocket(ListeningSocket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), family_(other.family_), port_(other.port_) {}
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();

  [[nodiscard]] int family() const { return family_; }   // AF_INET, AF_INET6, AF_UNIX
  [[nodiscard]] uint16_t port() const { return port_; }  // 0 of a file
  [[nodiscard]] int descriptor() const { return descriptor_; }
  void release() { descriptor_ = -1; }  // the caller closes it from now on

 private:
  ListeningSocket(int descriptor, int family) : descriptor_(descriptor), family_(family) {}

  int descriptor_;
  int family_;
  uint16_t port_ = 0;
};

// "127.0.0.1:40312", "[::1]:40312"; a mapped IPv4 address as IPv4. "" of a peer that has no address.
[[nodiscard]] std::string peer_address(int connected_socket);

}  // namespace basalt::net
