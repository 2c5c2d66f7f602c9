// Hooks and probes: a command inside the container, a page, a connection.
#include <csignal>
#include <utility>

#include "control/node/local/network_probe.h"
#include "control/node/local/pod_runtime.h"

namespace basalt::node {
namespace {

constexpr size_t kMaxMessage = 1024;  // of a command's output, in an event

std::string short_text(std::string text) {
  if (text.size() > kMaxMessage) text.resize(kMaxMessage);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

void PodRuntime::run_handler(const RunKey& key, const LifecycleHandler& handler, const PodPlacement& place,
                             Duration longest, Finish finish) {
  bool taken = true;
  switch (handler.kind) {
    case HandlerKind::Exec:
      taken = pool_.post([this, key, handler, longest, finish] { execute(key, handler, longest, finish); });
      break;
    case HandlerKind::Http:
    case HandlerKind::Tcp:
      taken = probers_.post([this, handler, address = place.pod_address, longest, finish] {
        std::string problem = probe_network(handler, address, longest, interrupt_);
        finish({.good = problem.empty(), .message = std::move(problem)});
      });
      break;
    case HandlerKind::Grpc:
      return finish({.good = false, .message = "this node makes no gRPC probes: use exec, httpGet or tcpSocket"});
    case HandlerKind::Sleep:  // the machine's own affair
      return finish({.good = true, .message = {}});
  }
  if (!taken) finish({.good = false, .message = std::string(kTooMuch)});
}

Result<ProcessId> PodRuntime::start_helper(const RunKey& key, ProcessSpec spec,
                                           std::function<void(ProcessExit)> ended) {
  {
    const std::lock_guard lock(mutex_);
    const auto run = runs_.find(key);
    if (run == runs_.end() || !run->second.process) {
      return failure(ErrorCode::NotFound, "the container does not run");
    }
    const ProcessSpec& like = run->second.like;
    spec.environment = like.environment;
    spec.directory = like.directory;
    spec.uid = like.uid;
    spec.gid = like.gid;
    spec.address = like.address;
    spec.own_ports = like.own_ports;
    spec.security = like.security;
    spec.marker = like.marker;
    spec.inside = run->second.process;
  }
  // The command may end before start() has returned. Shared with the function that is called then; under mutex_.
  struct Fate {
    ProcessId id;
    bool over = false;
  };
  auto fate = std::make_shared<Fate>();
  const auto process = processes_.start(spec, [this, key, fate, ended = std::move(ended)](ProcessExit exit) {
    {
      const std::lock_guard lock(mutex_);
      const auto run = runs_.find(key);
      if (run != runs_.end()) run->second.helpers.erase(fate->id);
      fate->over = true;
    }
    ended(std::move(exit));
  });
  if (!process) return process;
  bool too_late = false;
  {
    const std::lock_guard lock(mutex_);
    fate->id = *process;
    const auto run = runs_.find(key);
    if (run != runs_.end() && !fate->over) run->second.helpers.insert(*process);
    too_late = run == runs_.end();
  }
  if (too_late) processes_.signal(*process, SIGKILL);
  return process;
}

void PodRuntime::execute(const RunKey& key, const LifecycleHandler& handler, Duration longest, const Finish& finish) {
  Variables variables;
  {
    const std::lock_guard lock(mutex_);
    const auto run = runs_.find(key);
    if (run != runs_.end()) variables = run->second.variables;
  }
  ProcessSpec spec;
  for (const std::string& word : handler.command) {
    auto expanded = expand(word, variables);
    if (!expanded) return finish({.good = false, .message = expanded.error().message});
    spec.argv.push_back(std::move(*expanded));
  }
  const auto process = start_helper(key, std::move(spec), [finish](ProcessExit exit) {
    if (exit.code == 0) return finish({.good = true, .message = {}});
    std::string message = short_text(std::move(exit.output));
    if (exit.signal == SIGKILL) message = "command timed out";
    if (message.empty()) message = "command ended with exit code " + std::to_string(exit.code);
    finish({.good = false, .message = std::move(message)});
  });
  if (!process) return finish({.good = false, .message = process.error().message});
  if (longest <= Duration{}) return;
  pool_.post_in(std::chrono::nanoseconds(longest.nanos),
                [this, process = *process] { processes_.signal(process, SIGKILL); });
}

Result<ProcessId> PodRuntime::run_inside(const api::ExecRequest& request, ProcessSpec spec,
                                         std::function<void(ProcessExit)> ended) {
  std::optional<RunKey> key;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [one, run] : runs_) {
      if (one.uid == request.uid && run.container == request.container) key = one;
    }
  }
  if (key) return start_helper(*key, std::move(spec), std::move(ended));
  return failure(ErrorCode::NotFound, "container " + request.container + " of pod " + request.namespace_name + "/" +
                                          request.pod + " does not run on this node");
}

}  // namespace basalt::node
