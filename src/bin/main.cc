#include <array>
#include <cstdio>

#include "cli/conformance/conformance.h"
#include "cli/scenario/scenario.h"
#include "cli/verb.h"
#include "sim/bench_engine.h"
#include "up/up.h"

#ifndef BASALT_VERSION
#define BASALT_VERSION "unknown"
#endif

namespace {

int print_version(basalt::cli::Words /*words*/) {
  std::puts("basalt " BASALT_VERSION);
  return basalt::cli::kOk;
}

constexpr std::array kVerbs = {
    basalt::cli::Verb{
        .name = "bench", .summary = "time scheduling cycles on generated clusters", .run = &basalt::sim::run_bench},
    basalt::cli::Verb{.name = "conformance",
                      .summary = "replay recorded Volcano cases and compare the decisions",
                      .run = &basalt::cli::run_conformance},
    basalt::cli::Verb{.name = "scenario",
                      .summary = "play scenario files and compare what was decided",
                      .run = &basalt::cli::run_scenario},
    basalt::cli::Verb{.name = "up", .summary = "run a whole cluster in this process", .run = &basalt::up::run_up},
    basalt::cli::Verb{.name = "version", .summary = "print the version", .run = &print_version},
};

}  // namespace

int main(int argc, char** argv) { return basalt::cli::dispatch(kVerbs, {argv, static_cast<size_t>(argc)}); }
