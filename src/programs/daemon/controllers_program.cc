#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>

#include "control/loop/prober.h"
#include "control/volcano/controllers.h"
#include "control/volcano/outside.h"
#include "control/volcano/registry.h"
#include "kube/client/wall_clock.h"
#include "programs/daemon/program.h"
#include "programs/daemon/program_flags.h"
#include "programs/daemon/station.h"

namespace basalt::daemon {
namespace {

constexpr ProgramName kProgram{
    .name = "vc-controller-manager",
    .usage =
        "Volcano's controllers: jobs, queues, pod groups, clean-up, cron jobs, job flows, hyper nodes.\n"
        "Usage: basalt controllers [flags], or vc-controller-manager [flags]"};

constexpr std::array<std::string_view, 1> kGates = {kCronJobGate};
constexpr std::string_view kCronJobs = "cronjob-controller";

std::string environment(const char* name, std::string otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::move(otherwise) : value;
}

volcano::Options options_of(const Flags& flags, const FeatureGates& gates) {
  volcano::Options options;
  options.schedulers = flags.list("scheduler-name");
  std::vector<std::string> words = flags.list("controllers");
  if (!gates.on(kCronJobGate)) {
    std::erase_if(words, [](const std::string& word) { return word.ends_with(kCronJobs); });
    words.push_back("-" + std::string(kCronJobs));
  }
  options.controllers = fmt::format("{}", fmt::join(words, ","));
  options.inherit_owner_annotations = flags.on("inherit-owner-annotations");
  options.home_namespace = environment("KUBE_POD_NAMESPACE", options.home_namespace);
  options.topology_config = environment("HELM_RELEASE_NAME", "volcano") + "-controller-configmap";
  return options;
}

}  // namespace

int run_controllers(cli::Words words) {
  const auto flags = open_program(kProgram, controllers_flags(), words);
  if (!flags) return flags.error();
  const auto chosen = volcano::choose_controllers(fmt::format("{}", fmt::join(flags->list("controllers"), ",")));
  if (!chosen) return complain(kProgram, chosen.error(), cli::kUsage);
  Signals signals(kProgram.name);
  auto opened = Station::open(*flags, kProgram, {.effective_gates = kGates});
  if (!opened) return complain(kProgram, opened.error());
  Station& station = **opened;
  auto prober = loop::Prober::make();
  if (!prober) return complain(kProgram, prober.error());
  auto made = volcano::Controllers::make(
      station.client(), options_of(*flags, station.gates()), volcano::real_outside(),
      {.clock = client::wall_clock, .component = {}, .prober = [&](const loop::Probe& probe, auto done) {
         (*prober)->ask(probe, std::move(done));
       }});
  if (!made) return complain(kProgram, made.error(), cli::kUsage);
  volcano::Controllers& controllers = **made;
  const Work work{.start = [&] { controllers.start(); },
                  .stop = [&] { controllers.stop(); },
                  .pulse = &controllers.pulse(),
                  .not_ready = {},
                  .metrics = [&] { return controllers.metrics_text(); },
                  .dumps = {}};
  return station.run(work, signals);
}

}  // namespace basalt::daemon
