#include "control/node/local/process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "control/node/local/cgroup.h"
#include "control/node/local/container_launch.h"
#include "control/node/local/container_root.h"
#include "control/node/local/detached_files.h"
#include "control/node/local/fork_server.h"
#include "control/node/local/hidden_paths.h"
#include "control/node/local/namespace_support.h"
#include "control/node/local/reaper.h"
#include "control/node/local/root_steps.h"
#include "control/node/local/socket_rules_trial.h"
#include "control/node/local/start_request_builder.h"
#include "control/node/local/system_call_filter.h"
#include "kube/client/wall_clock.h"

namespace basalt::node {
namespace {

class RealProcesses final : public Processes {
 public:
  explicit RealProcesses(ProcessOptions options) : options_(std::move(options)) {}
  ~RealProcesses() override {
    if (reaper_ == nullptr || gone_) return;
    reaper_->signal_all(SIGKILL);
    reaper_->wait_until_empty(kMaxKillWait);
  }

  Result<void> begin() {
    stage_ = options_.directory / "stage";
    std::error_code error;
    std::filesystem::create_directories(stage_, error);
    if (error) return failure(ErrorCode::Io, "cannot make the directory " + stage_.string() + ": " + error.message());
    stage_ = std::filesystem::canonical(stage_, error);
    options_.hidden.push_back(options_.directory);
    if (!options_.clock) options_.clock = client::wall_clock;
    if (options_.use_namespaces) {
      namespace_support_ = find_namespace_support(fork_server_, stage_);
    } else {
      namespace_support_.why_not = "namespaces are switched off";
    }
    find_cgroups();
    note_capabilities();
    find_own_ports();
    auto reaper = Reaper::make(options_.clock);
    if (!reaper) return std::unexpected(reaper.error());
    reaper_ = std::move(*reaper);
    auto files = DetachedFiles::open(detached_directory(options_.directory));
    if (!files) return std::unexpected(files.error());
    files_.emplace(std::move(*files));
    find_detached();
    return {};
  }

  Result<ProcessId> start(const ProcessSpec& spec, std::function<void(ProcessExit)> ended) override {
    if (reaper_->size() >= kMaxProcesses) {
      return failure(ErrorCode::Io, "this node runs at most " + std::to_string(kMaxProcesses) + " processes");
    }
    const uint64_t id = next_++;
    auto request = make_start_request(spec, {.namespace_support = namespace_support_,
                                             .capabilities = capabilities_,
                                             .stage = stage_,
                                             .hidden = HiddenPaths::find(options_.hidden).paths()});
    if (!request) return std::unexpected(request.error());
    RunningContainer kept;
    std::optional<Reaper::Way> way;
    if (spec.inside) {
      way = reaper_->way_into(spec.inside->value);
      if (!way) return failure(ErrorCode::NotFound, "the container is not running");
      if (namespace_support_.namespaces != 0 && !way->supervisor.is_open()) {
        return failure(ErrorCode::Unsupported, "this kernel cannot enter a running container (it has no pidfd_open)");
      }
      kept.cgroup = way->cgroup;
    } else if (auto limited = limit(spec, id, kept); !limited) {
      return std::unexpected(limited.error());
    }
    if (!kept.cgroup.empty()) request->cgroup_procs = (kept.cgroup / "cgroup.procs").string();
    if (!spec.log.empty()) {
      auto log =
          ContainerLogFile::open(spec.log, {.max_bytes = options_.max_log_bytes, .max_files = options_.max_log_files});
      if (!log) return give_up(kept, log.error());
      kept.log = std::move(*log);
    }
    DetachedFiles::Opened files;
    if (spec.outlives && !spec.inside) {
      auto made = files_->add({.marker = spec.marker, .log = spec.log, .cgroup = kept.cgroup, .note = spec.note});
      if (!made) return give_up(kept, made.error());
      files = std::move(*made);
      request->keeps = true;
      ended = forgetting(spec.marker, std::move(ended));
    }
    const LaunchInputs inputs{
        .input = spec.input, .stdio = spec.stdio, .listener = files.listener.get(), .spool = files.output.get()};
    auto launched = launch(fork_server_, *request, inputs, way ? way->supervisor.get() : -1);
    if (!launched) {
      if (request->keeps) files_->remove(spec.marker);
      return give_up(kept, explain(launched.error(), *request, stage_));
    }
    kept.held = std::move(*launched);
    kept.output = spec.output;
    kept.ended = std::move(ended);
    if (!namespace_support_.process_namespace) kept.marker = spec.marker;
    reaper_->keep(id, std::move(kept));
    return ProcessId{.value = id};
  }

