#include <array>
#include <cstdio>
#include <string_view>

#include "cli/apply/apply.h"
#include "cli/conformance/conformance.h"
#include "cli/follow/follow.h"
#include "cli/scenario/scenario.h"
#include "cli/vcctl/vcctl.h"
#include "cli/verb.h"
#include "sim/bench_engine.h"
#include "sim/life/life_player.h"
#include "up/up.h"

#ifndef BASALT_VERSION
#define BASALT_VERSION "unknown"
#endif

namespace {

int print_version(basalt::cli::Words /*words*/) {
  std::puts("basalt " BASALT_VERSION);
  return basalt::cli::kOk;
}

int play_scenarios(basalt::cli::Words words) {
  static constexpr std::array kOthers = {
      basalt::cli::scenario::ScenarioKind{.first_word = "life", .step = "step", .play = &basalt::sim::play_life}};
  return basalt::cli::run_scenario(words, kOthers);
}

constexpr std::array kVerbs = {
    basalt::cli::Verb{
        .name = "apply", .summary = "create or change the objects of manifests", .run = &basalt::cli::run_apply},
    basalt::cli::Verb{
        .name = "bench", .summary = "time scheduling cycles on generated clusters", .run = &basalt::sim::run_bench},
    basalt::cli::Verb{.name = "conformance",
                      .summary = "replay recorded Volcano cases and compare the decisions",
                      .run = &basalt::cli::run_conformance},
    basalt::cli::Verb{
        .name = "follow", .summary = "show a job live until it runs or is over", .run = &basalt::cli::run_follow},
    basalt::cli::Verb{
        .name = "scenario", .summary = "play scenario files and compare what was decided", .run = &play_scenarios},
    basalt::cli::Verb{.name = "up", .summary = "run a whole cluster in this process", .run = &basalt::up::run_up},
    basalt::cli::Verb{.name = "vcctl",
                      .summary = "work with jobs and queues; also as the program vcctl",
                      .run = &basalt::cli::vcctl::run_vcctl},
    basalt::cli::Verb{.name = "version", .summary = "print the version", .run = &print_version},
};

}  // namespace

// Under another name the program is another one: links called vcctl, vsub … point here.
int main(int argc, char** argv) {
  const basalt::cli::Words words(argv, static_cast<size_t>(argc));
  std::string_view program = words.empty() ? "" : words[0];
  program.remove_prefix(program.rfind('/') + 1);  // npos + 1 is 0
  if (program == "vcctl") return basalt::cli::vcctl::run_vcctl(words.subspan(1));
  if (basalt::cli::vcctl::is_alias(program)) return basalt::cli::vcctl::run_alias(program, words.subspan(1));
  return basalt::cli::dispatch(kVerbs, words);
}
