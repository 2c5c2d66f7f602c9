#include "sim/bench_jobs.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <semaphore>
#include <thread>

#include "api/object_fields.h"
#include "cluster/upkeep.h"
#include "controllers/controllers.h"
#include "controllers/outside.h"
#include "reconcile/loop.h"
#include "reconcile/writes.h"
#include "server/api_server.h"
#include "server/bootstrap.h"
#include "server/in_process_client.h"
#include "store/store.h"

namespace basalt::sim {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kLongestRun{10};
constexpr ptrdiff_t kJobsUnderWay = 64;

const api::ResourceName kJobs{.group = "batch.volcano.sh", .version = "v1alpha1", .plural = "jobs"};
const api::ResourceName kGroups{.group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "podgroups"};
const reconcile::KindId kGroupKind(0U);

struct Options {
  size_t jobs = 1000, replicas = 50;
  std::string directory;
};

std::optional<Options> parse(std::span<const std::string_view> words) {
  Options options;
  for (size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return std::nullopt;
    const std::string_view value = words[i + 1];
    if (words[i] == "--directory") {
      options.directory = value;
      continue;
    }
    size_t* number = words[i] == "--jobs" ? &options.jobs : words[i] == "--replicas" ? &options.replicas : nullptr;
    if (number == nullptr) return std::nullopt;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), *number);
    if (read.ec != std::errc() || read.ptr != value.data() + value.size() || *number == 0) return std::nullopt;
  }
  return options;
}

