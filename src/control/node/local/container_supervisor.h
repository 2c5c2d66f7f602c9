// The process between us and a container.
//
// It does the steps of a request (start_request.h), starts the leader, and then waits: for the leader's end, for
// signals to pass on, for calls that name addresses (socket_call_server.h), and for the end of the control socket, at
// which it kills everything. Before it reports Ended no process of the container is left: as init of a process
// namespace it kills all in it; elsewhere it is the subreaper of its descendants, so that killing its children until
// there are none reaches every one of them.
//
// Everything here runs after a fork of a program with threads: system calls on memory that is there, nothing else.
#pragma once

#include "control/node/local/start_request.h"

namespace basalt::node {

// Requires: called in a forked process with one thread; `descriptors` are as RequestDescriptor says, -1 for none.
[[noreturn]] void supervisor(const int (&descriptors)[kRequestFdCount]);

// Sends `report`, with `descriptor` (-1: none). Async-signal-safe.
void send_report(int control_socket, const SupervisorReport& report, int descriptor);

}  // namespace basalt::node
