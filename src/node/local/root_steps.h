// The doing of a container's root: each step is a system call or two.
//
// Runs in a shepherd (shepherd.h): only system calls on memory that is there.
#pragma once

#include "node/local/start_order.h"

namespace basalt::node {

// 0, or the errno. Texts lie at `base` plus their offset. Requires: the caller is in a mount namespace of its own.
[[nodiscard]] int do_step(const OrderStep& step, const char* base);

}  // namespace basalt::node
