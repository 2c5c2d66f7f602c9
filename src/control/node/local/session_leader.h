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
};

// What a leader that cannot become its program tells its supervisor.
struct LeaderFailure {
  StartStage stage;
  int32_t error;
};

struct LeaderFds {
  int in, out, err, cgroup, trouble;
};

// Becomes the program, or writes a LeaderFailure to `trouble` and ends.
[[noreturn]] void run_session_leader(const MappedRequest& request, const LeaderFds& fds);

}  // namespace basalt::node
