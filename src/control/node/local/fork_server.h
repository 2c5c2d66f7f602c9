// The process that forks supervisors.
//
// A fork copies the page tables of its parent and pins its memory: forking from a scheduler that grows would cost more
// with every container, and every supervisor would hold an old copy of it. So one small process is forked at the start,
// while we are small, and forks for us. It holds none of our descriptors, and ends when its socket does, hence with
// us. Supervisors do not depend on it: each has a control socket of its own.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <span>

#include "base/result.h"
#include "control/node/local/descriptor.h"
#include "control/node/local/start_request.h"

namespace basalt::node {

class ForkServer {
 public:
  ForkServer() = default;
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;
  // Waits for the process; supervisors live on until their control sockets break.
  ~ForkServer();

  // Asks for a supervisor in new namespaces `clone_flags` with these descriptors, as RequestDescriptor lists them. What
  // becomes of it is reported on its control socket. A fork server that has died is forked anew. Any thread.
  Result<void> request(int clone_flags, std::span<const int> descriptors);

 private:
  Result<void> spawn();
  void reap();

  std::mutex mutex_;
  Descriptor socket_;
  pid_t process_ = -1;
};

// fork() with CLONE_NEW… flags, as the system call alone: async-signal-safe. Requires: one thread.
[[nodiscard]] pid_t fork_with(int clone_flags);

}  // namespace basalt::node
