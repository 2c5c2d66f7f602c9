// The process between us and a container.
//
// It does an order's steps (start_order.h), starts the leader, and then waits: for the leader's end, for signals to
// pass on, and for the end of the leash, at which it kills everything. Before it reports Ended no process of the
// container is left: as init of a process namespace it kills all in it; elsewhere it is the subreaper of its
// descendants, so that killing its children until there are none reaches every one of them.
//
// Everything here runs after a fork of a program with threads: system calls on memory that is there, nothing else.
#pragma once

#include "control/node/local/start_order.h"

namespace basalt::node {

// Requires: called in a forked process with one thread; `descriptors` are as OrderDescriptor says, -1 for none.
[[noreturn]] void shepherd(const int (&descriptors)[kOrderFds]);

// Sends `report`, with `descriptor` (-1: none). Async-signal-safe.
void send_report(int leash, const Report& report, int descriptor);

}  // namespace basalt::node
