// Carries out the actions of PodLifecycles with real processes and files.
//
// Nothing here decides. Every action but SendSignal and CleanUpPod is answered by one event through `tell`; what
// takes time is done by the pool. Events of a run that is over may come late or not at all: a PodLifecycle ignores
// them.
//
// Threads: all functions from any thread; `tell` is called on any thread and must not block.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "control/node/local/container_start.h"
#include "control/node/local/local_node.h"
#include "control/node/local/pod_inputs.h"
#include "control/node/local/pod_lifecycle_types.h"
#include "control/node/local/process.h"
#include "control/node/local/thread_pool.h"
#include "control/node/local/volume_manager.h"
#include "kube/net/interrupt.h"

namespace basalt::node {

inline constexpr std::string_view kTooMuch = "the node has too much to do";  // the pool has no room

class PodRuntime {
 public:
  using Tell = std::function<void(const std::string& uid, PodLifecycleEvent news)>;
  using InputsPtr = std::shared_ptr<const PodInputs>;  // shared with work that is under way

  // `pool` does what is short, `probers` wait for pages and connections; `interrupt` ends that waiting.
  // Requires: all outlive it, and both pools are closed and `processes` is gone before it is destroyed.
  PodRuntime(ContainerDefaults defaults, VolumeManager volumes, Processes& processes, ThreadPool& pool,
             ThreadPool& probers, std::shared_ptr<const net::Interrupt> interrupt, Tell tell);

  // `spec` is of the pod in `inputs`, which may be null for SendSignal and CleanUpPod.
  void carry_out(const PodAction& action, const PodRunSpec& spec, const InputsPtr& inputs);

  // What a former node left running of this pod, until it is taken over.
  [[nodiscard]] std::vector<DetachedRun> detached_runs(const std::string& uid);
  // Takes over the container of one of these: from now on its run is `id`.
  void adopt(const PodRunSpec& spec, const RunId& id);

  // A process inside the request's container, which dies with it. `spec`: argv and what becomes of input and output.
  Result<ProcessId> run_inside(const api::ExecRequest& request, ProcessSpec spec,
                               std::function<void(ProcessExit)> ended);

  // The files of a running pod's volumes, from what is there now. An error is told to `failed`.
  void refresh_volumes(const InputsPtr& inputs, std::function<void(std::string)> failed);
  void write_hosts_file(const std::string& uid, std::string text);
  // The pod's object is gone: so are its logs, unless a pod of the same name has begun.
  void remove_logs(const client::ObjectPtr& pod);
  // The claim's object is gone, and no pod uses its directory.
  void remove_claim(const std::string& uid);
  // What a former node left: directories of pods that are not among `uids`, logs of those that are not among `keys`,
  // containers that nobody has taken over.
  void sweep(std::set<std::string> uids, std::set<std::string> keys);

 private:
  struct RunKey {
    std::string uid;
    RunId id;
    friend auto operator<=>(const RunKey&, const RunKey&) = default;
  };
  struct Run {
    std::string container;
    std::optional<ProcessId> process;  // nothing: it is being started
    ProcessSpec like;                  // environment, directory, user and rights, for hooks and probes
    Variables variables;
    TerminationFile termination;
    std::set<ProcessId> helpers;  // hooks and probes that run inside
  };
  // What a former node left running.
  struct Left {
    int64_t restarts = 0;
    Instant started = kNever;
    Run run;  // without a process
  };
  struct Done {
    bool good = false;
    std::string message;
  };
  // Of the volumes and the hosts file that were written last.
  struct FilesTurns {
    uint64_t volumes = 0, hosts = 0;
  };
  using Finish = std::function<void(Done)>;

  void set_up_volumes(const PodRunSpec& spec, const InputsPtr& inputs);
  [[nodiscard]] PodLifecycleEvent make_volumes(const std::string& uid, const PodInputs& inputs, uint64_t turn);
  void log_notes(const text::Object& pod, const std::vector<std::string>& notes) const;
  // Whether the pod still has files, and none of a later turn: `newest` of it is then `turn`.
  [[nodiscard]] bool is_next(const std::string& uid, uint64_t FilesTurns::* newest, uint64_t turn);
  void start(const StartContainer& action, const PodRunSpec& spec, const InputsPtr& inputs);
  [[nodiscard]] std::optional<StartProblem> begin(const RunKey& key, const StartContainer& action,
                                                  const std::string& container, const PodInputs& inputs);
  // For the node that comes after this one; without a process.
  [[nodiscard]] static std::string note_of(const std::string& uid, int64_t restarts, const Run& run);
  void find_detached();
  void ended(const RunKey& key, const ProcessExit& exit);
  void signal(const RunKey& key, int number);
  void clean_up(const std::string& uid);
  void run_handler(const RunKey& key, const LifecycleHandler& handler, const PodPlacement& place, Duration longest,
                   Finish finish);
  // A process inside the run, which dies with it. `spec`: argv and what becomes of input and output.
  Result<ProcessId> start_helper(const RunKey& key, ProcessSpec spec, std::function<void(ProcessExit)> ended);
  void execute(const RunKey& key, const LifecycleHandler& handler, Duration longest, const Finish& finish);

  ContainerDefaults defaults_;
  VolumeManager volumes_;
  Processes& processes_;
  ThreadPool& pool_;
  ThreadPool& probers_;
  std::shared_ptr<const net::Interrupt> interrupt_;  // shared with connections that are being made
  Tell tell_;

  // The pool's threads overtake each other. Files are asked for in turns; what comes too late is left.
  std::atomic<uint64_t> turns_{0};
  std::mutex files_;  // held while files of pods are written; taken before mutex_

  std::mutex mutex_;                              // guards what follows
  std::map<std::string, PodVolumes> laid_out_;    // by uid
  std::map<std::string, FilesTurns> turns_of_;    // by uid, from the first layout to the clean-up
  std::map<std::string, std::string> log_owner_;  // "namespace/name" → uid of the pod whose logs are there
  std::map<RunKey, Run> runs_;
  std::map<std::string, std::map<std::string, Left>> left_;  // by uid and container
};

}  // namespace basalt::node
