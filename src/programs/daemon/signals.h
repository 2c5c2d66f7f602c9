// The signals that a program answers to, taken one after the other by one thread.
//
// SIGINT, SIGTERM, and SIGHUP unless it is ignored (nohup), ask for a graceful end; the next of them ends the process
// at once, and so does the end of the grace that it has. SIGUSR1 and SIGUSR2 ask for a dump of the state. SIGPIPE is
// ignored: a write that fails says so itself.
#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <string_view>

#include "programs/cli/shutdown_deadline.h"

namespace basalt::daemon {

class Signals {
 public:
  // Blocks them for this thread and those that it starts, so that only next() sees them. Lives longer than whatever may
  // hold up the end.
  // Requires: no other thread runs yet.
  explicit Signals(std::string_view program);

  [[nodiscard]] int next() const;  // waits for one
  // From now on a signal to end ends the process at once, with exit code 1.
  void end_at_once() const;

  struct Dumps {
    std::function<void()> to_file, to_log;  // at SIGUSR1 and SIGUSR2; either may be empty
  };
  // Serves signals until one asks for the end; then end_at_once(), and `grace` begins
  // (programs/cli/shutdown_deadline.h). Dumps are called on this thread: one at a time, and the end waits for them.
  // Once.
  void serve_until_end(const Dumps& dumps, std::chrono::milliseconds grace);

 private:
  sigset_t ends_{}, all_{};
  cli::ShutdownDeadline shutdown_deadline_;
};

}  // namespace basalt::daemon
