#include "control/kubernetes/kube_controller_manager.h"
#include "control/node/simulated/node_lease_renewer.h"
#include "control/node/simulated/simulated_nodes.h"
#include "kube/client/wall_clock.h"
#include "programs/daemon/daemon_verbs.h"
#include "programs/daemon/program_flags.h"
#include "programs/daemon/program_runtime.h"

namespace basalt::daemon {
namespace {

constexpr ProgramInfo kNodesProgram{
    .name = "kubelet",  // who writes to the API server
    .usage =
        "Simulated nodes on a real API server: they register, and run pods by the clock. For trying out and tests.\n"
        "Usage: basalt nodes --simulated-nodes 10:cpu=32,memory=128Gi [flags]"};
constexpr ProgramInfo kUpkeep{.name = "kube-controller-manager", .usage = {}};

Result<node::SimulatedNodesOptions> nodes_options_of(const cli::FlagValues& flags) {
  node::SimulatedNodesOptions options;
  for (const std::string& text : flags.list("simulated-nodes")) {
    auto group = node::parse_simulated_group(text);
    if (!group) return std::unexpected(group.error().within("--simulated-nodes"));
    options.groups.push_back(std::move(*group));
  }
  if (flags.given("simulated-run-seconds")) options.run_seconds = flags.text("simulated-run-seconds");
  options.alone = !flags.on("upkeep");
  options.loop = {.clock = client::wall_clock, .component = "kubelet", .prober = {}};
  return options;
}

}  // namespace

int run_nodes(cli::Words words) {
  const auto flags = parse_program_flags(kNodesProgram, nodes_flags(), words);
  if (!flags) return flags.error();
  auto options = nodes_options_of(*flags);
  if (!options) return report_error(kNodesProgram, options.error(), cli::kUsage);
  Signals signals(kNodesProgram.name);
  auto opened = ProgramRuntime::open(*flags, kNodesProgram, {});
  if (!opened) return report_error(kNodesProgram, opened.error());
  ProgramRuntime& runtime = **opened;
  node::NodeLeaseRenewer leases(runtime.client(), node::names_of(options->groups), client::wall_clock);
  auto nodes = node::SimulatedNodes::make(runtime.client(), std::move(*options));
  if (!nodes) return report_error(kNodesProgram, nodes.error(), cli::kUsage);
  std::unique_ptr<client::ObjectClient> upkeep_client;  // its own, so that managedFields tell the two apart
  std::unique_ptr<kubernetes::KubeControllerManager> upkeep;
  if (flags->on("upkeep")) {
    auto made = connect_client(*flags, kUpkeep);
    if (!made) return report_error(kNodesProgram, made.error());
    upkeep_client = std::move(*made);
    upkeep = std::make_unique<kubernetes::KubeControllerManager>(
        *upkeep_client,
        kubernetes::KubeControllerManagerOptions{.clock = client::wall_clock, .periods = {}, .api_server_only = false});
  }
  const ProgramCallbacks work{.start =
                                  [&] {
                                    if (upkeep != nullptr) upkeep->start();
                                    (*nodes)->start();
                                    if (flags->on("node-leases")) leases.start();
                                  },
                              .stop =
                                  [&] {
                                    leases.stop();
                                    (*nodes)->stop();
                                    if (upkeep != nullptr) upkeep->stop();
                                  },
                              .health = nullptr,
                              .not_ready = {},
                              .metrics = {},
                              .dumps = {}};
  return runtime.run(work, signals);
}

}  // namespace basalt::daemon
