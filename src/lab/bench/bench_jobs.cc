#include "lab/bench/bench_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <semaphore>
#include <thread>

#include "control/kubernetes/kube_controller_manager.h"
#include "control/loop/api_writes.h"
#include "control/loop/reconcile_loop.h"
#include "control/volcano/system_services.h"
#include "control/volcano/volcano_controller_manager.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/volcano_pod_group_view.h"
#include "lab/bench/bench_cluster.h"
#include "lab/bench/bench_process.h"
#include "server/api_server.h"
#include "server/bootstrap.h"
#include "server/in_process_client.h"
#include "server/store/store.h"

namespace basalt::lab {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kJobsLongestRun{10};
constexpr ptrdiff_t kJobsUnderWay = 64;

const api::GroupVersionResource kJobsGroups{
    .group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "podgroups"};
const loop::KindId kGroupKind(0U);

struct JobsOptions {
  size_t jobs = 1000, replicas = 50;
  std::string directory;
};

// Lets every PodGroup in, as a scheduler with room would.
class Doorman final : public loop::Reconciler {
 public:
  explicit Doorman(client::ObjectClient& client) : loop_(client, *this, {.clock = wall_clock, .component = "doorman"}) {
    loop_.follow(kGroupKind, kJobsGroups);
    loop_.start();
  }
  void learn(loop::KindId /*kind*/, const client::ObjectPtr& object, Instant now) override {
    if (!api::PodGroupView(*object).status().phase().empty()) return;
    waiting_[api::key_of(object->get_object())] = object;
    loop_.wake({.controller = 0, .name = api::key_of(object->get_object())}, now);
  }
  void forget(loop::KindId /*kind*/, const std::string& key, Instant /*now*/) override { waiting_.erase(key); }
  [[nodiscard]] std::vector<std::string> keys(loop::KindId /*kind*/) const override { return {}; }
  [[nodiscard]] loop::WritePlan plan(const loop::Item& item, Instant /*now*/) override {
    loop::WritePlan plan;
    const auto at = waiting_.find(item.name);
    if (at == waiting_.end()) return plan;
    plan.write(loop::patch(loop::target_of(kJobsGroups, at->second->get_object()),
                           {{"status", text::Object{{"phase", "Inqueue"}}}}));
    waiting_.erase(at);
    return plan;
  }
  void requeue_all(Instant /*now*/) override {}
  void stop() { loop_.stop(); }

 private:
  std::map<std::string, client::ObjectPtr> waiting_;
  loop::ReconcileLoop loop_;
};

server::ApiServerOptions jobs_cluster_options() {
  server::ApiServerOptions options{.clock = wall_clock, .seed = 1};
  options.admission.volcano = std::make_shared<const admission::VolcanoAdmissionOptions>();
  return options;
}

// Everything of `basalt up` but the network.
class JobsBenchCluster {
 public:
  explicit JobsBenchCluster(std::unique_ptr<store::Store> store)
      : store_(std::move(store)),
        api_(*store_, jobs_cluster_options()),
        client_(api_, {.name = "bench", .uid = "", .groups = {"system:masters"}}, "vc-controller-manager") {}

  Result<void> open() {
    if (auto begun = server::bootstrap(client_, {.queues = true}); !begun) return begun;
    upkeep_ = std::make_unique<kubernetes::KubeControllerManager>(
        client_, kubernetes::KubeControllerManagerOptions{.clock = wall_clock});
    upkeep_->start();
    auto made =
        volcano::VolcanoControllerManager::make(client_, {}, volcano::make_system_services(), {.clock = wall_clock});
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
  bool submit(const JobsOptions& options) {
    std::counting_semaphore<> room(kJobsUnderWay);
    std::atomic<size_t> refused = 0;
    for (size_t i = 0; i < options.jobs; ++i) {
      room.acquire();
      client_.send(create_job(bench_job(i, options.replicas)), [&](const client::ReplyOrError& outcome) {
        if (!outcome && refused++ == 0) fmt::print(stderr, "basalt bench: {}\n", outcome.error().message);
        room.release();
      });
    }
    for (ptrdiff_t i = 0; i < kJobsUnderWay; ++i) room.acquire();
    return refused == 0;
  }
  bool wait_for(const JobsOptions& options, Clock::time_point end) const {
    while (store_->count("pods") < options.jobs * options.replicas ||
           store_->count("podgroups.scheduling.volcano.sh") < options.jobs) {
      if (Clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  [[nodiscard]] loop::LoopCounters counters() const { return controllers_->counters(); }

 private:
  std::unique_ptr<store::Store> store_;
  server::ApiServer api_;
  server::InProcessClient client_;
  std::unique_ptr<kubernetes::KubeControllerManager> upkeep_;
  std::unique_ptr<volcano::VolcanoControllerManager> controllers_;
  std::unique_ptr<Doorman> doorman_;
};

int measure_jobs(const JobsOptions& options, const fs::path& directory) {
  auto opened = store::Store::open(directory / "bench.db");
  if (!opened) return fmt::print(stderr, "basalt bench: {}\n", opened.error().message), 1;
  JobsBenchCluster cluster(std::move(*opened));
  if (auto open = cluster.open(); !open) return fmt::print(stderr, "basalt bench: {}\n", open.error().message), 1;
  const double cpu_before = cpu_seconds();
  const Clock::time_point start = Clock::now();
  const bool done = cluster.submit(options) && cluster.wait_for(options, start + kJobsLongestRun);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const double cpu = cpu_seconds() - cpu_before;
  const double mib = resident_mib();
  cluster.close();
  if (!done) return fmt::print(stderr, "basalt bench: the jobs did not get all their pods\n"), 1;
  const auto pods = static_cast<double>(options.jobs * options.replicas);
  fmt::print("{} jobs × {} pods, all pods and PodGroups durable\n", options.jobs, options.replicas);
  fmt::print("  {:.2f} s   {:.0f} pods/s   {:.3f} ms CPU per pod (API server, store and controllers)   {:.0f} MiB\n",
             seconds, pods / seconds, cpu * 1000 / pods, mib);
  const loop::LoopCounters counters = cluster.counters();
  fmt::print("  controllers: {} plans, {} writes, {} refused\n", counters.plans, counters.writes, counters.refused);
  return 0;
}

}  // namespace

int run_bench_jobs(std::span<const std::string_view> words) {
  if (std::ranges::find(words, "--help") != words.end()) return fmt::print("{}", kBenchJobsUsage), 0;
  JobsOptions options;
  const BenchOption known[] = {
      {"--jobs", &options.jobs}, {"--replicas", &options.replicas}, {"--directory", &options.directory}};
  if (!read_bench_words(words, known)) return fmt::print(stderr, "{}", kBenchJobsUsage), 2;
  return in_bench_directory(options.directory,
                            [&](const fs::path& directory) { return measure_jobs(options, directory); });
}

}  // namespace basalt::lab
