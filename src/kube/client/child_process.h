// Running a program and taking what it prints.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kube/net/interrupt.h"

namespace basalt::client {

struct Program {
  std::string command;  // with a slash: a path; else looked up in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // in place of, and besides, our own
  bool terminal = false;                                         // may read our standard input; else it reads nothing
  std::chrono::milliseconds timeout{60'000};
  size_t max_output = size_t{1024} * 1024;
};

struct ProgramResult {
  int exit_code = 0;  // 128 + signal when one killed it
  std::string output;
};

// Blocks until the program has ended. It is killed when its time is up, it prints too much, or `interrupt` (or null) is
// raised. NotFound: there is no such program. Its standard error is ours.
[[nodiscard]] Result<ProgramResult> run_program(const Program& program, const net::Interrupt* interrupt);

}  // namespace basalt::client
