// Whether a socket of this machine's network is there to be reached. Safe after a fork: system calls only.
#pragma once

#include <cstdint>

namespace basalt::node {

// A socket of this protocol (IPPROTO_TCP: one that listens; IPPROTO_UDP) at exactly this IPv4 address, also as
// ::ffff:a.b.c.d; not one of all addresses. The first byte of `address` is the highest. False also where the kernel
// does not tell (it lacks sock_diag). Cost: O(1).
[[nodiscard]] bool is_bound(int protocol, uint32_t address, uint16_t port);

}  // namespace basalt::node
