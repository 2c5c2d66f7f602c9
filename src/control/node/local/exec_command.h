// One command of exec_commands.h: its pipes, and the loop between them and the listener.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "control/node/local/descriptor.h"
#include "control/node/local/exec_commands.h"
#include "control/node/local/process.h"
#include "kube/api/exec.h"

namespace basalt::node {

class ExecCommand final : public api::ExecHandle, public std::enable_shared_from_this<ExecCommand> {
 public:
  explicit ExecCommand(api::ExecCallbacks callbacks);

  // The command from its start to its end; on a thread of its own, once.
  void run(const api::ExecRequest& request, const ExecCommands::Start& start,
           const std::function<void(ProcessId)>& kill);
  // Instead of run(): it never ran.
  void refuse(std::string problem) { end({.code = 0, .problem = std::move(problem)}); }
  [[nodiscard]] bool is_over() const { return over_; }

  bool input(std::string_view bytes) override;
  void end_input() override;
  void resume() override;
  void stop() override;

 private:
  // What others tell the loop.
  struct State {
    std::string input;
    bool input_ended = false, input_full = false;
    bool listener_full = false, stopped = false;
    std::optional<ProcessExit> exit;
  };
  struct Glance {
    bool has_input = false, input_ended = false, listening = true, stopped = false;
    std::optional<ProcessExit> exit;
  };
  struct Pipes {
    Descriptor in, out, err;                    // our ends, not blocking
    Descriptor their_in, their_out, their_err;  // until it has started
  };

  Result<Pipes> make_pipes(bool with_input) const;
  void carry(Pipes& pipes, ProcessId process, const std::function<void(ProcessId)>& kill);
  void wait(const Pipes& pipes, const Glance& now) const;
  [[nodiscard]] Glance look();
  // False: nothing was there to be read.
  bool read_output(Descriptor& pipe, api::ExecStream stream, bool discard);
  void write_input(Descriptor& pipe);
  void end(const api::ExecResult& how);
  void wake() const;

  Descriptor wake_fd_;  // an eventfd: State has changed
  api::ExecCallbacks callbacks_;
  std::atomic<bool> over_{false};
  std::mutex mutex_;
  State state_;
};

}  // namespace basalt::node
