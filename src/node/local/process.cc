#include "node/local/process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <system_error>
#include <utility>

#include "client/wall_clock.h"
#include "node/local/cgroup.h"
#include "node/local/ground.h"
#include "node/local/hidden_places.h"
#include "node/local/launch.h"
#include "node/local/nursery.h"
#include "node/local/pod_root.h"
#include "node/local/process_start.h"
#include "node/local/reaper.h"
#include "node/local/root_steps.h"
#include "node/local/system_call_filter.h"

namespace basalt::node {
namespace {

class RealProcesses final : public Processes {
 public:
  explicit RealProcesses(ProcessOptions options) : options_(std::move(options)) {}
  ~RealProcesses() override {
    if (reaper_ == nullptr) return;
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
      ground_ = find_ground(nursery_, stage_);
    } else {
      ground_.why_not = "namespaces are switched off";
    }
    find_cgroups();
    note_capabilities();
    auto reaper = Reaper::make(options_.clock);
    if (!reaper) return std::unexpected(reaper.error());
    reaper_ = std::move(*reaper);
    return {};
  }

  Result<ProcessId> start(const ProcessSpec& spec, std::function<void(Exit)> ended) override {
    if (reaper_->size() >= kMaxProcesses) {
      return failure(ErrorCode::Io, "this node runs at most " + std::to_string(kMaxProcesses) + " processes");
    }
    const uint64_t id = next_++;
    auto order = make_order(spec, {.ground = ground_,
                                   .capabilities = capabilities_,
                                   .stage = stage_,
                                   .hidden = HiddenPlaces::find(options_.hidden).paths()});
    if (!order) return std::unexpected(order.error());
    Kept kept;
    std::optional<Reaper::Way> way;
    if (spec.inside) {
      way = reaper_->way_into(spec.inside->value);
      if (!way) return failure(ErrorCode::NotFound, "the container is not running");
      if (ground_.namespaces != 0 && !way->shepherd.is_open()) {
        return failure(ErrorCode::Unsupported, "this kernel cannot enter a running container (it has no pidfd_open)");
      }
      kept.cgroup = way->cgroup;
    } else if (auto limited = limit(spec, id, kept); !limited) {
      return std::unexpected(limited.error());
    }
    if (!kept.cgroup.empty()) order->cgroup_procs = (kept.cgroup / "cgroup.procs").string();
    if (!spec.log.empty()) {
      auto log = LogFile::open(spec.log, {.max_bytes = options_.max_log_bytes, .max_files = options_.max_log_files});
      if (!log) return give_up(kept, log.error());
      kept.log = std::move(*log);
    }
    auto launched =
        launch(nursery_, *order, {.input = spec.input, .stdio = spec.stdio}, way ? way->shepherd.get() : -1);
    if (!launched) return give_up(kept, explain(launched.error(), *order, stage_));
    kept.held = std::move(*launched);
    kept.output = spec.output;
    kept.ended = std::move(ended);
    if (!ground_.process_namespace) kept.marker = spec.marker;
    reaper_->keep(id, std::move(kept));
    return ProcessId{.value = id};
  }

  void signal(ProcessId process, int number) override { reaper_->signal(process.value, number); }

  void kill_all(std::chrono::milliseconds grace) override {
    reaper_->signal_all(SIGTERM);
    if (reaper_->wait_until_empty(grace)) return;
    reaper_->signal_all(SIGKILL);
    reaper_->wait_until_empty(kMaxKillWait);
  }

  [[nodiscard]] size_t running() const override { return reaper_->size(); }
  [[nodiscard]] const Capabilities& capabilities() const override { return capabilities_; }

 private:
  void find_cgroups() {
    const bool ours = options_.cgroup.empty();
    auto directory = ours ? Cgroups::own_directory() : Result<std::filesystem::path>(options_.cgroup);
    auto made = directory ? Cgroups::make(*directory, ours) : std::unexpected(directory.error());
    if (made) cgroups_ = std::move(*made);
    capabilities_.cgroups = made.has_value();
    if (!made) capabilities_.why_no_cgroups = "cpu and memory limits are not enforced: " + made.error().message;
  }

  void note_capabilities() {
    capabilities_.mounts = ground_.namespaces != 0;
    capabilities_.process_namespace = ground_.process_namespace;
    capabilities_.image_roots = ground_.overlay;
    for (int number = 0; ::prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; ++number) {
      if (::prctl(PR_CAPBSET_READ, number, 0, 0, 0) == 1) capabilities_.bounding |= capability_bit(number);
    }
    constexpr uint64_t kForUsers = capability_bit(CAP_SETUID) | capability_bit(CAP_SETGID);
    capabilities_.other_users =
        ground_.is_root() && has_other_users() && (capabilities_.bounding & kForUsers) == kForUsers;
    capabilities_.read_only_roots = capabilities_.mounts && has_read_only_trees();
    capabilities_.filters = !default_filter(0).empty() && ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
    if (!capabilities_.mounts) {
      capabilities_.why_no_mounts = "volumes cannot be mounted at their paths (" + ground_.why_not +
                                    "); run as root, or permit user namespaces (sysctl "
                                    "kernel.unprivileged_userns_clone=1, user.max_user_namespaces)";
    }
    if (!capabilities_.image_roots) {
      capabilities_.why_no_image_roots = "an image's root directory cannot be used (" + ground_.why_not +
                                         "); run as root, or give the image a prefix (apptainer exec …) instead";
    }
  }

  Result<void> limit(const ProcessSpec& spec, uint64_t id, Kept& kept) const {
    const ProcessLimits& limits = spec.limits;
    if (!cgroups_ || (limits.cpu_millis <= 0 && limits.memory_bytes <= 0 && limits.processes <= 0)) return {};
    auto cgroup = cgroups_->add(std::to_string(::getpid()) + "-" + std::to_string(id), limits);
    if (!cgroup) return std::unexpected(cgroup.error());
    kept.cgroup = std::move(*cgroup);
    kept.owns_cgroup = true;
    return {};
  }

  static std::unexpected<Error> give_up(const Kept& kept, Error error) {
    if (kept.owns_cgroup) Cgroups::remove(kept.cgroup);
    return std::unexpected(std::move(error));
  }

  ProcessOptions options_;
  std::filesystem::path stage_;
  Nursery nursery_;
  Ground ground_;
  std::optional<Cgroups> cgroups_;
  Capabilities capabilities_;
  std::atomic<uint64_t> next_{1};
  std::unique_ptr<Reaper> reaper_;
};

}  // namespace

Result<std::unique_ptr<Processes>> Processes::make(ProcessOptions options) {
  auto processes = std::make_unique<RealProcesses>(std::move(options));
  if (auto begun = processes->begin(); !begun) return std::unexpected(begun.error());
  return processes;
}

}  // namespace basalt::node
