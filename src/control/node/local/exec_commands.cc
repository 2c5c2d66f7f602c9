#include "control/node/local/exec_commands.h"

#include <system_error>
#include <utility>

#include "control/node/local/exec_command.h"

namespace basalt::node {

std::shared_ptr<api::ExecHandle> ExecCommands::begin(api::ExecRequest request, api::ExecCallbacks callbacks) {
  auto command = std::make_shared<ExecCommand>(std::move(callbacks));
  std::string problem;
  {
    const std::lock_guard lock(mutex_);
    forget_ended();
    if (closed_) {
      problem = "the node is stopping";
    } else if (runners_.size() >= kMaxExecCommands) {
      problem = "this node runs " + std::to_string(kMaxExecCommands) + " such commands already; try again later";
    } else {
      try {
        std::thread thread([this, command, request = std::move(request)] { command->run(request, start_, kill_); });
        runners_.push_back({.command = command, .thread = std::move(thread)});
      } catch (const std::system_error& error) {
        problem = std::string("cannot start a thread: ") + error.what();
      }
    }
  }
  if (!problem.empty()) command->refuse(std::move(problem));
  return command;
}

void ExecCommands::forget_ended() {
  std::erase_if(runners_, [](Runner& runner) {
    if (!runner.command->is_over()) return false;
    runner.thread.join();
    return true;
  });
}

void ExecCommands::close() {
  std::list<Runner> runners;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    runners.swap(runners_);
  }
  for (const Runner& runner : runners) runner.command->stop();
  for (Runner& runner : runners) runner.thread.join();
}

}  // namespace basalt::node
