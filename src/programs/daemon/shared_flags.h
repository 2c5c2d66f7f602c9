// Rows of flags that several programs have, for the tables of program_flags.h. What a program alone has stands in its
// own source.
#pragma once

#include <array>
#include <string_view>

#include "programs/cli/flag_table.h"

namespace basalt::daemon::flags {

inline constexpr std::string_view kThreads =
    "there is one thread of work, and calls to the API server run side by side";
inline constexpr std::string_view kEveryNode = "every node is looked at: equal pods share the work";
inline constexpr std::string_view kNoSharding = "nodes are not shared out among schedulers";
inline constexpr std::string_view kOwnLog = "the log goes to standard error";

template <size_t... N>
constexpr auto joined(const std::array<cli::Flag, N>&... parts) {
  std::array<cli::Flag, (N + ... + 0)> all;
  size_t at = 0;
  const auto append = [&](const auto& part) {
    for (const cli::Flag& row : part) all[at++] = row;
  };
  (append(parts), ...);
  return all;
}

// A row of Volcano's that changes nothing here.
constexpr cli::Flag idle(std::string_view name, cli::FlagKind kind, std::string_view why) {
  return {.name = name, .kind = kind, .idle = why};
}

inline constexpr std::array kGeneral = {
    cli::Flag{.name = "help", .kind = cli::FlagKind::Switch, .help = "this text"},
    cli::Flag{.name = "version", .kind = cli::FlagKind::Switch, .help = "print the version and end"},
    cli::Flag{.name = "feature-gates", .kind = cli::FlagKind::List, .help = "Name=true or Name=false, by commas"},
};

inline constexpr std::array kServer = {
    cli::Flag{.name = "kubeconfig",
              .help = "the kubeconfig file (else: $KUBECONFIG, ~/.kube/config, the pod's service account)",
              .group = cli::FlagGroup::Kubernetes},
    cli::Flag{.name = "master", .help = "another address than the kubeconfig has", .group = cli::FlagGroup::Kubernetes},
    cli::Flag{.name = "kube-api-qps",
              .kind = cli::FlagKind::Real,
              .value = "2000",
              .help = "requests to the API server in a second, on average; 0: any number",
              .group = cli::FlagGroup::Kubernetes},
    cli::Flag{.name = "kube-api-burst",
              .kind = cli::FlagKind::Number,
              .value = "2000",
              .help = "requests that may follow each other at once",
              .group = cli::FlagGroup::Kubernetes},
};

inline constexpr std::array kHealth = {
    cli::Flag{.name = "enable-healthz",
              .kind = cli::FlagKind::Switch,
              .help = "serve /healthz and /readyz",
              .group = cli::FlagGroup::Health},
    cli::Flag{
        .name = "healthz-address", .value = ":11251", .help = "where they are served", .group = cli::FlagGroup::Health},
    cli::Flag{.name = "tls-cert-file",
              .help = "the server's certificate; with the two others: in TLS",
              .group = cli::FlagGroup::Health},
    cli::Flag{.name = "tls-private-key-file", .help = "its key", .group = cli::FlagGroup::Health},
    cli::Flag{.name = "ca-cert-file", .help = "whose client certificates are taken", .group = cli::FlagGroup::Health},
};

inline constexpr std::array kMetrics = {
    cli::Flag{.name = "enable-metrics",
              .kind = cli::FlagKind::Switch,
              .help = "serve /metrics",
              .group = cli::FlagGroup::Health},
    cli::Flag{.name = "enable-pprof",
              .kind = cli::FlagKind::Switch,
              .help = "serve /debug/flags/v, which changes the log's level, beside /metrics",
              .group = cli::FlagGroup::Health},
};

constexpr cli::Flag metrics_address(std::string_view address) {
  return {.name = "listen-address", .value = address, .help = "where they are served", .group = cli::FlagGroup::Health};
}

inline constexpr std::array kElection = {
    cli::Flag{.name = "leader-elect",
              .kind = cli::FlagKind::Switch,
              .value = "true",
              .help = "work only while this replica holds the Lease; false: at once",
              .group = cli::FlagGroup::Election},
    cli::Flag{.name = "leader-elect-lease-duration",
              .kind = cli::FlagKind::Length,
              .value = "15s",
              .help = "after how long without renewal another replica takes over",
              .group = cli::FlagGroup::Election},
    cli::Flag{.name = "leader-elect-renew-deadline",
              .kind = cli::FlagKind::Length,
              .value = "10s",
              .help = "after how long without renewal the holder ends",
              .group = cli::FlagGroup::Election},
    cli::Flag{.name = "leader-elect-retry-period",
              .kind = cli::FlagKind::Length,
              .value = "2s",
              .help = "between two tries to take or renew it",
              .group = cli::FlagGroup::Election},
    cli::Flag{.name = "leader-elect-resource-namespace",
              .value = "volcano-system",
              .help = "the Lease's namespace",
              .group = cli::FlagGroup::Election},
    cli::Flag{.name = "lock-object-namespace", .help = "the same, by its old name", .group = cli::FlagGroup::Election},
    cli::Flag{.name = "leader-elect-resource-lock",
              .value = "leases",
              .help = "what kind of object is held: leases",
              .group = cli::FlagGroup::Election},
};

constexpr cli::Flag lease_name(std::string_view name) {
  return {.name = "leader-elect-resource-name",
          .value = name,
          .help = "the Lease's name",
          .group = cli::FlagGroup::Election};
}

inline constexpr std::array kLog = {
    cli::Flag{.name = "v",
              .kind = cli::FlagKind::Number,
              .value = "0",
              .help = "how much is told, 0 … 10",
              .group = cli::FlagGroup::Log},
    cli::Flag{.name = "logging-format", .value = "text", .help = "text or json", .group = cli::FlagGroup::Log},
    idle("logtostderr", cli::FlagKind::Switch, kOwnLog),
    idle("alsologtostderr", cli::FlagKind::Switch, kOwnLog),
    idle("alsologtostderrthreshold", cli::FlagKind::Text, kOwnLog),
    idle("stderrthreshold", cli::FlagKind::Text, kOwnLog),
    idle("legacy-stderr-threshold-behavior", cli::FlagKind::Switch, kOwnLog),
    idle("log-dir", cli::FlagKind::Text, kOwnLog),
    idle("log-file", cli::FlagKind::Text, kOwnLog),
    idle("log-file-max-size", cli::FlagKind::Number, kOwnLog),
    idle("one-output", cli::FlagKind::Switch, kOwnLog),
    idle("log-flush-frequency", cli::FlagKind::Length, "lines are written at once"),
    idle("vmodule", cli::FlagKind::Text, "there is one level for all parts"),
    idle("log-backtrace-at", cli::FlagKind::Text, "there are no backtraces in the log"),
    idle("add-dir-header", cli::FlagKind::Switch, "lines do not name source files"),
    idle("skip-headers", cli::FlagKind::Switch, "the form of lines is fixed"),
    idle("skip-log-headers", cli::FlagKind::Switch, "the form of lines is fixed"),
};

inline constexpr std::array kSchedulerNames = {
    cli::Flag{.name = "scheduler-name",
              .kind = cli::FlagKind::List,
              .value = "volcano",
              .help = "the schedulerName of the pods that are ours; may be repeated",
              .group = cli::FlagGroup::Work},
};
inline constexpr std::array kHelpOnly = {kGeneral[0]};

}  // namespace basalt::daemon::flags
