#include <array>
#include <cstdio>
#include <string_view>

#include "lab/bench/bench_engine.h"
#include "lab/conformance/conformance_verb.h"
#include "lab/life/life_player.h"
#include "lab/scenario/scenario_verb.h"
#include "programs/cli/apply/apply.h"
#include "programs/cli/check/check_verb.h"
#include "programs/cli/follow/follow.h"
#include "programs/cli/vcctl/vcctl.h"
#include "programs/cli/verb.h"
#include "programs/daemon/daemon_verbs.h"
#include "programs/up/detach.h"
#include "programs/up/up.h"

#ifndef BASALT_VERSION
#define BASALT_VERSION "unknown"
#endif

namespace {

int print_version(basalt::cli::Words /*words*/) {
  std::puts("basalt " BASALT_VERSION);
  return basalt::cli::kOk;
}

int play_scenarios(basalt::cli::Words words) {
  static constexpr std::array kOthers = {basalt::lab::scenario::ScenarioKind{
      .first_word = "life", .step = "step", .play = &basalt::lab::play_life, .play_at = &basalt::lab::play_life_at}};
  return basalt::lab::run_scenario(words, kOthers);
}

constexpr std::array kVerbs = {
    basalt::cli::CliVerb{
        .name = "apply", .summary = "create or change the objects of manifests", .run = &basalt::cli::run_apply},
    basalt::cli::CliVerb{
        .name = "bench", .summary = "time scheduling cycles on generated clusters", .run = &basalt::lab::run_bench},
    basalt::cli::CliVerb{.name = "check",
                         .summary = "find what is broken in a cluster: oversubscribed nodes, lost pods, torn gangs",
                         .run = &basalt::cli::run_check},
    basalt::cli::CliVerb{.name = "conformance",
                         .summary = "replay recorded Volcano cases and compare the decisions",
                         .run = &basalt::lab::run_conformance},
    basalt::cli::CliVerb{.name = "controllers",
                         .summary = "Volcano's controllers on a real cluster; also as vc-controller-manager",
                         .run = &basalt::daemon::run_controllers},
    basalt::cli::CliVerb{.name = "crds",
                         .summary = "print Volcano's CustomResourceDefinitions for kubectl apply",
                         .run = &basalt::daemon::run_crds},
    basalt::cli::CliVerb{.name = "down", .summary = "stop the cluster that runs", .run = &basalt::up::run_down},
    basalt::cli::CliVerb{
        .name = "follow", .summary = "show a job live until it runs or is over", .run = &basalt::cli::run_follow},
    basalt::cli::CliVerb{.name = "nodes",
                         .summary = "simulated nodes on a real cluster, for trying out",
                         .run = &basalt::daemon::run_nodes},
    basalt::cli::CliVerb{
        .name = "scenario", .summary = "play scenario files and compare what was decided", .run = &play_scenarios},
    basalt::cli::CliVerb{.name = "scheduler",
                         .summary = "the scheduler of a real cluster; also as vc-scheduler",
                         .run = &basalt::daemon::run_scheduler},
    basalt::cli::CliVerb{
        .name = "status", .summary = "say whether a cluster runs, and how it is", .run = &basalt::up::run_status},
    basalt::cli::CliVerb{.name = "up",
                         .summary = "run a whole cluster in this process, or with --detach beside it",
                         .run = &basalt::up::run_up},
    basalt::cli::CliVerb{.name = "vcctl",
                         .summary = "work with jobs and queues; also as the program vcctl",
                         .run = &basalt::cli::vcctl::run_vcctl},
    basalt::cli::CliVerb{.name = "version", .summary = "print the version", .run = &print_version},
    basalt::cli::CliVerb{.name = "webhook",
                         .summary = "the admission webhooks of a real cluster; also as vc-webhook-manager",
                         .run = &basalt::daemon::run_webhook},
};

// Volcano's programs, by the names that its manifests call.
constexpr std::array kPrograms = {
    basalt::cli::CliVerb{.name = "vc-scheduler", .summary = {}, .run = &basalt::daemon::run_scheduler},
    basalt::cli::CliVerb{.name = "vc-controller-manager", .summary = {}, .run = &basalt::daemon::run_controllers},
    basalt::cli::CliVerb{.name = "vc-webhook-manager", .summary = {}, .run = &basalt::daemon::run_webhook},
    basalt::cli::CliVerb{.name = "vcctl", .summary = {}, .run = &basalt::cli::vcctl::run_vcctl},
};

}  // namespace

// Under another name the program is another one: links called vcctl, vsub … point here.
int main(int argc, char** argv) {
  const basalt::cli::Words words(argv, static_cast<size_t>(argc));
  std::string_view program = words.empty() ? "" : words[0];
  program.remove_prefix(program.rfind('/') + 1);  // npos + 1 is 0
  for (const basalt::cli::CliVerb& named : kPrograms) {
    if (named.name == program) return named.run(words.subspan(1));
  }
  if (basalt::cli::vcctl::is_alias(program)) return basalt::cli::vcctl::run_alias(program, words.subspan(1));
  return basalt::cli::dispatch(kVerbs, words);
}
