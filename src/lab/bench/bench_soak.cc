#include "lab/bench/bench_soak.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "lab/bench/bench_cluster.h"
#include "lab/bench/bench_process.h"
#include "lab/bench/pod_times.h"

namespace basalt::lab {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kSoakLongestStart{120};
constexpr std::chrono::seconds kLongestStandstill{60};
constexpr std::chrono::milliseconds kSoakLook{2};
constexpr ptrdiff_t kSoakJobsUnderWay = 16;
constexpr size_t kMilestone = 10'000;
constexpr double kMemoryGrowth = 1.10, kFileGrowth = 1.5;

struct SoakOptions {
  size_t pods = 100'000, replicas = 20, alive = 2'000, nodes = 200;
  std::string directory;
};

struct Mark {
  size_t pods = 0;
  double resident = 0, file = 0;  // MiB
};

double file_mib(const fs::path& directory) {
  uintmax_t bytes = 0;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
    const uintmax_t size = entry.file_size(ignored);
    if (!ignored) bytes += size;
  }
  return static_cast<double>(bytes) / (1024.0 * 1024.0);
}

class Soak {
 public:
  Soak(const SoakOptions& options, BenchCluster& cluster, fs::path directory)
      : options_(options),
        cluster_(cluster),
        directory_(std::move(directory)),
        times_(cluster.client()),
        room_(kSoakJobsUnderWay) {}

  // False: it did not go through.
  bool flow() {
    const size_t jobs = (options_.pods + options_.replicas - 1) / options_.replicas;
    const size_t pods = jobs * options_.replicas;
    size_t job = 0;
    size_t seen = 0;
    Clock::time_point moved = Clock::now();
    while (times_.gone() < pods) {
      while (job < jobs && (job + 1) * options_.replicas <= times_.gone() + options_.alive) send(job++);
      if (times_.gone() != seen) {
        seen = times_.gone();
        moved = Clock::now();
      }
      look();
      if (times_.is_broken() || refused_ > 0 || Clock::now() > moved + kLongestStandstill) break;
      std::this_thread::sleep_for(kSoakLook);
    }
    look();
    for (ptrdiff_t i = 0; i < kSoakJobsUnderWay; ++i) room_.acquire();
    if (times_.gone() >= pods) return true;
    fmt::print(stderr, "basalt bench: it stands still: {} of {} pods came, {} were bound, {} ran, {} went\n",
               times_.created(), pods, times_.bound(), times_.running(), times_.gone());
    return false;
  }

  // Sentences about what is not well.
  [[nodiscard]] std::vector<std::string> complaints() const {
    std::vector<std::string> list;
    const scheduler::SchedulerCounters counters = cluster_.scheduler().counters();
    if (counters.differences > 0) list.push_back(fmt::format("self-checks found {} differences", counters.differences));
    if (marks_.size() < 2) list.emplace_back("too few pods to judge memory and store (20,000 at least)");
    if (marks_.empty()) return list;
    if (counters.self_checks == 0) list.emplace_back("no self-check was made");
    const Mark& first = marks_.front();
    const Mark& last = marks_.back();
    if (last.resident > first.resident * kMemoryGrowth) {
      list.push_back(fmt::format("memory grew from {:.0f} to {:.0f} MiB", first.resident, last.resident));
    }
    const Mark& settled = marks_[std::min<size_t>(1, marks_.size() - 1)];  // history fills up first
    if (last.file > settled.file * kFileGrowth) {
      list.push_back(fmt::format("the store grew from {:.0f} to {:.0f} MiB", settled.file, last.file));
    }
    return list;
  }

 private:
  void send(size_t job) {
    room_.acquire();
    cluster_.client().send(create_job(bench_job(job, options_.replicas, 0)),
                           [this](const client::ReplyOrError& outcome) {
                             if (!outcome && refused_++ == 0)
                               fmt::print(stderr, "basalt bench: {}\n", outcome.error().message);
                             room_.release();
                           });
  }

  // Memory goes up and down with what is under way: a mark tells the mean of the last part of its stretch.
  void look() {
    const size_t next = (marks_.size() + 1) * kMilestone;
    if (times_.gone() + kMilestone / 5 < next) return;
    resident_ += resident_mib();
    ++looks_;
    if (times_.gone() >= next) mark();
  }

  void mark() {
    const Mark now{
        .pods = times_.gone(), .resident = resident_ / static_cast<double>(looks_), .file = file_mib(directory_)};
    marks_.push_back(now);
    resident_ = 0;
    looks_ = 0;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const scheduler::SchedulerCounters counters = cluster_.scheduler().counters();
    fmt::print("{:>8} pods  {:>6.0f} pods/s  {:>5.0f} MiB  store {:>4.0f} MiB  {} self-checks, {} differences\n",
               now.pods, static_cast<double>(now.pods) / seconds, now.resident, now.file, counters.self_checks,
               counters.differences);
    (void)std::fflush(stdout);
  }

  SoakOptions options_;
  BenchCluster& cluster_;
  fs::path directory_;
  PodTimes times_;
  std::counting_semaphore<> room_;
  std::atomic<size_t> refused_ = 0;
  std::vector<Mark> marks_;
  double resident_ = 0;  // sum over looks_ looks
  size_t looks_ = 0;
  Clock::time_point start_ = Clock::now();
};

int measure_soak(const SoakOptions& options, const fs::path& directory) {
  BenchClusterOptions wanted{.file = directory / "soak.db",
                             .nodes = static_cast<int64_t>(options.nodes),
                             .run_seconds = "0..0.2",
                             .self_check = Duration::seconds(1)};
  wanted.periods.event_life = Duration::seconds(5);
  auto cluster = BenchCluster::open(wanted);
  if (!cluster) return fmt::print(stderr, "basalt bench: {}\n", cluster.error().message), 1;
  if (!(*cluster)->wait_for_nodes(kSoakLongestStart)) {
    return fmt::print(stderr, "basalt bench: the nodes did not become ready\n"), 1;
  }
  Soak soak(options, **cluster, directory);
  const bool through = soak.flow();
  const std::vector<std::string> complaints = soak.complaints();
  (*cluster)->close();
  for (const std::string& sentence : complaints) fmt::print(stderr, "basalt bench: {}\n", sentence);
  if (!through || !complaints.empty()) return 1;
  fmt::print("memory flat, store bounded, no difference\n");
  return 0;
}

}  // namespace

int run_bench_soak(std::span<const std::string_view> words) {
  if (std::ranges::find(words, "--help") != words.end()) return fmt::print("{}", kBenchSoakUsage), 0;
  SoakOptions options;
  const BenchOption known[] = {{"--pods", &options.pods},
                               {"--replicas", &options.replicas},
                               {"--alive", &options.alive},
                               {"--nodes", &options.nodes},
                               {"--directory", &options.directory}};
  if (!read_bench_words(words, known) || options.alive < options.replicas) {
    return fmt::print(stderr, "{}", kBenchSoakUsage), 2;
  }
  return in_bench_directory(options.directory,
                            [&](const fs::path& directory) { return measure_soak(options, directory); });
}

}  // namespace basalt::lab
