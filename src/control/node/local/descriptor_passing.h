// One message over a Unix socket, with descriptors that go along. Safe between fork and exec: no allocation, no locks.
#pragma once

#include <cstddef>
#include <span>

namespace basalt::node {

inline constexpr size_t kMaxPassed = 10;  // descriptors with one message

// False: the other side is gone, or the message is none of `size` bytes. `descriptors`: those that came, in front; the
// rest -1. They close on exec.
bool receive_message(int socket, void* data, size_t size, std::span<int> descriptors);
// Requires: at most kMaxPassed descriptors; none is fine.
bool send_message(int socket, const void* data, size_t size, std::span<const int> descriptors);

}  // namespace basalt::node
