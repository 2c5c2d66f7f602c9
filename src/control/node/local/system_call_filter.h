// Filters of system calls: what a container with seccompProfile RuntimeDefault cannot do, and what its supervisor
// answers.
//
// The default profiles of container runtimes list what is allowed, some 400 names that grow with every kernel. This one
// lists what they leave out because it reaches beyond a container, and allows the rest:
//
//   the machine       reboot, kexec, modules, swap, clocks, accounting, its log, ports and interrupts
//   the kernel        bpf, perf_event_open, userfaultfd, io_uring, keys
//   the file system   mount and all its relatives, pivot_root, opening by handle, quotas
//   namespaces        unshare, setns, and clone with CLONE_NEW…
//   other processes   ptrace's relatives, kcmp, descriptors of others; memory of others
//
// As there, a capability that the container was given lets the calls through that it is for. What is not let through
// answers EPERM; clone3 answers ENOSYS, because a filter cannot see its flags and a C library then uses clone. So do
// calls of another architecture (32-bit programs) and of the x32 interface.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <vector>

namespace basalt::node {

// Empty: none is known for this architecture (x86_64 and aarch64 are). `capabilities`: by bit.
[[nodiscard]] std::vector<sock_filter> default_filter(uint64_t capabilities);

// Stops bind, connect, and sendto with an address, for whoever holds its listener (socket_call_server.h), and lets all
// else through: calls of another architecture and of io_uring are not seen. Empty: as above.
[[nodiscard]] std::vector<sock_filter> socket_call_filter();

}  // namespace basalt::node
