#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>

#include "control/loop/prober.h"
#include "control/volcano/controller_registry.h"
#include "control/volcano/system_services.h"
#include "control/volcano/volcano_controller_manager.h"
#include "kube/client/wall_clock.h"
#include "programs/daemon/daemon_verbs.h"
#include "programs/daemon/program_flags.h"
#include "programs/daemon/program_runtime.h"

namespace basalt::daemon {
namespace {

constexpr ProgramInfo kControllersProgram{
    .name = "vc-controller-manager",
    .usage =
        "Volcano's controllers: jobs, queues, pod groups, clean-up, cron jobs, job flows, hyper nodes.\n"
        "Usage: basalt controllers [flags], or vc-controller-manager [flags]"};

constexpr std::array<std::string_view, 1> kControllersGates = {kCronJobGate};
constexpr std::string_view kCronJobs = "cronjob-controller";

std::string environment(const char* name, std::string otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::move(otherwise) : value;
}

volcano::VolcanoControllerOptions controllers_options_of(const cli::FlagValues& flags, const FeatureGates& gates) {
  volcano::VolcanoControllerOptions options;
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
  const auto flags = parse_program_flags(kControllersProgram, controllers_flags(), words);
  if (!flags) return flags.error();
  const auto chosen = volcano::choose_controllers(fmt::format("{}", fmt::join(flags->list("controllers"), ",")));
  if (!chosen) return report_error(kControllersProgram, chosen.error(), cli::kUsage);
  Signals signals(kControllersProgram.name);
  auto opened = ProgramRuntime::open(*flags, kControllersProgram, {.effective_gates = kControllersGates});
  if (!opened) return report_error(kControllersProgram, opened.error());
  ProgramRuntime& runtime = **opened;
  auto prober = loop::Prober::make();
  if (!prober) return report_error(kControllersProgram, prober.error());
  auto made = volcano::VolcanoControllerManager::make(
      runtime.client(), controllers_options_of(*flags, runtime.gates()), volcano::make_system_services(),
      {.clock = client::wall_clock, .component = {}, .prober = [&](const loop::Probe& probe, auto done) {
         (*prober)->ask(probe, std::move(done));
       }});
  if (!made) return report_error(kControllersProgram, made.error(), cli::kUsage);
  volcano::VolcanoControllerManager& controllers = **made;
  const ProgramCallbacks work{.start = [&] { controllers.start(); },
                              .stop = [&] { controllers.stop(); },
                              .health = &controllers.health(),
                              .not_ready = {},
                              .metrics = [&] { return controllers.metrics_text(); },
                              .dumps = {}};
  return runtime.run(work, signals);
}

}  // namespace basalt::daemon