  [[nodiscard]] std::vector<DetachedProcess> kept() const override {
    const std::lock_guard lock(mutex_);
    std::vector<DetachedProcess> list;
    for (const auto& [marker, found] : found_) list.push_back({.marker = marker, .note = found.record.note});
    return list;
  }

  Result<ProcessId> adopt(const std::string& marker, std::function<void(ProcessExit)> ended) override {
    std::optional<Found> found;
    {
      const std::lock_guard lock(mutex_);
      const auto at = found_.find(marker);
      if (at == found_.end()) return failure(ErrorCode::NotFound, "no such container was left by a former node");
      found = std::move(at->second);
      found_.erase(at);
    }
    return ProcessId{.value = take_over(std::move(*found), std::move(ended))};
  }

  void end_detached(int number) override {
    std::map<std::string, Found> rest;
    {
      const std::lock_guard lock(mutex_);
      rest.swap(found_);
    }
    for (auto& [marker, found] : rest) reaper_->signal(take_over(std::move(found), nullptr), number);
  }

  void let_go() override {
    gone_ = true;
    reaper_->let_go();
    const std::lock_guard lock(mutex_);
    found_.clear();
  }

  void signal(ProcessId process, int number) override { reaper_->signal(process.value, number); }

  void kill_all(std::chrono::milliseconds grace) override {
    reaper_->signal_all(SIGTERM);
    if (reaper_->wait_until_empty(grace)) return;
    reaper_->signal_all(SIGKILL);
    reaper_->wait_until_empty(kMaxKillWait);
  }

  [[nodiscard]] size_t running() const override { return reaper_->size(); }
  [[nodiscard]] const HostFeatures& capabilities() const override { return capabilities_; }

 private:
  struct Found {
    DetachedRecord record;
    DetachedFiles::Link link;
  };

  // The files go before anybody is told: a new run of the container has files of the same names.
  std::function<void(ProcessExit)> forgetting(std::string marker, std::function<void(ProcessExit)> ended) {
    return [this, marker = std::move(marker), ended = std::move(ended)](ProcessExit exit) {
      files_->remove(marker);
      if (ended) ended(std::move(exit));
    };
  }

  void find_detached() {
    for (DetachedRecord& record : files_->list()) {
      if (auto link = files_->connect(record.marker)) {
        found_.insert_or_assign(record.marker, Found{.record = record, .link = std::move(*link)});
        continue;
      }
      files_->remove(record.marker);
      if (!record.cgroup.empty()) Cgroups::remove(record.cgroup);
    }
  }

  uint64_t take_over(Found found, std::function<void(ProcessExit)> ended) {
    const DetachedRecord& record = found.record;
    RunningContainer kept;
    auto log = ContainerLogFile::resume(record.log,
                                        {.max_bytes = options_.max_log_bytes, .max_files = options_.max_log_files});
    if (log) kept.log = std::move(*log);
    files_->take_output(record.marker, [&](OutputStream stream, std::string_view bytes, Instant when) {
      if (kept.log) kept.log->append(stream, bytes, when);
    });
    if (kept.log && found.link.lost > 0) {
      const std::string note = "[basalt: " + std::to_string(found.link.lost) + " bytes of log found no room]\n";
      kept.log->append(OutputStream::Stderr, note, options_.clock());
    }
    kept.held = std::move(found.link.held);
    kept.cgroup = record.cgroup;
    kept.owns_cgroup = !record.cgroup.empty();
    if (!namespace_support_.process_namespace) kept.marker = record.marker;
    kept.ended = forgetting(record.marker, std::move(ended));
    const uint64_t id = next_++;
    reaper_->keep(id, std::move(kept));
    return id;
  }

