#include "lab/bench/bench_engine.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/bench/bench_case.h"
#include "lab/bench/bench_jobs.h"
#include "lab/bench/bench_kubernetes.h"
#include "lab/bench/bench_soak.h"
#include "lab/bench/bench_standalone.h"

namespace basalt::lab {

namespace {

constexpr std::string_view kUsage =
    "Usage: basalt bench engine [--json] [--only NAME] [--no-growth] [--list]\n"
    "Times scheduling cycles on generated clusters with the stock configuration. Each case runs in a process of its\n"
    "own, so that peak memory is that of the case.\n"
    "  --json        one JSON document instead of tables\n"
    "  --only NAME   only cases whose name starts with NAME (see --list)\n"
    "  --no-growth   leave out the growth series\n"
    "  --list        the names of all cases\n"
    "See also: basalt bench jobs|standalone|soak|kubernetes --help\n";

struct EngineBenchOptions {
  bool json = false;
  bool growth = true;
  bool list = false;
  std::string only;
};

// A result as one line of text, for the pipe between the process that ran the case and the one that prints it.
std::string to_json(const BenchResult& r) {
  std::string phases;
  for (const auto& [name, ms] : r.phases_ms)
    phases += fmt::format("{}\"{}\":{:.4f}", phases.empty() ? "" : ",", name, ms);
  const double seconds = r.cycle_ms / 1000;
  return fmt::format(
      "{{\"name\":\"{}\",\"what\":\"{}\",\"nodes\":{},\"pods\":{},\"cycleMs\":{:.4f},\"placed\":{},\"expected\":{},"
      "\"podsPerSecond\":{:.0f},\"classNodeEvaluations\":{},\"peakKiB\":{},\"phasesMs\":{{{}}}}}",
      r.name, r.what, r.nodes, r.pods, r.cycle_ms, r.placed, r.expected,
      seconds > 0 ? static_cast<double>(r.placed) / seconds : 0, r.evaluations, r.peak_kib, phases);
}

void write_all(int fd, const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t wrote = write(fd, at, size);
    if (wrote <= 0) return;
    at += wrote;
    size -= static_cast<size_t>(wrote);
  }
}

bool read_all(int fd, void* data, size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = read(fd, at, size);
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

constexpr size_t kMaxPhases = 16;
constexpr size_t kMaxPhaseName = 24;

// What crosses the pipe: fixed size, no pointers.
struct Wire {
  double cycle_ms = 0;
  uint64_t placed = 0, expected = 0, evaluations = 0;
  uint64_t phases = 0;
  char what[160] = {};
  char phase_names[kMaxPhases][kMaxPhaseName] = {};
  double phase_ms[kMaxPhases] = {};
};

Wire pack(const BenchResult& r) {
  Wire wire{.cycle_ms = r.cycle_ms, .placed = r.placed, .expected = r.expected, .evaluations = r.evaluations};
  std::snprintf(wire.what, sizeof wire.what, "%s", r.what.c_str());
  for (const auto& [name, ms] : r.phases_ms) {
    if (wire.phases == kMaxPhases) break;
    std::snprintf(wire.phase_names[wire.phases], kMaxPhaseName, "%s", name.c_str());
    wire.phase_ms[wire.phases++] = ms;
  }
  return wire;
}

std::optional<BenchResult> run_apart(const BenchCase& bench_case) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    close(ends[0]);
    const Wire wire = pack(bench_case.run(bench_case));
    write_all(ends[1], &wire, sizeof wire);
    _exit(0);
  }
  close(ends[1]);
  Wire wire;
  const bool complete = read_all(ends[0], &wire, sizeof wire);
  close(ends[0]);
  rusage usage{};
  int status = 0;
  wait4(child, &status, 0, &usage);
  if (!complete || status != 0) return std::nullopt;
  BenchResult result{.name = bench_case.name,
                     .what = wire.what,
                     .cycle_ms = wire.cycle_ms,
                     .placed = wire.placed,
                     .expected = wire.expected,
                     .evaluations = wire.evaluations,
                     .nodes = bench_case.nodes,
                     .pods = bench_case.jobs * bench_case.gang,
                     .peak_kib = usage.ru_maxrss};
  for (uint64_t p = 0; p < wire.phases; ++p) result.phases_ms.emplace_back(wire.phase_names[p], wire.phase_ms[p]);
  return result;
}

void print_header(std::string_view title) {
  fmt::print("\n{}\n{:<15}{:>8}{:>9}{:>12}{:>9}{:>13}{:>15}{:>13}{:>11}\n", title, "case", "nodes", "pods", "cycle ms",
             "placed", "pods/s", "class×node", "Meval/s", "peak MiB");
}

