// One run of `basalt bench kubernetes`: nodes, load, measuring, clean-up. What was asked for and what was measured, as
// data; words and printing are elsewhere.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client/rest_config.h"
#include "lab/bench/bench_kubernetes_load.h"
#include "lab/bench/bench_kubernetes_usage.h"

namespace basalt::lab {

struct KubeBenchOptions {
  std::string label = "run";  // of the result
  KubeLoad load;
  std::string load_name = "gangs";  // gangs, jobs, singles
  size_t nodes = 1000;
  bool makes_nodes = true, null_scheduler = false, raw = false, keep = false;
  size_t misfits = 0;     // pods that fit nowhere, made after the load
  size_t watch_idle = 0;  // seconds
  size_t timeout = 900;   // seconds for the load
  std::vector<WatchedProcess> processes;
};

struct MeasuredProcess {
  std::string role;
  double cpu_seconds = 0;  // for the load, from the first create until all pods run and all is told
  double resident_mib = 0, peak_mib = 0;
  std::optional<double> idle_percent;  // of a core, while nothing happened
  double idle_mib = 0;                 // resident after that
};

struct KubeBenchResult {
  LoadResult sent;                        // objects of the load
  double all_bound = 0, all_running = 0;  // seconds from the first create
  double bound_p50 = 0, bound_p99 = 0;    // seconds from create to bound
  std::optional<LoadResult> binds;        // raw
  double bench_cpu = 0;
  std::vector<MeasuredProcess> processes;
};

// Called now and then with a line about how far it is.
using Progress = std::function<void(const std::string& line)>;

// Requires: no thread of this process is running (the null scheduler is a child).
[[nodiscard]] Result<KubeBenchResult> run_kube_bench(const client::RestConfig& connection, KubeBenchOptions bench,
                                                     const Progress& progress);

}  // namespace basalt::lab
