// A container's first process, from its fork to its program.
//
// Runs in a forked process, like its supervisor (container_supervisor.h): system calls on memory that is there, nothing
// else.
#pragma once

#include <cstdint>

#include "control/node/local/start_request.h"

namespace basalt::node {

// The request in memory, offsets turned into addresses.
struct MappedRequest {
  const RequestHeader* head = nullptr;
  char* base = nullptr;

  [[nodiscard]] const char* text(RequestText text) const { return text.at == 0 ? nullptr : base + text.at; }
  [[nodiscard]] char** list(RequestList list) const { return reinterpret_cast<char**>(base + list.at); }
  [[nodiscard]] PodPorts own_ports() const {
    if (head->own_ports == 0) return {.all = true};
    const auto* const first = reinterpret_cast<const DeclaredPort*>(base + head->own_ports);
    return {.all = false, .declared = {first, head->own_port_count}};
  }
};

// What a leader tells its supervisor: why it cannot become its program; or, with a descriptor and no error, that this
// is the listener of its socket filter.
struct LeaderFailure {
  StartStage stage;
  int32_t error;
};

struct LeaderFds {
  int in, out, err, cgroup;
  int trouble;  // a socket, closed on exec
};

// Becomes the program, or writes a LeaderFailure to `trouble` and ends. Where the request has a socket filter, the
// supervisor must answer its calls from then on. A request that only tries (RequestHeader::only_try) ends well when the
// filter's calls were answered well.
[[noreturn]] void run_session_leader(const MappedRequest& request, const LeaderFds& fds);

}  // namespace basalt::node
