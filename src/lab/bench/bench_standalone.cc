#include "lab/bench/bench_standalone.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "lab/bench/bench_cluster.h"
#include "lab/bench/bench_process.h"
#include "lab/bench/pod_times.h"

namespace basalt::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kLongestRun{10};
constexpr std::chrono::seconds kStandaloneLongestStart{120};
constexpr std::chrono::milliseconds kStandaloneLook{2};
constexpr size_t kClients = 8;

struct StandaloneBenchOptions {
  size_t jobs = 200, replicas = 50, nodes = 1000;
  std::string directory;
  bool json = false;
  [[nodiscard]] size_t pods() const { return jobs * replicas; }
};

struct Measured {
  double submitted = 0, seconds = 0, cpu = 0;  // submitted: seconds until the last job was taken
  double p50 = 0, p99 = 0;                     // create→bound, milliseconds
  scheduler::SchedulerCounters scheduler;
};

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// False: a job was refused.
bool submit(client::ObjectClient& client, const StandaloneBenchOptions& options) {
  std::atomic<size_t> next = 0;
  std::atomic<size_t> refused = 0;
  std::vector<std::thread> clients;
  for (size_t i = 0; i < kClients; ++i) {
    clients.emplace_back([&] {
      for (size_t job = next++; job < options.jobs; job = next++) {
        const client::ReplyOrError outcome = client.call(create_job(bench_job(job, options.replicas)));
        if (!outcome && refused++ == 0) fmt::print(stderr, "basalt bench: {}\n", outcome.error().message);
      }
    });
  }
  for (std::thread& client_thread : clients) client_thread.join();
  return refused == 0;
}

// Until all pods were Running. False: they are not within kLongestRun.
bool wait_for_running(const PodTimes& times, const StandaloneBenchOptions& options, Clock::time_point start) {
  Clock::time_point told = Clock::now();
  while (times.running() < options.pods()) {
    if (times.is_broken() || Clock::now() > start + kLongestRun) return false;
    if (Clock::now() > told + std::chrono::seconds(1)) {
      told = Clock::now();
      fmt::print(stderr, "  {:.0f} s: {} created, {} bound, {} running of {}\n", since(start), times.created(),
                 times.bound(), times.running(), options.pods());
    }
    std::this_thread::sleep_for(kStandaloneLook);
  }
  return true;
}

void print_text(const StandaloneBenchOptions& options, const Measured& measured) {
  const auto pods = static_cast<double>(options.pods());
  fmt::print("{} jobs × {} pods on {} simulated nodes, durable store: all pods Running\n", options.jobs,
             options.replicas, options.nodes);
  fmt::print("  {:.2f} s   {:.1f} jobs/s   {:.0f} pods/s   (jobs submitted in {:.2f} s)\n", measured.seconds,
             static_cast<double>(options.jobs) / measured.seconds, pods / measured.seconds, measured.submitted);
  fmt::print("  created→bound p50 {:.1f} ms   p99 {:.1f} ms\n", measured.p50, measured.p99);
  fmt::print("  {:.2f} s CPU, {:.3f} ms per pod   peak {:.0f} MiB\n", measured.cpu, measured.cpu * 1000 / pods,
             peak_mib());
  const scheduler::SchedulerCounters& counters = measured.scheduler;
  fmt::print("  scheduler: {} cycles, {} binds, {} refused, {} unsure\n", counters.cycles, counters.binds,
             counters.refused, counters.unsure);
}

void print_json(const StandaloneBenchOptions& options, const Measured& measured) {
  const auto pods = static_cast<double>(options.pods());
  fmt::print(
      "{{\"jobs\":{},\"replicas\":{},\"nodes\":{},\"seconds\":{:.3f},\"submitSeconds\":{:.3f},\"jobsPerSecond\":{:.1f},"
      "\"podsPerSecond\":{:.1f},\"createdToBoundP50Ms\":{:.2f},\"createdToBoundP99Ms\":{:.2f},\"cpuSeconds\":{:.3f},"
      "\"peakMib\":{:.1f},\"cycles\":{},\"binds\":{},\"refused\":{},\"unsure\":{}}}\n",
      options.jobs, options.replicas, options.nodes, measured.seconds, measured.submitted,
      static_cast<double>(options.jobs) / measured.seconds, pods / measured.seconds, measured.p50, measured.p99,
      measured.cpu, peak_mib(), measured.scheduler.cycles, measured.scheduler.binds, measured.scheduler.refused,
      measured.scheduler.unsure);
}

int measure_standalone(const StandaloneBenchOptions& options, const std::filesystem::path& directory) {
  auto cluster = BenchCluster::open({.file = directory / "bench.db", .nodes = static_cast<int64_t>(options.nodes)});
  if (!cluster) return fmt::print(stderr, "basalt bench: {}\n", cluster.error().message), 1;
  if (!(*cluster)->wait_for_nodes(kStandaloneLongestStart)) {
    return fmt::print(stderr, "basalt bench: the nodes did not become ready\n"), 1;
  }
  const PodTimes times((*cluster)->client());
  Measured measured;
  const double cpu_before = cpu_seconds();
  const Clock::time_point start = Clock::now();
  const bool taken = submit((*cluster)->client(), options);
  measured.submitted = since(start);
  const bool done = taken && wait_for_running(times, options, start);
  measured.seconds = since(start);
  measured.cpu = cpu_seconds() - cpu_before;
  (*cluster)->close();
  if (!done) {
    return fmt::print(stderr, "basalt bench: {} of {} pods were created, {} bound, {} running\n", times.created(),
                      options.pods(), times.bound(), times.running()),
           1;
  }
  measured.p50 = times.bound_after(0.50);
  measured.p99 = times.bound_after(0.99);
  measured.scheduler = (*cluster)->scheduler().counters();
  options.json ? print_json(options, measured) : print_text(options, measured);
  return 0;
}

}  // namespace

int run_bench_standalone(std::span<const std::string_view> words) {
  if (std::ranges::find(words, "--help") != words.end()) return fmt::print("{}", kBenchStandaloneUsage), 0;
  StandaloneBenchOptions options;
  const BenchOption known[] = {{"--jobs", &options.jobs},
                               {"--replicas", &options.replicas},
                               {"--nodes", &options.nodes},
                               {"--directory", &options.directory},
                               {"--json", &options.json}};
  if (!read_bench_words(words, known)) return fmt::print(stderr, "{}", kBenchStandaloneUsage), 2;
  return in_bench_directory(options.directory, [&](const std::filesystem::path& directory) {
    return measure_standalone(options, directory);
  });
}

}  // namespace basalt::lab
