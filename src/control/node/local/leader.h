// A container's first process, from its fork to its program.
//
// Runs in a forked process, like its shepherd (shepherd.h): system calls on memory that is there, nothing else.
#pragma once

#include <cstdint>

#include "control/node/local/start_order.h"

namespace basalt::node {

// The order in memory, offsets turned into addresses.
struct Order {
  const OrderHead* head = nullptr;
  char* base = nullptr;

  [[nodiscard]] const char* text(OrderText text) const { return text.at == 0 ? nullptr : base + text.at; }
  [[nodiscard]] char** list(OrderList list) const { return reinterpret_cast<char**>(base + list.at); }
};

// What a leader that cannot become its program tells its shepherd.
struct LeaderTrouble {
  StartStage stage;
  int32_t error;
};

struct LeaderFds {
  int in, out, err, cgroup, trouble;
};

// Becomes the program, or writes a LeaderTrouble to `trouble` and ends.
[[noreturn]] void lead(const Order& order, const LeaderFds& fds);

}  // namespace basalt::node
