#include "programs/daemon/program_flags.h"
#include "programs/daemon/shared_flags.h"

namespace basalt::daemon {
namespace {

using namespace flags;
using enum cli::FlagKind;

constexpr std::array kSchedulerWork = {
    cli::Flag{.name = "scheduler-conf",
              .help = "the policy, a volcano-scheduler.conf, read again when it changes (else: the ConfigMap "
                      "of --scheduler-conf-map)",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "scheduler-conf-map",
              .value = "volcano-system/volcano-scheduler-configmap",
              .help =
                  "the ConfigMap that holds the policy, namespace/name: what is wrong with it is told there; empty: "
                  "none",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "disable-default-scheduler-config",
              .kind = Switch,
              .help = "do not start with the built-in policy when the conf does not load",
              .group = cli::FlagGroup::Work},
    cli::Flag{
        .name = "refuse-unsupported-policy",
        .kind = Switch,
        .help = "refuse a conf that names a plugin or action of Volcano's that is not here, instead of skipping it",
        .group = cli::FlagGroup::Work},
    cli::Flag{.name = "schedule-period",
              .kind = Length,
              .value = "1s",
              .help = "the longest time between two cycles; news start one at once",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "default-queue",
              .value = "default",
              .help = "the queue of pod groups that name none",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "node-selector",
              .kind = List,
              .help = "label:value: only nodes with one of these; may be repeated",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "self-check-period",
              .kind = Length,
              .value = "10m",
              .help = "between two comparisons of the state with the API; 0: never",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "cache-dumper",
              .kind = Switch,
              .value = "true",
              .help = "write the state on SIGUSR1 (to a file) and SIGUSR2 (to the log)",
              .group = cli::FlagGroup::Work},
    cli::Flag{
        .name = "cache-dump-dir", .value = "/tmp", .help = "where SIGUSR1 writes it", .group = cli::FlagGroup::Work},
    cli::Flag{.name = "plugins-dir",
              .help = "must be empty: plugins written in Go cannot be loaded",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "scheduler-sharding-mode", .value = "none", .help = "none", .group = cli::FlagGroup::Work},
    cli::Flag{.name = "shadow",
              .kind = Switch,
              .help = "beside another scheduler: decide, change nothing, and report what differs (JSON lines)",
              .group = cli::FlagGroup::Work},
    lease_name("volcano"),
    metrics_address(":8080"),
    idle("scheduler-sharding-name", Text, kNoSharding),
    idle("resync-period", Length, "watches are compared with the API by --self-check-period"),
    idle("resource-sync-timeout", Length, "nothing is decided before everything was listed"),
    idle("priority-class", Switch, "PriorityClasses are always followed"),
    idle("minimum-feasible-nodes", Integer, kEveryNode),
    idle("minimum-percentage-nodes-to-find", Integer, kEveryNode),
    idle("percentage-nodes-to-find", Integer, kEveryNode),
    idle("node-worker-threads", Number, kThreads),
    idle("gate-removal-worker-num", Integer, kThreads),
    idle("csi-storage", Switch, "storage capacity is left to the kubelet"),
    idle("ignored-provisioners", List, "volume claims take no part in scheduling"),
};

}  // namespace

std::span<const cli::Flag> scheduler_flags() {
  static constexpr auto kRows =
      joined(kSchedulerNames, kSchedulerWork, kServer, kElection, kHealth, kMetrics, kLog, kGeneral);
  return kRows;
}

}  // namespace basalt::daemon
