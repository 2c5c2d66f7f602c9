// Commands that are run inside containers for somebody who talks with them (kubectl exec).
//
// Each has a thread of its own, which starts it and carries bytes between its pipes and the one who listens
// (kube/api/exec.h) as fast as the slower side goes: output waits in the pipe while the listener is full, and with it
// the command.
//
// Invariants:
// 1. Callbacks::ended is called once per command, after all its output; or after stop() and kMaxKillWait.
// 2. At most kMaxExecCommands at a time; each keeps at most kMaxExecInput, and one more piece, of input that the
//    command has not read.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "control/node/local/process.h"
#include "kube/api/exec.h"

namespace basalt::node {

inline constexpr size_t kMaxExecCommands = 128;
inline constexpr size_t kMaxExecInput = size_t{256} * 1024;

class ExecCommand;

class ExecCommands {
 public:
  // Starts a process in the request's container; `spec` has argv and stdio.
  using Start = std::function<Result<ProcessId>(const api::ExecRequest& request, ProcessSpec spec,
                                                std::function<void(ProcessExit)>)>;

  // `kill`: from any thread, as Processes::signal with SIGKILL. Both are called until close() has returned.
  ExecCommands(Start start, std::function<void(ProcessId)> kill) : start_(std::move(start)), kill_(std::move(kill)) {}
  ExecCommands(const ExecCommands&) = delete;
  ExecCommands& operator=(const ExecCommands&) = delete;
  ~ExecCommands() { close(); }

  // As api::ExecRunner; from any thread.
  std::shared_ptr<api::ExecHandle> begin(api::ExecRequest request, api::ExecCallbacks callbacks);
  // Kills all and waits until they have ended. From then on begin() refuses.
  void close();

 private:
  struct Runner {
    std::shared_ptr<ExecCommand> command;  // shared with the one who talks with it
    std::thread thread;
  };
  void forget_ended();  // Requires: mutex_

  const Start start_;
  const std::function<void(ProcessId)> kill_;
  std::mutex mutex_;
  std::list<Runner> runners_;
  bool closed_ = false;
};

}  // namespace basalt::node
