#include "programs/up/crew.h"

#include <utility>

#include "control/volcano/outside.h"
#include "kube/client/wall_clock.h"
#include "programs/up/components.h"

namespace basalt::up {
namespace {

using client::wall_clock;

}  // namespace

const std::vector<std::string>& our_schedulers() {
  static const std::vector<std::string> kNames = {"volcano", "default-scheduler"};
  return kNames;
}

Result<std::unique_ptr<Crew>> Crew::start(server::ApiServer& api, CrewOptions options, const NodePlaces& places) {
  std::unique_ptr<Crew> crew(new Crew(api, std::move(options)));
  if (auto started = crew->start_all(places); !started) return std::unexpected(started.error());
  return crew;
}

Crew::Crew(server::ApiServer& api, CrewOptions options) : api_(api), options_(std::move(options)) {}
Crew::~Crew() { stop({}); }

std::unique_ptr<server::InProcessClient> Crew::client(std::string name) const {
  api::User insider{.name = "system:basalt", .uid = "", .groups = {"system:masters"}};
  return std::make_unique<server::InProcessClient>(api_, std::move(insider), std::move(name));
}

Result<void> Crew::start_all(const NodePlaces& places) {
  upkeep_client_ = client("basalt");
  kubernetes::UpkeepOptions upkeep{.clock = wall_clock, .periods = {}, .api_server_only = options_.api_only};
  upkeep.periods.terminated_pods = options_.terminated_pods;
  if (!options_.api_only) upkeep.components = component_apps(options_.scheduler);
  upkeep_ = std::make_unique<kubernetes::Upkeep>(*upkeep_client_, std::move(upkeep));
  upkeep_->start();
  if (options_.api_only || !options_.local_node) {
    if (auto ended = end_former_pods(places); !ended) return ended;
  }
  if (options_.api_only) return {};
  if (auto done = start_controllers(); !done) return done;
  if (options_.scheduler) {
    if (auto done = start_scheduler(); !done) return done;
  }
  if (!options_.simulated.empty()) {
    if (auto done = start_simulated_nodes(); !done) return done;
  }
  if (options_.local_node) return start_local_node(places);
  return {};
}

Result<void> Crew::start_controllers() {
  controller_client_ = client("vc-controller-manager");
  auto prober = loop::Prober::make();
  if (!prober) return std::unexpected(prober.error());
  prober_ = std::move(*prober);
  volcano::Options options;
  if (options_.scheduler) options.schedulers = our_schedulers();
  auto made = volcano::Controllers::make(
      *controller_client_, std::move(options), volcano::real_outside(),
      {.clock = wall_clock, .component = {}, .prober = [this](const loop::Probe& probe, auto done) {
         prober_->ask(probe, std::move(done));
       }});
  if (!made) return std::unexpected(made.error());
  controllers_ = std::move(*made);
  controllers_->start();
  return {};
}

Result<void> Crew::start_scheduler() {
  scheduler_client_ = client("vc-scheduler");
  scheduler::SchedulerOptions options;
  options.clock = wall_clock;
  options.feed.scheduler_names = our_schedulers();
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

Result<void> Crew::start_simulated_nodes() {
  if (node_client_ == nullptr) node_client_ = client("kubelet");
  auto made = node::SimulatedNodes::make(*node_client_, {.groups = options_.simulated,
                                                         .run_seconds = options_.run_seconds,
                                                         .loop = {.clock = wall_clock, .component = "kubelet"}});
  if (!made) return std::unexpected(made.error());
  simulated_ = std::move(*made);
  simulated_->start();
  return {};
}

Result<void> Crew::start_local_node(const NodePlaces& places) {
  if (node_client_ == nullptr) node_client_ = client("kubelet");
  node::LocalOptions options{.clock = wall_clock,
                             .name = options_.node_name,
                             .directory = places.pods,
                             .hidden = places.hidden,
                             .logs = places.logs,
                             .images_file = options_.images_file,
                             .pod_network = options_.pod_network,
                             .keep_pods = options_.keep_pods,
                             .log = options_.log};
  if (options_.gpus) options.capacity.insert_or_assign("nvidia.com/gpu", text::Quantity::from_units(*options_.gpus));
  auto made = node::LocalNode::make(*node_client_, std::move(options));
  if (!made) return std::unexpected(made.error());
  local_ = std::move(*made);
  local_->start();
  return {};
}

Result<void> Crew::end_former_pods(const NodePlaces& places) const {
  const auto ended = node::LocalNode::end_kept(places.pods, {});
  return ended ? Result<void>() : std::unexpected(ended.error());
}

void Crew::stop(std::chrono::milliseconds grace) {
  if (local_ != nullptr) local_->stop(grace);
  local_.reset();
  simulated_.reset();
  if (scheduler_ != nullptr) scheduler_->stop();
  if (controllers_ != nullptr) controllers_->stop();
  if (upkeep_ != nullptr) upkeep_->stop();
}

api::ExecRunner Crew::exec() const {
  if (local_ == nullptr) return nullptr;
  return [node = local_.get()](api::ExecRequest request, api::ExecEars ears) {
    return node->exec(std::move(request), std::move(ears));
  };
}

std::string Crew::metrics_text() const { return scheduler_ == nullptr ? "" : scheduler_->metrics_text(); }

}  // namespace basalt::up
