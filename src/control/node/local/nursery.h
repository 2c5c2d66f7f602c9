// The process that forks shepherds.
//
// A fork copies the page tables of its parent and pins its memory: forking from a scheduler that grows would cost more
// with every container, and every shepherd would hold an old copy of it. So one small process is forked at the start,
// while we are small, and forks for us. It holds none of our descriptors, and ends when its socket does, hence with
// us. Shepherds do not depend on it: each has a leash of its own.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <span>

#include "base/result.h"
#include "control/node/local/descriptor.h"
#include "control/node/local/start_order.h"

namespace basalt::node {

class Nursery {
 public:
  Nursery() = default;
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;
  // Waits for the process; shepherds live on until their leashes break.
  ~Nursery();

  // Asks for a shepherd in new namespaces `clone_flags` with these descriptors, as OrderDescriptor lists them. What
  // becomes of it is told on its leash. A nursery that has died is forked anew. Any thread.
  Result<void> order(int clone_flags, std::span<const int> descriptors);

 private:
  Result<void> fork_it();
  void bury();

  std::mutex mutex_;
  Descriptor socket_;
  pid_t process_ = -1;
};

// fork() with CLONE_NEW… flags, as the system call alone: async-signal-safe. Requires: one thread.
[[nodiscard]] pid_t fork_with(int clone_flags);

}  // namespace basalt::node
