// basalt down, basalt status.
#include <fmt/format.h>
#include <sys/types.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <thread>

#include "control/node/local/local_node.h"
#include "kube/api/age_text.h"
#include "kube/client/wall_clock.h"
#include "kube/net/private_file.h"
#include "programs/cli/flag_parser.h"
#include "programs/up/cluster_status.h"
#include "programs/up/detach.h"
#include "programs/up/merged_kubeconfig.h"
#include "programs/up/run_file.h"
#include "programs/up/state_directory.h"

namespace basalt::up {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kDownPatience{30};  // more than the cluster's own last resort
constexpr std::chrono::milliseconds kDownPause{20};
constexpr std::chrono::seconds kPodsGrace{5};

void add_state(cli::FlagParser& app, std::string& state) {
  state = default_state().string();
  app.add_option("--state", state, "the state directory of the cluster")->capture_default_str();
}

int fail_control(const char* program, const std::string& why) {
  fmt::print(stderr, "{}: {}\n", program, why);
  return cli::kFailed;
}

std::optional<fs::path> merged_place(const fs::path& state) {
  const auto text = net::read_private_file(state / "merged-kubeconfig");
  if (!text || text->empty()) return std::nullopt;
  return text->substr(0, text->find('\n'));
}

// The entry in the user's kubeconfig goes with the cluster: nobody would answer there.
void take_out_of_kubeconfig(const fs::path& state) {
  const auto place = merged_place(state);
  if (!place) return;
  if (auto removed = remove_from(*place, context_name(state)); !removed) {
    fmt::print(stderr, "basalt down: the context {} stays: {}\n", context_name(state), removed.error().message);
    return;
  }
  std::error_code ignored;
  fs::remove(state / "merged-kubeconfig", ignored);
}

Result<void> end_process(const ProcessIdentity& process) {
  if (::kill(process.pid, SIGTERM) != 0 && errno != ESRCH) {
    return failure(ErrorCode::Io, fmt::format("pid {}: {}", process.pid, std::generic_category().message(errno)));
  }
  const auto end = Clock::now() + kDownPatience;
  while (is_alive(process)) {
    if (Clock::now() >= end) {
      return failure(ErrorCode::Io,
                     fmt::format("pid {} has not ended within {} s", process.pid, kDownPatience.count()));
    }
    std::this_thread::sleep_for(kDownPause);
  }
  return {};
}

std::string phases_text(const std::map<std::string, int64_t>& phases) {
  std::string text;
  for (const auto& [phase, count] : phases) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, phase.empty() ? "new" : phase);
  }
  return text.empty() ? "none" : text;
}

// What goes on without the cluster is said, or ended.
int leave_pods(const fs::path& state, bool stop, const char* program, const std::string& flag) {
  const fs::path pods = pods_directory(state);
  if (stop) {
    const auto ended = node::LocalNode::end_detached(pods, kPodsGrace);
    if (!ended) return fail_control(program, "pods of this machine: " + ended.error().message);
    if (*ended > 0) fmt::print("{} container{} of this machine ended\n", *ended, *ended == 1 ? "" : "s");
    return cli::kOk;
  }
  if (const size_t left = node::LocalNode::count_detached(pods); left > 0) {
    fmt::print("{0} container{1} of this machine go{2} on: basalt up{3} takes over, basalt down --stop-pods{3} ends\n",
               left, left == 1 ? "" : "s", left == 1 ? "es" : "", flag);
  }
  return cli::kOk;
}

}  // namespace

int run_down(cli::Words words) {
  constexpr const char* kProgram = "basalt down";
  std::string given;
  bool stop_pods = false;
  cli::FlagParser app("Stop the cluster of a state directory, and wait until it has ended.", kProgram);
  add_state(app, given);
  app.add_flag("--stop-pods", stop_pods, "end the pods of this machine, too: SIGTERM, after 5 s SIGKILL");
  if (const auto over = cli::parse_words(app, words); over) return *over;
  const fs::path state = given;
  const std::string flag = state_flag(state, app.count("--state") > 0);
  const auto running = find_running(state);
  if (!running) return fail_control(kProgram, running.error().message);
  if (!*running) {
    take_out_of_kubeconfig(state);  // what a crash has left
    fmt::print("basalt is not up (state {})\n", state.string());
    return leave_pods(state, stop_pods, kProgram, flag);
  }
  if (auto ended = end_process((*running)->process); !ended) return fail_control(kProgram, ended.error().message);
  take_out_of_kubeconfig(state);
  fmt::print("basalt is down; {}\n", (*running)->ephemeral ? "its objects were in memory only"
                                                           : fmt::format("its objects are kept in {}", state.string()));
  return leave_pods(state, stop_pods, kProgram, flag);
}

int run_status(cli::Words words) {
  constexpr const char* kProgram = "basalt status";
  std::string given;
  cli::FlagParser app("Say whether the cluster of a state directory is up, and how it is.", kProgram);
  add_state(app, given);
  if (const auto over = cli::parse_words(app, words); over) return *over;
  const fs::path state = given;
  const auto running = find_running(state);
  if (!running) return fail_control(kProgram, running.error().message);
  if (!*running) {
    fmt::print("basalt is not up (state {})\n", state.string());
    return cli::kFailed;
  }
  const ServingProcess& now = **running;
  const auto nodes = count_nodes(now.kubeconfig);
  if (!nodes) {
    return fail_control(kProgram, fmt::format("pid {} runs and does not answer at {}: {}", now.process.pid, now.url,
                                              nodes.error().message));
  }
  const auto jobs = count_jobs(now.kubeconfig);
  fmt::print("basalt is up: {} (pid {}, for {})\n", now.url, now.process.pid,
             api::age_since(now.since, client::wall_clock()));
  fmt::print("  nodes       {} ready of {}\n", nodes->ready, nodes->all);
  fmt::print("  jobs        {}\n", jobs ? phases_text(*jobs) : jobs.error().message);
  fmt::print("  state       {}{}\n", state.string(), now.ephemeral ? " (objects in memory only)" : "");
  fmt::print("  kubeconfig  {}\n", now.kubeconfig.string());
  if (const auto place = merged_place(state); place) {
    fmt::print("  context     {} of {}\n", context_name(state), place->string());
  }
  return cli::kOk;
}

}  // namespace basalt::up