void print_row(const BenchResult& r) {
  const double seconds = r.cycle_ms / 1000;
  fmt::print("{:<15}{:>8}{:>9}{:>12.3f}{:>9}{:>13.0f}{:>14}{:>13.1f}{:>11.1f}\n", r.name, r.nodes, r.pods, r.cycle_ms,
             r.placed, seconds > 0 ? static_cast<double>(r.placed) / seconds : 0, r.evaluations,
             seconds > 0 ? static_cast<double>(r.evaluations) / seconds / 1e6 : 0,
             static_cast<double>(r.peak_kib) / 1024);
  std::string phases;
  for (const auto& [name, ms] : r.phases_ms)
    phases += fmt::format("{}{} {:.2f}", phases.empty() ? "" : " · ", name, ms);
  fmt::print("    {} ({})\n", r.what, phases);
  std::fflush(stdout);
}

void print_growth(const std::vector<BenchResult>& series) {
  if (series.empty()) return;
  fmt::print("  time per (node + pod), µs:");
  for (const BenchResult& r : series) {
    fmt::print("  {} {:.3f}", r.name, r.cycle_ms * 1000 / static_cast<double>(r.nodes + r.pods));
  }
  fmt::print("\n");
}

std::optional<EngineBenchOptions> parse(std::span<const std::string_view> arguments) {
  EngineBenchOptions options;
  if (arguments.empty() || arguments.front() != "engine") return std::nullopt;
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == "--json") {
      options.json = true;
    } else if (arguments[i] == "--no-growth") {
      options.growth = false;
    } else if (arguments[i] == "--list") {
      options.list = true;
    } else if (arguments[i] == "--only" && i + 1 < arguments.size()) {
      options.only = arguments[++i];
    } else {
      return std::nullopt;
    }
  }
  return options;
}

class BenchRun {
 public:
  explicit BenchRun(EngineBenchOptions options) : options_(std::move(options)) {}

  std::vector<BenchResult> series(std::string_view title, const std::vector<BenchCase>& cases) {
    std::vector<BenchResult> results;
    bool titled = false;
    for (const BenchCase& bench_case : cases) {
      if (!bench_case.name.starts_with(options_.only)) continue;
      if (options_.list) {
        fmt::print("{}\n", bench_case.name);
        continue;
      }
      if (!options_.json && !std::exchange(titled, true)) print_header(title);
      const auto result = run_apart(bench_case);
      if (!result || result->placed < result->expected) {
        fmt::print(stderr, "basalt: bench case {} {}\n", bench_case.name,
                   result ? fmt::format("placed {} of {} pods", result->placed, result->expected) : "did not finish");
        failed_ = true;
        continue;
      }
      if (options_.json) {
        json_ += (json_.empty() ? "" : ",\n  ") + to_json(*result);
      } else {
        print_row(*result);
      }
      results.push_back(*result);
    }
    return results;
  }
  int finish() const {
    if (options_.json) fmt::print("{{\"cases\":[\n  {}\n]}}\n", json_);
    return failed_ ? 1 : 0;
  }
  [[nodiscard]] const EngineBenchOptions& options() const { return options_; }

 private:
  EngineBenchOptions options_;
  std::string json_;
  bool failed_ = false;
};

// Benches of whole systems, by the word after `bench`.
struct WholeBench {
  std::string_view name;
  int (*run)(std::span<const std::string_view> words);
};
constexpr std::array<WholeBench, 4> kWholeBenches = {{{.name = "jobs", .run = run_bench_jobs},
                                                      {.name = "kubernetes", .run = run_bench_kubernetes},
                                                      {.name = "standalone", .run = run_bench_standalone},
                                                      {.name = "soak", .run = run_bench_soak}}};

}  // namespace

int run_bench(std::span<char* const> words) {
  const std::vector<std::string_view> arguments(words.begin(), words.end());
  for (const WholeBench& bench : kWholeBenches) {
    if (!arguments.empty() && arguments.front() == bench.name) return bench.run(std::span(arguments).subspan(1));
  }
  for (const std::string_view argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      fmt::print("{}", kUsage);
      return 0;
    }
  }
  const auto options = parse(arguments);
  if (!options) {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  BenchRun run(*options);
  run.series("One cycle (stock configuration, one thread, every node considered)", headline_cases());
  if (options->growth) {
    const auto shared = run.series("Growth: 10 pods a node in gangs of 100, 20 classes", growth_cases(false));
    if (!options->json) print_growth(shared);
    const auto own = run.series("Growth: the same, every job a class of its own", growth_cases(true));
    if (!options->json) print_growth(own);
    const auto evicting = run.series("Growth: eviction, 8 running pods a node, gangs of 20", eviction_cases());
    if (!options->json) print_growth(evicting);
  }
  return run.finish();
}

}  // namespace basalt::lab