Instant wall_clock() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double resident_mib() {
  std::ifstream status("/proc/self/statm");
  size_t total = 0;
  size_t resident = 0;
  status >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

// Lets every PodGroup in, as a scheduler with room would.
class Doorman final : public reconcile::Mind {
 public:
  explicit Doorman(client::ObjectClient& client) : loop_(client, *this, {.clock = wall_clock, .component = "doorman"}) {
    loop_.follow(kGroupKind, kGroups);
    loop_.start();
  }
  void learn(reconcile::KindId /*kind*/, const client::ObjectPtr& object, Instant now) override {
    if (!api::string_at(object->get_object(), {"status", "phase"}).empty()) return;
    waiting_[api::key_of(object->get_object())] = object;
    loop_.wake({.controller = 0, .name = api::key_of(object->get_object())}, now);
  }
  void forget(reconcile::KindId /*kind*/, const std::string& key, Instant /*now*/) override { waiting_.erase(key); }
  [[nodiscard]] std::vector<std::string> keys(reconcile::KindId /*kind*/) const override { return {}; }
  [[nodiscard]] reconcile::Plan plan(const reconcile::Item& item, Instant /*now*/) override {
    reconcile::Plan plan;
    const auto at = waiting_.find(item.name);
    if (at == waiting_.end()) return plan;
    plan.write(reconcile::patch(reconcile::target_of(kGroups, at->second->get_object()),
                                {{"status", text::Object{{"phase", "Inqueue"}}}}));
    waiting_.erase(at);
    return plan;
  }
  void look_at_everything(Instant /*now*/) override {}
  void stop() { loop_.stop(); }

 private:
  std::map<std::string, client::ObjectPtr> waiting_;
  reconcile::Loop loop_;
};

text::Object make_job(size_t number, size_t replicas) {
  text::Object container{{"name", "main"},
                         {"image", "busybox:1.36"},
                         {"command", text::Array{"sh", "-c", "sleep 60"}},
                         {"resources", text::Object{{"requests", text::Object{{"cpu", "1"}, {"memory", "1Gi"}}}}}};
  text::Object spec{{"restartPolicy", "Never"}, {"containers", text::Array{std::move(container)}}};
  text::Object task{{"name", "worker"},
                    {"replicas", static_cast<int64_t>(replicas)},
                    {"template", text::Object{{"spec", std::move(spec)}}}};
  return {{"apiVersion", "batch.volcano.sh/v1alpha1"},
          {"kind", "Job"},
          {"metadata", text::Object{{"name", fmt::format("job-{:05}", number)}, {"namespace", "default"}}},
          {"spec",
           text::Object{{"schedulerName", "volcano"}, {"queue", "default"}, {"tasks", text::Array{std::move(task)}}}}};
}

server::ApiServerOptions options_of() {
  server::ApiServerOptions options{.clock = wall_clock, .seed = 1};
  options.admission.volcano = std::make_shared<const admission::Options>();
  return options;
}

// Everything of `basalt up` but the network.
class House {
 public:
  explicit House(std::unique_ptr<store::Store> store)
      : store_(std::move(store)),
        api_(*store_, options_of()),
        client_(api_, {.name = "bench", .uid = "", .groups = {"system:masters"}}, "vc-controller-manager") {}

  Result<void> open() {
    if (auto begun = server::bootstrap(client_, {.queues = true}); !begun) return begun;
    upkeep_ = std::make_unique<cluster::Upkeep>(client_, cluster::UpkeepOptions{.clock = wall_clock});
    upkeep_->start();
    auto made = controllers::Controllers::make(client_, {}, controllers::real_outside(), {.clock = wall_clock});
    if (!made) return std::unexpected(made.error());
    controllers_ = std::move(*made);
    controllers_->start();
    doorman_ = std::make_unique<Doorman>(client_);
    return {};
  }
  void close() {
    doorman_->stop();
    controllers_->stop();
    upkeep_->stop();
  }
  // False: a job was refused.
  bool submit(const Options& options) {
    std::counting_semaphore<> room(kJobsUnderWay);
    std::atomic<size_t> refused = 0;
    for (size_t i = 0; i < options.jobs; ++i) {
      room.acquire();
      client_.send(reconcile::create(kJobs, make_job(i, options.replicas)), [&](const client::Outcome& outcome) {
        if (!outcome && refused++ == 0) fmt::print(stderr, "basalt bench: {}\n", outcome.error().message);
        room.release();
      });
    }
    for (ptrdiff_t i = 0; i < kJobsUnderWay; ++i) room.acquire();
    return refused == 0;
  }
  bool wait_for(const Options& options, Clock::time_point end) const {
    while (store_->count("pods") < options.jobs * options.replicas ||
           store_->count("podgroups.scheduling.volcano.sh") < options.jobs) {
      if (Clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  [[nodiscard]] reconcile::LoopFigures figures() const { return controllers_->figures(); }

 private:
  std::unique_ptr<store::Store> store_;
  server::ApiServer api_;
  server::InProcessClient client_;
  std::unique_ptr<cluster::Upkeep> upkeep_;
  std::unique_ptr<controllers::Controllers> controllers_;
  std::unique_ptr<Doorman> doorman_;
};

int measure(const Options& options, const fs::path& directory) {
  auto opened = store::Store::open(directory / "bench.db");
  if (!opened) return fmt::print(stderr, "basalt bench: {}\n", opened.error().message), 1;
  House house(std::move(*opened));
  if (auto open = house.open(); !open) return fmt::print(stderr, "basalt bench: {}\n", open.error().message), 1;
  const double cpu_before = cpu_seconds();
  const Clock::time_point start = Clock::now();
  const bool done = house.submit(options) && house.wait_for(options, start + kLongestRun);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const double cpu = cpu_seconds() - cpu_before;
  const double mib = resident_mib();
  house.close();
  if (!done) return fmt::print(stderr, "basalt bench: the jobs did not get all their pods\n"), 1;
  const auto pods = static_cast<double>(options.jobs * options.replicas);
  fmt::print("{} jobs × {} pods, all pods and PodGroups durable\n", options.jobs, options.replicas);
  fmt::print("  {:.2f} s   {:.0f} pods/s   {:.3f} ms CPU per pod (API server, store and controllers)   {:.0f} MiB\n",
             seconds, pods / seconds, cpu * 1000 / pods, mib);
  const reconcile::LoopFigures figures = house.figures();
  fmt::print("  controllers: {} plans, {} writes, {} refused\n", figures.plans, figures.writes, figures.refused);
  return 0;
}

}  // namespace

int run_bench_jobs(std::span<const std::string_view> words) {
  if (std::ranges::find(words, "--help") != words.end()) return fmt::print("{}", kBenchJobsUsage), 0;
  const std::optional<Options> options = parse(words);
  if (!options) return fmt::print(stderr, "{}", kBenchJobsUsage), 2;
  std::string name = (fs::path(options->directory.empty() ? fs::temp_directory_path() : fs::path(options->directory)) /
                      "basalt-bench-XXXXXX")
                         .string();
  if (mkdtemp(name.data()) == nullptr) {
    return fmt::print(stderr, "basalt bench: cannot make a directory like {}\n", name), 1;
  }
  const int code = measure(*options, name);
  std::error_code ignored;
  fs::remove_all(name, ignored);
  return code;
}

}  // namespace basalt::sim
