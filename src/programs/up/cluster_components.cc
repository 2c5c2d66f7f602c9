#include "programs/up/cluster_components.h"

#include <utility>

#include "control/volcano/system_services.h"
#include "kube/client/wall_clock.h"
#include "programs/up/component_pods.h"

namespace basalt::up {
namespace {

using client::wall_clock;

}  // namespace

const std::vector<std::string>& our_schedulers() {
  static const std::vector<std::string> kNames = {"volcano", "default-scheduler"};
  return kNames;
}

Result<std::unique_ptr<ClusterComponents>> ClusterComponents::start(server::ApiServer& api,
                                                                    ClusterComponentOptions options,
                                                                    const NodeDirectories& directories) {
  std::unique_ptr<ClusterComponents> components(new ClusterComponents(api, std::move(options)));
  if (auto started = components->start_all(directories); !started) return std::unexpected(started.error());
  return components;
}

ClusterComponents::ClusterComponents(server::ApiServer& api, ClusterComponentOptions options)
    : api_(api), options_(std::move(options)) {}
ClusterComponents::~ClusterComponents() { stop({}); }

std::unique_ptr<server::InProcessClient> ClusterComponents::client(std::string name) const {
  api::UserInfo insider{.name = "system:basalt", .uid = "", .groups = {"system:masters"}};
  return std::make_unique<server::InProcessClient>(api_, std::move(insider), std::move(name));
}

Result<void> ClusterComponents::start_all(const NodeDirectories& directories) {
  upkeep_client_ = client("basalt");
  kubernetes::KubeControllerManagerOptions upkeep{
      .clock = wall_clock, .periods = {}, .api_server_only = options_.api_only};
  upkeep.periods.terminated_pods = options_.terminated_pods;
  if (!options_.api_only) upkeep.components = component_apps(options_.scheduler);
  upkeep_ = std::make_unique<kubernetes::KubeControllerManager>(*upkeep_client_, std::move(upkeep));
  upkeep_->start();
  if (options_.api_only || !options_.local_node) {
    if (auto ended = end_leftover_pods(directories); !ended) return ended;
  }
  if (options_.api_only) return {};
  if (auto done = start_controllers(); !done) return done;
  if (options_.scheduler) {
    if (auto done = start_scheduler(); !done) return done;
  }
  if (!options_.simulated.empty()) {
    if (auto done = start_simulated_nodes(); !done) return done;
  }
  if (options_.local_node) return start_local_node(directories);
  return {};
}

Result<void> ClusterComponents::start_controllers() {
  controller_client_ = client("vc-controller-manager");
  auto prober = loop::Prober::make();
  if (!prober) return std::unexpected(prober.error());
  prober_ = std::move(*prober);
  volcano::VolcanoControllerOptions options;
  if (options_.scheduler) options.schedulers = our_schedulers();
  auto made = volcano::VolcanoControllerManager::make(
      *controller_client_, std::move(options), volcano::make_system_services(),
      {.clock = wall_clock, .component = {}, .prober = [this](const loop::Probe& probe, auto done) {
         prober_->ask(probe, std::move(done));
       }});
  if (!made) return std::unexpected(made.error());
  controllers_ = std::move(*made);
  controllers_->start();
  return {};
}

Result<void> ClusterComponents::start_scheduler() {
  scheduler_client_ = client("vc-scheduler");
  scheduler::SchedulerOptions options;
  options.clock = wall_clock;
  options.updater.scheduler_names = our_schedulers();
  options.period = options_.schedule_period;
  options.self_check = options_.self_check;
  options.patience = scheduler::kUsualPatience;
  options.conf_file = options_.scheduler_conf;
  if (options_.refuse_unsupported_policy) options.unsupported = state::Unsupported::Refuse;
  if (options_.log) {
    options.log = [log = options_.log](Severity severity, const std::string& line) {
      log(severity != Severity::Info, "scheduler: " + line);
    };
  }
  auto made = scheduler::Scheduler::make(*scheduler_client_, std::move(options));
  if (!made) return std::unexpected(made.error());
  scheduler_ = std::move(*made);
  scheduler_->start();
  return {};
}

Result<void> ClusterComponents::start_simulated_nodes() {
  if (node_client_ == nullptr) node_client_ = client("kubelet");
  auto made = node::SimulatedNodes::make(*node_client_, {.groups = options_.simulated,
                                                         .run_seconds = options_.run_seconds,
                                                         .loop = {.clock = wall_clock, .component = "kubelet"}});
  if (!made) return std::unexpected(made.error());
  simulated_ = std::move(*made);
  simulated_->start();
  return {};
}

Result<void> ClusterComponents::start_local_node(const NodeDirectories& directories) {
  if (node_client_ == nullptr) node_client_ = client("kubelet");
  node::LocalNodeOptions options{.clock = wall_clock,
                                 .name = options_.node_name,
                                 .directory = directories.pods,
                                 .hidden = directories.hidden,
                                 .logs = directories.logs,
                                 .images_file = options_.images_file,
                                 .pod_network = options_.pod_network,
                                 .keep_pods = options_.keep_pods,
                                 .own_ports = options_.own_ports,
                                 .log = options_.log};
  if (options_.gpus) options.capacity.insert_or_assign("nvidia.com/gpu", text::Quantity::from_units(*options_.gpus));
  auto made = node::LocalNode::make(*node_client_, std::move(options));
  if (!made) return std::unexpected(made.error());
  local_ = std::move(*made);
  local_->start();
  return {};
}

Result<void> ClusterComponents::end_leftover_pods(const NodeDirectories& directories) const {
  const auto ended = node::LocalNode::end_detached(directories.pods, {});
  return ended ? Result<void>() : std::unexpected(ended.error());
}

void ClusterComponents::stop(std::chrono::milliseconds grace) {
  if (local_ != nullptr) local_->stop(grace);
  local_.reset();
  simulated_.reset();
  if (scheduler_ != nullptr) scheduler_->stop();
  if (controllers_ != nullptr) controllers_->stop();
  if (upkeep_ != nullptr) upkeep_->stop();
}

api::ExecRunner ClusterComponents::exec() const {
  if (local_ == nullptr) return nullptr;
  return [node = local_.get()](api::ExecRequest request, api::ExecCallbacks callbacks) {
    return node->exec(std::move(request), std::move(callbacks));
  };
}

std::string ClusterComponents::metrics_text() const { return scheduler_ == nullptr ? "" : scheduler_->metrics_text(); }

}  // namespace basalt::up
