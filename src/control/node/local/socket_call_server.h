// Answers the calls by which a container's processes name addresses: bind, connect and sendto with an address
// (socket_call_filter() in system_call_filter.h stops them), by the rules of pod_socket_rules.h.
//
// What the rules change is done here, on the caller's own socket; all other calls go on as they are. Nothing here
// blocks: a connect that takes time is begun here, and the caller waits for it in the kernel.
//
// Invariants:
// 1. A caller gets the errno of the call that was made for it.
// 2. What cannot be looked at (memory or sockets of a process that we may not touch) goes on as it is.
// 3. A caller that dies or is interrupted meanwhile does no harm: its answer has no taker.
//
// Safe after a fork of a program with threads: system calls only.
#pragma once

#include <cstdint>

#include "control/node/local/pod_socket_rules.h"

namespace basalt::node {

inline constexpr uint32_t kMaxDatagram = 65'535;

struct SocketCallServer {
  int listener = -1;     // of the filter; -1: there is none, or nobody is left who could call
  int proc = -1;         // a directory of processes, by the numbers that we know them by
  uint64_t network = 0;  // of our network namespace; 0: this kernel does not tell
  PodAddresses addresses;
  PodPorts ports;
};

// The cookie of the network namespace that the socket is of; 0: the kernel does not tell.
[[nodiscard]] uint64_t network_of(int socket);

// What poll() said of the listener: answers one call, or closes it when nobody is left.
void serve_socket_calls(SocketCallServer& server, short events);
// Until nobody is left who could call.
void serve_socket_calls_to_the_end(SocketCallServer& server);

}  // namespace basalt::node
