#include "lab/bench/bench_kubernetes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "kube/client/kubeconfig_loader.h"
#include "lab/bench/bench_kubernetes_run.h"
#include "lab/bench/bench_kubernetes_table.h"
#include "lab/bench/bench_process.h"

namespace basalt::lab {
namespace {

struct BenchWords {
  KubeBenchOptions bench;
  std::string kubeconfig, table;
  std::vector<std::string> pids;
  bool no_nodes = false, json = false;
};

Result<void> complete(BenchWords& words) {
  KubeBenchOptions& bench = words.bench;
  if (bench.load_name == "singles") {
    bench.load.size = 1;
  } else if (bench.load_name == "jobs") {
    bench.load.kind = KubeLoad::Kind::Jobs;
  } else if (bench.load_name != "gangs") {
    return invalid(fmt::format("--load is gangs, jobs or singles, not \"{}\"", bench.load_name));
  }
  if (bench.raw && (bench.load_name == "jobs" || bench.null_scheduler || bench.watch_idle > 0)) {
    return invalid("--raw has no scheduler: leave out --null, --watch-idle and --load jobs");
  }
  if (words.pids.size() > kMaxWatchedProcesses) {
    return invalid(fmt::format("--pid can be given {} times", kMaxWatchedProcesses));
  }
  for (const std::string& pid : words.pids) {
    auto process = parse_watched(pid);
    if (!process) return std::unexpected(process.error());
    bench.processes.push_back(std::move(*process));
  }
  bench.makes_nodes = !words.no_nodes && !bench.raw;
  if (bench.raw) bench.load.scheduler_name = "basalt-bench-raw";  // nobody's
  return {};
}

// One line that is written over on a terminal; nothing elsewhere.
class ProgressLine {
 public:
  ~ProgressLine() { show(""); }
  void show(const std::string& line) const {
    if (terminal_) fmt::print(stderr, "\r\x1b[K{}", line);
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) == 1;
};

int run(const BenchWords& words) {
  const auto connection = client::load_rest_config({.file = words.kubeconfig});
  if (!connection) return fmt::print(stderr, "basalt bench: {}\n", connection.error().message), 1;
  const auto measured = [&] {
    const ProgressLine line;
    return run_kube_bench(*connection, words.bench, [&](const std::string& text) { line.show(text); });
  }();
  if (!measured) return fmt::print(stderr, "basalt bench: {}\n", measured.error().message), 1;
  fmt::print("{}\n", words.json ? result_json(words.bench, *measured) : result_text(words.bench, *measured));
  return 0;
}

int print_table(const std::string& file) {
  const auto table = comparison_table(file);
  if (!table) return fmt::print(stderr, "basalt bench: {}\n", table.error().message), 1;
  fmt::print("{}", *table);
  return 0;
}

}  // namespace

int run_bench_kubernetes(std::span<const std::string_view> arguments) {
  if (std::ranges::find(arguments, "--help") != arguments.end()) return fmt::print("{}", kBenchKubernetesUsage), 0;
  BenchWords words;
  KubeBenchOptions& bench = words.bench;
  const BenchOption known[] = {{"--kubeconfig", &words.kubeconfig},
                               {"--load", &bench.load_name},
                               {"--gangs", &bench.load.gangs},
                               {"--size", &bench.load.size},
                               {"--nodes", &bench.nodes},
                               {"--no-nodes", &words.no_nodes},
                               {"--scheduler-name", &bench.load.scheduler_name},
                               {"--namespace", &bench.load.namespace_name},
                               {"--clients", &bench.load.clients},
                               {"--null", &bench.null_scheduler},
                               {"--raw", &bench.raw},
                               {"--pid", &words.pids},
                               {"--watch-idle", &bench.watch_idle},
                               {"--unschedulable", &bench.misfits},
                               {"--timeout", &bench.timeout},
                               {"--keep", &bench.keep},
                               {"--label", &bench.label},
                               {"--json", &words.json},
                               {"--table", &words.table}};
  if (!read_bench_words(arguments, known)) return fmt::print(stderr, "{}", kBenchKubernetesUsage), 2;
  if (!words.table.empty()) return print_table(words.table);
  if (const auto done = complete(words); !done) {
    return fmt::print(stderr, "basalt bench: {}\n", done.error().message), 2;
  }
  return run(words);
}

}  // namespace basalt::lab
