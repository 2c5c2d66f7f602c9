// Rows of flags that several programs have, for the tables of program_flags.h. What a program alone has stands in its
// own source.
#pragma once

#include <array>
#include <string_view>

#include "programs/daemon/daemon_flags.h"

namespace basalt::daemon::flags {

inline constexpr std::string_view kThreads =
    "there is one thread of work, and calls to the API server run side by side";
inline constexpr std::string_view kEveryNode = "every node is looked at: equal pods share the work";
inline constexpr std::string_view kNoSharding = "nodes are not shared out among schedulers";
inline constexpr std::string_view kOwnLog = "the log goes to standard error";

template <size_t... N>
constexpr auto joined(const std::array<DaemonFlag, N>&... parts) {
  std::array<DaemonFlag, (N + ... + 0)> all;
  size_t at = 0;
  const auto append = [&](const auto& part) {
    for (const DaemonFlag& row : part) all[at++] = row;
  };
  (append(parts), ...);
  return all;
}

// A row of Volcano's that changes nothing here.
constexpr DaemonFlag idle(std::string_view name, DaemonFlagKind kind, std::string_view why) {
  return {.name = name, .kind = kind, .idle = why};
}

inline constexpr std::array kGeneral = {
    DaemonFlag{.name = "help", .kind = DaemonFlagKind::Switch, .help = "this text"},
    DaemonFlag{.name = "version", .kind = DaemonFlagKind::Switch, .help = "print the version and end"},
    DaemonFlag{.name = "feature-gates", .kind = DaemonFlagKind::List, .help = "Name=true or Name=false, by commas"},
};

inline constexpr std::array kServer = {
    DaemonFlag{.name = "kubeconfig",
               .help = "the kubeconfig file (else: $KUBECONFIG, ~/.kube/config, the pod's service account)",
               .group = DaemonFlagGroup::Kubernetes},
    DaemonFlag{
        .name = "master", .help = "another address than the kubeconfig has", .group = DaemonFlagGroup::Kubernetes},
    DaemonFlag{.name = "kube-api-qps",
               .kind = DaemonFlagKind::Real,
               .value = "2000",
               .help = "requests to the API server in a second, on average; 0: any number",
               .group = DaemonFlagGroup::Kubernetes},
    DaemonFlag{.name = "kube-api-burst",
               .kind = DaemonFlagKind::Number,
               .value = "2000",
               .help = "requests that may follow each other at once",
               .group = DaemonFlagGroup::Kubernetes},
};

inline constexpr std::array kHealth = {
    DaemonFlag{.name = "enable-healthz",
               .kind = DaemonFlagKind::Switch,
               .help = "serve /healthz and /readyz",
               .group = DaemonFlagGroup::Health},
    DaemonFlag{.name = "healthz-address",
               .value = ":11251",
               .help = "where they are served",
               .group = DaemonFlagGroup::Health},
    DaemonFlag{.name = "tls-cert-file",
               .help = "the server's certificate; with the two others: in TLS",
               .group = DaemonFlagGroup::Health},
    DaemonFlag{.name = "tls-private-key-file", .help = "its key", .group = DaemonFlagGroup::Health},
    DaemonFlag{.name = "ca-cert-file", .help = "whose client certificates are taken", .group = DaemonFlagGroup::Health},
};

inline constexpr std::array kMetrics = {
    DaemonFlag{.name = "enable-metrics",
               .kind = DaemonFlagKind::Switch,
               .help = "serve /metrics",
               .group = DaemonFlagGroup::Health},
    DaemonFlag{.name = "enable-pprof",
               .kind = DaemonFlagKind::Switch,
               .help = "serve /debug/flags/v, which changes the log's level, beside /metrics",
               .group = DaemonFlagGroup::Health},
};

constexpr DaemonFlag metrics_address(std::string_view address) {
  return {
      .name = "listen-address", .value = address, .help = "where they are served", .group = DaemonFlagGroup::Health};
}

inline constexpr std::array kElection = {
    DaemonFlag{.name = "leader-elect",
               .kind = DaemonFlagKind::Switch,
               .value = "true",
               .help = "work only while this replica holds the Lease; false: at once",
               .group = DaemonFlagGroup::Election},
    DaemonFlag{.name = "leader-elect-lease-duration",
               .kind = DaemonFlagKind::Length,
               .value = "15s",
               .help = "after how long without renewal another replica takes over",
               .group = DaemonFlagGroup::Election},
    DaemonFlag{.name = "leader-elect-renew-deadline",
               .kind = DaemonFlagKind::Length,
               .value = "10s",
               .help = "after how long without renewal the holder ends",
               .group = DaemonFlagGroup::Election},
    DaemonFlag{.name = "leader-elect-retry-period",
               .kind = DaemonFlagKind::Length,
               .value = "2s",
               .help = "between two tries to take or renew it",
               .group = DaemonFlagGroup::Election},
    DaemonFlag{.name = "leader-elect-resource-namespace",
               .value = "volcano-system",
               .help = "the Lease's namespace",
               .group = DaemonFlagGroup::Election},
    DaemonFlag{
        .name = "lock-object-namespace", .help = "the same, by its old name", .group = DaemonFlagGroup::Election},
    DaemonFlag{.name = "leader-elect-resource-lock",
               .value = "leases",
               .help = "what kind of object is held: leases",
               .group = DaemonFlagGroup::Election},
};

constexpr DaemonFlag lease_name(std::string_view name) {
  return {.name = "leader-elect-resource-name",
          .value = name,
          .help = "the Lease's name",
          .group = DaemonFlagGroup::Election};
}

inline constexpr std::array kLog = {
    DaemonFlag{.name = "v",
               .kind = DaemonFlagKind::Number,
               .value = "0",
               .help = "how much is told, 0 … 10",
               .group = DaemonFlagGroup::Log},
    DaemonFlag{.name = "logging-format", .value = "text", .help = "text or json", .group = DaemonFlagGroup::Log},
    idle("logtostderr", DaemonFlagKind::Switch, kOwnLog),
    idle("alsologtostderr", DaemonFlagKind::Switch, kOwnLog),
    idle("alsologtostderrthreshold", DaemonFlagKind::Text, kOwnLog),
    idle("stderrthreshold", DaemonFlagKind::Text, kOwnLog),
    idle("legacy-stderr-threshold-behavior", DaemonFlagKind::Switch, kOwnLog),
    idle("log-dir", DaemonFlagKind::Text, kOwnLog),
    idle("log-file", DaemonFlagKind::Text, kOwnLog),
    idle("log-file-max-size", DaemonFlagKind::Number, kOwnLog),
    idle("one-output", DaemonFlagKind::Switch, kOwnLog),
    idle("log-flush-frequency", DaemonFlagKind::Length, "lines are written at once"),
    idle("vmodule", DaemonFlagKind::Text, "there is one level for all parts"),
    idle("log-backtrace-at", DaemonFlagKind::Text, "there are no backtraces in the log"),
    idle("add-dir-header", DaemonFlagKind::Switch, "lines do not name source files"),
    idle("skip-headers", DaemonFlagKind::Switch, "the form of lines is fixed"),
    idle("skip-log-headers", DaemonFlagKind::Switch, "the form of lines is fixed"),
};

inline constexpr std::array kSchedulerNames = {
    DaemonFlag{.name = "scheduler-name",
               .kind = DaemonFlagKind::List,
               .value = "volcano",
               .help = "the schedulerName of the pods that are ours; may be repeated",
               .group = DaemonFlagGroup::Work},
};
inline constexpr std::array kHelpOnly = {kGeneral[0]};

}  // namespace basalt::daemon::flags
