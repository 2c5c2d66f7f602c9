// Rows of flags that several programs have, for the tables of program_flags.h. What a program alone has stands in its
// own source.
#pragma once

#include <array>
#include <string_view>

#include "programs/daemon/flags.h"

namespace basalt::daemon::flags {

inline constexpr std::string_view kThreads =
    "there is one thread of work, and calls to the API server run side by side";
inline constexpr std::string_view kEveryNode = "every node is looked at: equal pods share the work";
inline constexpr std::string_view kNoSharding = "nodes are not shared out among schedulers";
inline constexpr std::string_view kOwnLog = "the log goes to standard error";

template <size_t... N>
constexpr auto joined(const std::array<Flag, N>&... parts) {
  std::array<Flag, (N + ... + 0)> all;
  size_t at = 0;
  const auto append = [&](const auto& part) {
    for (const Flag& row : part) all[at++] = row;
  };
  (append(parts), ...);
  return all;
}

// A row of Volcano's that changes nothing here.
constexpr Flag idle(std::string_view name, FlagKind kind, std::string_view why) {
  return {.name = name, .kind = kind, .idle = why};
}

inline constexpr std::array kGeneral = {
    Flag{.name = "help", .kind = FlagKind::Switch, .help = "this text"},
    Flag{.name = "version", .kind = FlagKind::Switch, .help = "print the version and end"},
    Flag{.name = "feature-gates", .kind = FlagKind::List, .help = "Name=true or Name=false, by commas"},
};

inline constexpr std::array kServer = {
    Flag{.name = "kubeconfig",
         .help = "the kubeconfig file (else: $KUBECONFIG, ~/.kube/config, the pod's service account)",
         .group = FlagGroup::Kubernetes},
    Flag{.name = "master", .help = "another address than the kubeconfig has", .group = FlagGroup::Kubernetes},
    Flag{.name = "kube-api-qps",
         .kind = FlagKind::Real,
         .value = "2000",
         .help = "requests to the API server in a second, on average; 0: any number",
         .group = FlagGroup::Kubernetes},
    Flag{.name = "kube-api-burst",
         .kind = FlagKind::Number,
         .value = "2000",
         .help = "requests that may follow each other at once",
         .group = FlagGroup::Kubernetes},
};

inline constexpr std::array kHealth = {
    Flag{.name = "enable-healthz",
         .kind = FlagKind::Switch,
         .help = "serve /healthz and /readyz",
         .group = FlagGroup::Health},
    Flag{.name = "healthz-address", .value = ":11251", .help = "where they are served", .group = FlagGroup::Health},
    Flag{.name = "tls-cert-file",
         .help = "the server's certificate; with the two others: in TLS",
         .group = FlagGroup::Health},
    Flag{.name = "tls-private-key-file", .help = "its key", .group = FlagGroup::Health},
    Flag{.name = "ca-cert-file", .help = "whose client certificates are taken", .group = FlagGroup::Health},
};

inline constexpr std::array kMetrics = {
    Flag{.name = "enable-metrics", .kind = FlagKind::Switch, .help = "serve /metrics", .group = FlagGroup::Health},
    Flag{.name = "enable-pprof",
         .kind = FlagKind::Switch,
         .help = "serve /debug/flags/v, which changes the log's level, beside /metrics",
         .group = FlagGroup::Health},
};

constexpr Flag metrics_address(std::string_view address) {
  return {.name = "listen-address", .value = address, .help = "where they are served", .group = FlagGroup::Health};
}

inline constexpr std::array kElection = {
    Flag{.name = "leader-elect",
         .kind = FlagKind::Switch,
         .value = "true",
         .help = "work only while this replica holds the Lease; false: at once",
         .group = FlagGroup::Election},
    Flag{.name = "leader-elect-lease-duration",
         .kind = FlagKind::Length,
         .value = "15s",
         .help = "after how long without renewal another replica takes over",
         .group = FlagGroup::Election},
    Flag{.name = "leader-elect-renew-deadline",
         .kind = FlagKind::Length,
         .value = "10s",
         .help = "after how long without renewal the holder ends",
         .group = FlagGroup::Election},
    Flag{.name = "leader-elect-retry-period",
         .kind = FlagKind::Length,
         .value = "2s",
         .help = "between two tries to take or renew it",
         .group = FlagGroup::Election},
    Flag{.name = "leader-elect-resource-namespace",
         .value = "volcano-system",
         .help = "the Lease's namespace",
         .group = FlagGroup::Election},
    Flag{.name = "lock-object-namespace", .help = "the same, by its old name", .group = FlagGroup::Election},
    Flag{.name = "leader-elect-resource-lock",
         .value = "leases",
         .help = "what kind of object is held: leases",
         .group = FlagGroup::Election},
};

constexpr Flag lease_name(std::string_view name) {
  return {
      .name = "leader-elect-resource-name", .value = name, .help = "the Lease's name", .group = FlagGroup::Election};
}

inline constexpr std::array kLog = {
    Flag{.name = "v",
         .kind = FlagKind::Number,
         .value = "0",
         .help = "how much is told, 0 … 10",
         .group = FlagGroup::Log},
    Flag{.name = "logging-format", .value = "text", .help = "text or json", .group = FlagGroup::Log},
    idle("logtostderr", FlagKind::Switch, kOwnLog),
    idle("alsologtostderr", FlagKind::Switch, kOwnLog),
    idle("alsologtostderrthreshold", FlagKind::Text, kOwnLog),
    idle("stderrthreshold", FlagKind::Text, kOwnLog),
    idle("legacy-stderr-threshold-behavior", FlagKind::Switch, kOwnLog),
    idle("log-dir", FlagKind::Text, kOwnLog),
    idle("log-file", FlagKind::Text, kOwnLog),
    idle("log-file-max-size", FlagKind::Number, kOwnLog),
    idle("one-output", FlagKind::Switch, kOwnLog),
    idle("log-flush-frequency", FlagKind::Length, "lines are written at once"),
    idle("vmodule", FlagKind::Text, "there is one level for all parts"),
    idle("log-backtrace-at", FlagKind::Text, "there are no backtraces in the log"),
    idle("add-dir-header", FlagKind::Switch, "lines do not name source files"),
    idle("skip-headers", FlagKind::Switch, "the form of lines is fixed"),
    idle("skip-log-headers", FlagKind::Switch, "the form of lines is fixed"),
};

inline constexpr std::array kSchedulerNames = {
    Flag{.name = "scheduler-name",
         .kind = FlagKind::List,
         .value = "volcano",
         .help = "the schedulerName of the pods that are ours; may be repeated",
         .group = FlagGroup::Work},
};
inline constexpr std::array kHelpOnly = {kGeneral[0]};

}  // namespace basalt::daemon::flags
