#include "programs/up/detach.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <vector>

#include "kube/net/private_file.h"
#include "kube/text/read_file.h"
#include "programs/up/cluster_status.h"
#include "programs/up/merged_kubeconfig.h"
#include "programs/up/run_file.h"
#include "programs/up/state_directory.h"

namespace basalt::up {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kNodesPatience{60};
constexpr std::chrono::milliseconds kLookPause{50};
constexpr size_t kMaxLogShown = 4000;  // bytes of a failed start

int fail_detached(const std::string& why) {
  fmt::print(stderr, "basalt up --detach: {}\n", why);
  return cli::kFailed;
}

std::string environment_value(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

// Between fork and exec: only calls that are safe there. The words were made before.
[[noreturn]] void become_cluster(const char* program, char* const* words, int log, int ready) {
  ::setsid();
  std::signal(SIGHUP, SIG_IGN);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::fcntl(ready, F_SETFD, 0);  // it goes on through exec
  ::execv(program, words);
  ::_exit(127);
}

struct Child {
  pid_t pid = 0;
  int ready = -1;         // becomes readable when the cluster serves, or ends without a byte
  uint64_t log_from = 0;  // where its lines begin in the log
};

Result<Child> start_child(cli::Words words, const DetachOptions& plan, const fs::path& log_file) {
  const auto failed = [](std::string_view what) {
    return failure(ErrorCode::Io, fmt::format("{}: {}", what, std::generic_category().message(errno)));
  };
  const int log = ::open(log_file.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
  if (log < 0) return failed(log_file.string());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return ::close(log), failed("pipe");
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  std::vector<std::string> texts = words_of_child(words, plan, ends[1]);
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  Child child{.ready = ends[0], .log_from = static_cast<uint64_t>(::lseek(log, 0, SEEK_END))};
  child.pid = ::fork();
  if (child.pid == 0) become_cluster(program.c_str(), pointers.data(), log, ends[1]);
  ::close(log);
  ::close(ends[1]);
  if (child.pid < 0) return ::close(ends[0]), failed("fork");
  return child;
}

// Whether the cluster serves; else it has ended.
bool wait_until_ready(const Child& child) {
  char byte = 0;
  ssize_t got = 0;
  do got = ::read(child.ready, &byte, 1);
  while (got < 0 && errno == EINTR);
  ::close(child.ready);
  return got == 1;
}

std::string log_since(const fs::path& file, uint64_t from) {
  const auto text = text::read_file(file.string());
  if (!text || from >= text->size()) return "";
  std::string lines = text->substr(from);
  if (lines.size() > kMaxLogShown) lines.erase(0, lines.size() - kMaxLogShown);
  return lines;
}

// Puts the cluster where plain kubectl looks, and says where that is.
void offer_to_kubectl(const fs::path& state, const ServingProcess& running, const fs::path& given) {
  const std::string otherwise = fmt::format("  export KUBECONFIG={}\n", running.kubeconfig.string());
  if (!given.empty()) return fmt::print("{}", otherwise);
  const auto file = users_kubeconfig(environment_value);
  const auto text = net::read_private_file(running.kubeconfig);
  Result<void> merged = text ? Result<void>() : std::unexpected(text.error());
  if (merged) merged = file ? merge_into(*file, context_name(state), *text) : invalid("there is no home directory");
  if (merged) merged = net::write_private_file(state / "merged-kubeconfig", file->string() + "\n");
  if (merged) return fmt::print("  kubectl uses it: context {} of {}\n", context_name(state), file->string());
  fmt::print(stderr, "basalt up --detach: kubectl does not know of it yet: {}\n", merged.error().message);
  fmt::print("{}", otherwise);
}

// How many nodes are ready, once all are, or when the patience is over.
NodeCount wait_for_nodes(const ServingProcess& running, int64_t wanted) {
  const auto end = Clock::now() + kNodesPatience;
  for (;;) {
    const auto now = count_nodes(running.kubeconfig);
    if ((now && now->ready >= wanted) || Clock::now() >= end) return now ? *now : NodeCount{};
    std::this_thread::sleep_for(kLookPause);
  }
}

int tell_running(const fs::path& state, const ServingProcess& running, const DetachOptions& plan) {
  fmt::print("basalt is up already: {} (pid {}), as it was started; options of this call are not applied\n",
             running.url, running.process.pid);
  offer_to_kubectl(state, running, plan.kubeconfig);
  return cli::kOk;
}

}  // namespace

std::string context_name(const fs::path& state) {
  std::error_code ignored;
  const fs::path usual = fs::weakly_canonical(default_state(), ignored), here = fs::weakly_canonical(state, ignored);
  return here == usual ? "basalt" : fmt::format("basalt-{}", here.filename().string());
}

std::vector<std::string> words_of_child(cli::Words words, const DetachOptions& plan, int ready) {
  std::vector<std::string> out{"basalt", "up"};
  for (const std::string_view word : words) {
    if (word != "--detach" && !word.starts_with("--detach=")) out.emplace_back(word);
  }
  if (!plan.state_given) out.insert(out.end(), {"--state", plan.state.string()});
  out.push_back(fmt::format("--ready-descriptor={}", ready));
  return out;
}

std::string state_flag(const fs::path& state, bool given) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
  if (!given) return "";
  std::string text = state.string();
  if (text.find_first_not_of(kPlain) == std::string::npos) return fmt::format(" --state {}", text);
  for (size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4) text.replace(at, 1, R"('\'')");
  return fmt::format(" --state '{}'", text);
}

int start_detached(cli::Words words, const DetachOptions& plan) {
  const auto directory = StateDirectory::open(plan.state);
  if (!directory) return fail_detached(directory.error().message);
  const fs::path& state = directory->root();
  const auto before = find_running(state);
  if (before && *before) return tell_running(state, **before, plan);
  const auto began = Clock::now();
  const fs::path log = state / "basalt.log";
  const auto child = start_child(words, plan, log);
  if (!child) return fail_detached(child.error().message);
  const bool serves = wait_until_ready(*child);
  const auto running = find_running(state);
  if (!serves) {
    ::waitpid(child->pid, nullptr, 0);
    // Another one was quicker: that is what was asked for, too.
    if (running && *running) return tell_running(state, **running, plan);
    return fail_detached(fmt::format("the cluster did not start:\n{}", log_since(log, child->log_from)));
  }
  if (!running || !*running) return fail_detached("the cluster ended at once; see " + log.string());
  const NodeCount nodes = wait_for_nodes(**running, plan.nodes);
  const std::chrono::duration<double> took = Clock::now() - began;
  fmt::print("basalt is up: {} (pid {}), {} of {} nodes ready after {:.1f} s\n", (*running)->url, child->pid,
             nodes.ready, std::max(plan.nodes, nodes.all), took.count());
  offer_to_kubectl(state, **running, plan.kubeconfig);
  fmt::print("  log: {0}; basalt status{1}, basalt down{1}\n", log.string(), state_flag(plan.state, plan.state_given));
  return cli::kOk;
}

void notify_ready(int descriptor) {
  if (descriptor < 0) return;
  [[maybe_unused]] const ssize_t told = ::write(descriptor, "r", 1);
  ::close(descriptor);
}

}  // namespace basalt::up
