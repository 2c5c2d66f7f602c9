#include "programs/daemon/program_flags.h"
#include "programs/daemon/shared_flags.h"

namespace basalt::daemon {
namespace {

using namespace flags;
using enum cli::FlagKind;

constexpr std::array kNodesWork = {
    cli::Flag{.name = "simulated-nodes",
              .kind = Texts,
              .help = "10:cpu=32,memory=128Gi,nvidia.com/gpu=8,name=gpu,label=zone=a; again: another group",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "simulated-run-seconds",
              .help = "how long pods run, 30 or 10..60 (else: until they are deleted)",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "node-leases",
              .kind = Switch,
              .help = "renew a Lease for each node, as kubelets do: where a kube-controller-manager would miss it",
              .group = cli::FlagGroup::Work},
    cli::Flag{
        .name = "upkeep",
        .kind = Switch,
        .help = "also do what a kube-controller-manager does: clean up what is owned, namespaces, taints of nodes",
        .group = cli::FlagGroup::Work},
};

constexpr std::array kCrdsWork = {
    cli::Flag{.name = "namespace",
              .kind = Switch,
              .help = "print the namespace volcano-system too, where the programs keep their Leases",
              .group = cli::FlagGroup::Work},
};

}  // namespace

std::span<const cli::Flag> nodes_flags() {
  static constexpr auto kRows = joined(kNodesWork, kServer, kLog, kHelpOnly);
  return kRows;
}

std::span<const cli::Flag> crds_flags() {
  static constexpr auto kRows = joined(kCrdsWork, kHelpOnly);
  return kRows;
}

}  // namespace basalt::daemon
