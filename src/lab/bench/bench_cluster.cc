#include "lab/bench/bench_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "control/loop/api_writes.h"
#include "control/volcano/system_services.h"
#include "kube/api/views/node_view.h"
#include "lab/bench/bench_process.h"
#include "server/bootstrap.h"

namespace basalt::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook{10};  // between two looks

server::ApiServerOptions standalone_options_of() {
  server::ApiServerOptions options{.clock = wall_clock, .seed = 1};
  options.admission.volcano = std::make_shared<const admission::VolcanoAdmissionOptions>();
  return options;
}

bool takes_pods(const client::ObjectPtr& node) {
  const text::Array* taints = api::NodeView(node->get_object()).spec().taints().json();
  return taints == nullptr || taints->empty();
}

}  // namespace

BenchCluster::BenchCluster(std::unique_ptr<store::Store> store, BenchClusterOptions options)
    : options_(std::move(options)),
      store_(std::move(store)),
      api_(*store_, standalone_options_of()),
      client_(api_, {.name = "bench", .uid = "", .groups = {"system:masters"}}, "basalt") {}

Result<std::unique_ptr<BenchCluster>> BenchCluster::open(const BenchClusterOptions& options) {
  auto store = store::Store::open(options.file);
  if (!store) return std::unexpected(std::move(store.error()));
  std::unique_ptr<BenchCluster> cluster(new BenchCluster(std::move(*store), options));
  if (auto done = cluster->start_components(); !done) return std::unexpected(std::move(done.error()));
  return cluster;
}

Result<void> BenchCluster::start_components() {
  if (auto begun = server::bootstrap(client_, {.queues = true}); !begun) return begun;
  upkeep_ = std::make_unique<kubernetes::KubeControllerManager>(
      client_, kubernetes::KubeControllerManagerOptions{.clock = wall_clock, .periods = options_.periods});
  auto controllers =
      volcano::VolcanoControllerManager::make(client_, {}, volcano::make_system_services(), {.clock = wall_clock});
  if (!controllers) return std::unexpected(std::move(controllers.error()));
  controllers_ = std::move(*controllers);
  scheduler::SchedulerOptions plan;
  plan.clock = wall_clock;
  plan.self_check = options_.self_check;
  plan.log = [](Severity severity, const std::string& line) {
    if (severity != Severity::Info) fmt::print(stderr, "scheduler: {}\n", line);
  };
  auto planner = scheduler::Scheduler::make(client_, std::move(plan));
  if (!planner) return std::unexpected(std::move(planner.error()));
  scheduler_ = std::move(*planner);
  node::SimulatedNodesOptions fleet{.groups = {{.count = options_.nodes}}, .run_seconds = options_.run_seconds};
  fleet.loop.clock = wall_clock;
  auto nodes = node::SimulatedNodes::make(client_, std::move(fleet));
  if (!nodes) return std::unexpected(std::move(nodes.error()));
  nodes_ = std::move(*nodes);
  upkeep_->start();
  controllers_->start();
  nodes_->start();
  scheduler_->start();
  return {};
}

bool BenchCluster::wait_for_nodes(std::chrono::seconds longest) {
  const Clock::time_point end = Clock::now() + longest;
  while (Clock::now() < end) {
    if (store_->count("nodes") >= static_cast<size_t>(options_.nodes)) {
      const client::ReplyOrError nodes =
          client_.call({.verb = api::Verb::List, .resource = {.group = "", .version = "v1", .plural = "nodes"}});
      if (nodes && std::ranges::all_of(nodes->items, takes_pods)) return true;
    }
    std::this_thread::sleep_for(kLook);
  }
  return false;
}

void BenchCluster::close() {
  if (scheduler_ != nullptr) scheduler_->stop();
  if (nodes_ != nullptr) nodes_->stop();
  if (controllers_ != nullptr) controllers_->stop();
  if (upkeep_ != nullptr) upkeep_->stop();
}

text::Object bench_job(size_t number, size_t replicas, std::optional<int64_t> ttl) {
  text::Object container{{"name", "main"},
                         {"image", "busybox:1.36"},
                         {"command", text::Array{"sh", "-c", "sleep 60"}},
                         {"resources", text::Object{{"requests", text::Object{{"cpu", "1"}, {"memory", "1Gi"}}}}}};
  text::Object pod{{"restartPolicy", "Never"}, {"containers", text::Array{std::move(container)}}};
  text::Object task{{"name", "worker"},
                    {"replicas", static_cast<int64_t>(replicas)},
                    {"template", text::Object{{"spec", std::move(pod)}}}};
  text::Object spec{{"schedulerName", "volcano"},
                    {"queue", "default"},
                    {"minAvailable", static_cast<int64_t>(replicas)},
                    {"tasks", text::Array{std::move(task)}}};
  if (ttl) spec["ttlSecondsAfterFinished"] = *ttl;
  return {{"apiVersion", "batch.volcano.sh/v1alpha1"},
          {"kind", "Job"},
          {"metadata", text::Object{{"name", fmt::format("job-{:05}", number)}, {"namespace", "default"}}},
          {"spec", std::move(spec)}};
}

api::Call create_job(text::Object job) {
  return loop::create({.group = "batch.volcano.sh", .version = "v1alpha1", .plural = "jobs"}, std::move(job));
}

}  // namespace basalt::lab
