#include "control/kubernetes/upkeep.h"
#include "control/node/simulated/node_leases.h"
#include "control/node/simulated/simulated_nodes.h"
#include "kube/client/wall_clock.h"
#include "programs/daemon/program.h"
#include "programs/daemon/program_flags.h"
#include "programs/daemon/station.h"

namespace basalt::daemon {
namespace {

constexpr ProgramName kProgram{
    .name = "kubelet",  // who writes to the API server
    .usage =
        "Simulated nodes on a real API server: they register, and run pods by the clock. For trying out and tests.\n"
        "Usage: basalt nodes --simulated-nodes 10:cpu=32,memory=128Gi [flags]"};
constexpr ProgramName kUpkeep{.name = "kube-controller-manager", .usage = {}};

Result<node::SimulatedOptions> options_of(const Flags& flags) {
  node::SimulatedOptions options;
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
  const auto flags = open_program(kProgram, nodes_flags(), words);
  if (!flags) return flags.error();
  auto options = options_of(*flags);
  if (!options) return complain(kProgram, options.error(), cli::kUsage);
  Signals signals(kProgram.name);
  auto opened = Station::open(*flags, kProgram, {});
  if (!opened) return complain(kProgram, opened.error());
  Station& station = **opened;
  node::NodeLeases leases(station.client(), node::names_of(options->groups), client::wall_clock);
  auto nodes = node::SimulatedNodes::make(station.client(), std::move(*options));
  if (!nodes) return complain(kProgram, nodes.error(), cli::kUsage);
  std::unique_ptr<client::ObjectClient> upkeep_client;  // its own, so that managedFields tell the two apart
  std::unique_ptr<kubernetes::Upkeep> upkeep;
  if (flags->on("upkeep")) {
    auto made = client_of(*flags, kUpkeep);
    if (!made) return complain(kProgram, made.error());
    upkeep_client = std::move(*made);
    upkeep = std::make_unique<kubernetes::Upkeep>(
        *upkeep_client,
        kubernetes::UpkeepOptions{.clock = client::wall_clock, .periods = {}, .api_server_only = false});
  }
  const Work work{.start =
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
                  .pulse = nullptr,
                  .not_ready = {},
                  .metrics = {},
                  .dumps = {}};
  return station.run(work, signals);
}

}  // namespace basalt::daemon
