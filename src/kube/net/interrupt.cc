#include "kube/net/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace basalt::net {

Result<std::shared_ptr<Interrupt>> Interrupt::make() {
  const int descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0) {
    return failure(ErrorCode::Io, "eventfd: " + std::generic_category().message(errno) +
                                      " (raise the limit on open files: ulimit -n)");
  }
  return std::make_shared<Interrupt>(descriptor);
}

Interrupt::~Interrupt() { ::close(descriptor_); }

void Interrupt::raise() { ::eventfd_write(descriptor_, 1); }

bool Interrupt::raised() const {
  pollfd entry{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, 0) > 0;
}

}  // namespace basalt::net