  void find_cgroups() {
    const bool ours = options_.cgroup.empty();
    auto directory = ours ? Cgroups::own_directory() : Result<std::filesystem::path>(options_.cgroup);
    auto made = directory ? Cgroups::make(*directory, ours) : std::unexpected(directory.error());
    if (made) cgroups_ = std::move(*made);
    capabilities_.cgroups = made.has_value();
    if (!made) capabilities_.why_no_cgroups = "cpu and memory limits are not enforced: " + made.error().message;
  }

  void note_capabilities() {
    capabilities_.mounts = namespace_support_.namespaces != 0;
    capabilities_.process_namespace = namespace_support_.process_namespace;
    capabilities_.image_roots = namespace_support_.overlay;
    for (int number = 0; ::prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; ++number) {
      if (::prctl(PR_CAPBSET_READ, number, 0, 0, 0) == 1) capabilities_.bounding |= capability_bit(number);
    }
    constexpr uint64_t kForUsers = capability_bit(CAP_SETUID) | capability_bit(CAP_SETGID);
    capabilities_.other_users =
        namespace_support_.is_root() && has_other_users() && (capabilities_.bounding & kForUsers) == kForUsers;
    capabilities_.read_only_roots = capabilities_.mounts && has_read_only_trees();
    capabilities_.filters = !default_filter(0).empty() && ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
    if (!capabilities_.mounts) {
      capabilities_.why_no_mounts = "volumes cannot be mounted at their paths (" + namespace_support_.why_not +
                                    "); run as root, or permit user namespaces (sysctl "
                                    "kernel.unprivileged_userns_clone=1, user.max_user_namespaces)";
    }
    if (!capabilities_.image_roots) {
      capabilities_.why_no_image_roots = "an image's root directory cannot be used (" + namespace_support_.why_not +
                                         "); run as root, or give the image a prefix (apptainer exec …) instead";
    }
  }

  // Where a filter is not permitted otherwise, it is with no_new_privs, which not every pod can do with.
  void find_own_ports() {
    if (!options_.own_ports) {
      capabilities_.why_no_own_ports = "it is switched off";
      return;
    }
    for (const bool no_new_privileges : {false, true}) {
      const auto why =
          try_socket_rules(fork_server_, stage_, namespace_support_, capabilities_.other_users, no_new_privileges);
      capabilities_.own_ports = !why;
      capabilities_.own_ports_cost_privileges = no_new_privileges;
      if (!why) return;
      capabilities_.why_no_own_ports = why->message;
    }
  }

  Result<void> limit(const ProcessSpec& spec, uint64_t id, RunningContainer& kept) const {
    const ProcessLimits& limits = spec.limits;
    if (!cgroups_ || (limits.cpu_millis <= 0 && limits.memory_bytes <= 0 && limits.processes <= 0)) return {};
    // Unlike any of a former run, whose containers may still be there: a process number comes again.
    auto cgroup =
        cgroups_->add(std::to_string(::getpid()) + "-" + std::to_string(begun_) + "-" + std::to_string(id), limits);
    if (!cgroup) return std::unexpected(cgroup.error());
    kept.cgroup = std::move(*cgroup);
    kept.owns_cgroup = true;
    return {};
  }

  static std::unexpected<Error> give_up(const RunningContainer& kept, Error error) {
    if (kept.owns_cgroup) Cgroups::remove(kept.cgroup);
    return std::unexpected(std::move(error));
  }

  ProcessOptions options_;
  std::filesystem::path stage_;
  ForkServer fork_server_;
  NamespaceSupport namespace_support_;
  std::optional<Cgroups> cgroups_;
  HostFeatures capabilities_;
  const int64_t begun_ = client::wall_clock().nanos;
  std::atomic<uint64_t> next_{1};
  std::optional<DetachedFiles> files_;  // before the reaper, whose thread removes from it
  std::atomic<bool> gone_{false};
  mutable std::mutex mutex_;
  std::map<std::string, Found> found_;  // by marker; guarded by mutex_
  std::unique_ptr<Reaper> reaper_;
};

}  // namespace

Result<std::unique_ptr<Processes>> Processes::make(ProcessOptions options) {
  auto processes = std::make_unique<RealProcesses>(std::move(options));
  if (auto begun = processes->begin(); !begun) return std::unexpected(begun.error());
  return processes;
}

}  // namespace basalt::node
