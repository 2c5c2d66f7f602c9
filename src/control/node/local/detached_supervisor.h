// What a supervisor does while it has no node: it waits for the next one, and spools the container's output.
//
// Safe after a fork of a program with threads: system calls only.
#pragma once

#include <cstdint>

namespace basalt::node {

inline constexpr uint64_t kMaxSpoolBytes = uint64_t{64} * 1024 * 1024;  // per container; what is more is lost
inline constexpr int kDetachedPollMillis = 2'000;                       // between two looks whether anybody wants it

// What it was given for that; all -1: it ends with its node.
struct DetachedState {
  int listener = -1;
  int spool = -1;          // appended to
  int ends[2] = {-1, -1};  // reading ends of stdout and stderr, not blocking; -1 once closed by the container
  uint64_t spooled = 0;    // bytes, since the last node
  uint64_t lost = 0;       // bytes that found no room
  [[nodiscard]] bool can() const { return listener >= 0; }
};

// Nanoseconds since 1970.
[[nodiscard]] int64_t wall_nanos();
// False: its files were removed, so no node will ever come.
[[nodiscard]] bool is_wanted(const DetachedState& detached);
// Spools what is in the pipe of stream 0 or 1.
void spool_output(DetachedState& detached, int stream);
// Accepts a connecting node and sends it the container's descriptors. Returns the new control socket; -1: there was
// none.
[[nodiscard]] int accept_node(DetachedState& detached);
// Until a node has come, when nothing runs any more. Returns the new control socket; -1: none will come.
[[nodiscard]] int wait_for_node(DetachedState& detached);

}  // namespace basalt::node
