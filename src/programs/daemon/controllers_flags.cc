#include "programs/daemon/program_flags.h"
#include "programs/daemon/shared_flags.h"

namespace basalt::daemon {
namespace {

using namespace flags;
using enum cli::FlagKind;

constexpr std::array kControllersWork = {
    cli::Flag{.name = "controllers",
              .kind = List,
              .value = "*,-sharding-controller",
              .help = "which ones work: * (all), name, +name, -name; the first word about one decides",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "inherit-owner-annotations",
              .kind = Switch,
              .value = "true",
              .help = "pod groups of bare pods get the annotations of their owner",
              .group = cli::FlagGroup::Work},
    lease_name("vc-controller-manager"),
    metrics_address(":8081"),
    idle("worker-threads", Number, kThreads),
    idle("worker-threads-for-cronjob", Number, kThreads),
    idle("worker-threads-for-podgroup", Number, kThreads),
    idle("worker-threads-for-queue", Number, kThreads),
    idle("worker-threads-for-gc", Number, kThreads),
    idle("max-requeue-num", Integer, "what failed is tried again, later and later, and never given up"),
    idle("scheduler-configs", List, kNoSharding),
    idle("shard-sync-period", Length, kNoSharding),
    idle("enable-node-event-trigger", Switch, kNoSharding),
    idle("sharding-configmap", Text, kNoSharding),
    idle("sharding-configmap-namespace", Text, kNoSharding),
};

}  // namespace

std::span<const cli::Flag> controllers_flags() {
  static constexpr auto kRows =
      joined(kSchedulerNames, kControllersWork, kServer, kElection, kHealth, kMetrics, kLog, kGeneral);
  return kRows;
}

}  // namespace basalt::daemon
