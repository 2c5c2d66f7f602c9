#include "control/node/local/pod_runtime.h"

#include <csignal>
#include <system_error>
#include <utility>

#include "kube/api/object_fields.h"

namespace basalt::node {
namespace fs = std::filesystem;

PodRuntime::PodRuntime(ContainerDefaults defaults, VolumeManager volumes, Processes& processes, ThreadPool& pool,
                       ThreadPool& probers, std::shared_ptr<const net::Interrupt> interrupt, Tell tell)
    : defaults_(std::move(defaults)),
      volumes_(std::move(volumes)),
      processes_(processes),
      pool_(pool),
      probers_(probers),
      interrupt_(std::move(interrupt)),
      tell_(std::move(tell)) {
  find_detached();
}

void PodRuntime::carry_out(const PodAction& action, const PodRunSpec& spec, const InputsPtr& inputs) {
  const auto key = [&](const RunId& id) { return RunKey{.uid = spec.uid, .id = id}; };
  if (std::holds_alternative<SetUpVolumes>(action)) {
    set_up_volumes(spec, inputs);
  } else if (const auto* begin = std::get_if<StartContainer>(&action)) {
    start(*begin, spec, inputs);
  } else if (const auto* sent = std::get_if<SendSignal>(&action)) {
    signal(key(sent->id), sent->signal);
  } else if (const auto* hook = std::get_if<RunHook>(&action)) {
    const ContainerRunSpec& container = spec.containers[hook->id.container];
    const LifecycleHandler handler =
        hook->hook == LifecycleHook::PostStart ? *container.post_start : *container.pre_stop;
    run_handler(key(hook->id), handler, inputs->place, hook->longest, [this, uid = spec.uid, hook = *hook](Done done) {
      tell_(uid, HookFinished{.id = hook.id, .hook = hook.hook, .good = done.good, .message = std::move(done.message)});
    });
  } else if (const auto* probe = std::get_if<RunProbe>(&action)) {
    const ProbeSpec& probe_spec = *spec.containers[probe->id.container].probe(probe->kind);
    run_handler(key(probe->id), probe_spec.handler, inputs->place, probe_spec.timeout,
                [this, uid = spec.uid, probe = *probe](Done done) {
                  tell_(uid,
                        ProbeFinished{
                            .id = probe.id, .kind = probe.kind, .good = done.good, .message = std::move(done.message)});
                });
  } else if (std::holds_alternative<CleanUpPod>(action)) {
    clean_up(spec.uid);
  }
}

void PodRuntime::start(const StartContainer& action, const PodRunSpec& spec, const InputsPtr& inputs) {
  const RunKey key{.uid = spec.uid, .id = action.id};
  const auto work = [this, key, action, container = spec.containers[action.id.container].name, inputs] {
    const std::optional<StartProblem> problem = begin(key, action, container, *inputs);
    if (!problem) return tell_(key.uid, ContainerStarted{.id = key.id});
    {
      const std::lock_guard lock(mutex_);
      runs_.erase(key);
    }
    tell_(key.uid, ContainerStartFailed{.id = key.id,
                                        .configuration = problem->configuration,
                                        .reason = problem->reason,
                                        .message = problem->message});
  };
  if (pool_.post(work)) return;
  tell_(key.uid,
        ContainerStartFailed{
            .id = key.id, .configuration = true, .reason = "CreateContainerError", .message = std::string(kTooMuch)});
}

std::optional<StartProblem> PodRuntime::begin(const RunKey& key, const StartContainer& action,
                                              const std::string& container, const PodInputs& inputs) {
  const auto broken = [](std::string message) {
    return StartProblem{.configuration = false, .reason = "StartError", .message = std::move(message)};
  };
  // Trouble of this machine, not of the pod: a full disk, no more descriptors or processes.
  const auto later = [](std::string message) {
    return StartProblem{.configuration = true, .reason = "CreateContainerError", .message = std::move(message)};
  };
  const text::Object* object = container_object(inputs.pod->get_object(), container);
  if (object == nullptr) return broken("the container is not in the pod");
  const auto directory = volumes_.pod_directory(key.uid);
  if (!directory) return later(directory.error().message);
  PodVolumes volumes;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = laid_out_.find(key.uid); at != laid_out_.end()) volumes = at->second;
  }
  auto start = container_start(defaults_, inputs, *object, volumes, *directory);
  if (!start) return std::move(start.error());
  log_notes(inputs.pod->get_object(), start->notes);
  std::error_code error;
  fs::create_directories(start->process.log.parent_path(), error);
  if (error) return later("its log directory cannot be made: " + error.message());
  if (auto made = prepare(start->termination); !made) return later(made.error().message);
  {
    const std::lock_guard lock(mutex_);
    Run& run = runs_[key];
    run.container = container;
    run.termination = std::move(start->termination);
    run.variables = std::move(start->variables);
    run.like = {.argv = {}, .environment = start->process.environment, .directory = start->process.directory};
    run.like.uid = start->process.uid;
    run.like.gid = start->process.gid;
    run.like.address = start->process.address;
    run.like.own_ports = start->process.own_ports;
    run.like.security = start->process.security;
    run.like.marker = start->process.marker;
    start->process.outlives = defaults_.outlives;
    if (defaults_.outlives) start->process.note = note_of(key.uid, action.restarts, run);
  }
  const auto process = processes_.start(start->process, [this, key](const ProcessExit& exit) { ended(key, exit); });
  if (!process && process.error().code == ErrorCode::Io) return later(process.error().message);
  if (!process) return broken(process.error().message);
  const std::lock_guard lock(mutex_);
  const auto run = runs_.find(key);  // not there: it has ended already
  if (run != runs_.end()) run->second.process = *process;
  return std::nullopt;
}

void PodRuntime::ended(const RunKey& key, const ProcessExit& exit) {
  std::set<ProcessId> helpers;
  TerminationFile termination;
  {
    const std::lock_guard lock(mutex_);
    const auto run = runs_.find(key);
    if (run != runs_.end()) {
      helpers = std::move(run->second.helpers);
      termination = std::move(run->second.termination);
      runs_.erase(run);
    }
  }
  for (const ProcessId helper : helpers) processes_.signal(helper, SIGKILL);
  tell_(key.uid, ContainerExited{.id = key.id,
                                 .code = exit.code,
                                 .signal = exit.signal,
                                 .out_of_memory = exit.out_of_memory,
                                 .at = exit.at,
                                 .message = termination_message(termination, exit.code)});
}

void PodRuntime::signal(const RunKey& key, int number) {
  std::optional<ProcessId> process;
  {
    const std::lock_guard lock(mutex_);
    const auto run = runs_.find(key);
    if (run != runs_.end()) process = run->second.process;
  }
  if (process) processes_.signal(*process, number);
}

}  // namespace basalt::node
