#include "kube/net/can_listen.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace basalt::net {

Result<void> can_listen(const std::string& address, uint16_t port) {
  const std::string number = std::to_string(port);
  const std::string place = address + " port " + number;
  addrinfo wanted{};
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int wrong = getaddrinfo(address.c_str(), number.c_str(), &wanted, &found); wrong != 0) {
    return failure(ErrorCode::Invalid, "cannot listen on " + place + ": " + gai_strerror(wrong));
  }
  const int descriptor = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  const bool free = descriptor >= 0 && setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                    bind(descriptor, found->ai_addr, found->ai_addrlen) == 0 && listen(descriptor, 1) == 0;
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  freeaddrinfo(found);
  if (free) return {};
  return failure(ErrorCode::Io, "cannot listen on " + place + ": " + std::strerror(error) +
                                    (error == EADDRINUSE ? "; choose another port (0: any free one)" : ""));
}

}  // namespace basalt::net
