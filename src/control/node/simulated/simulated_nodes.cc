#include "control/node/simulated/simulated_nodes.h"

#include <map>
#include <set>
#include <utility>

#include "control/loop/reconciler.h"
#include "control/node/simulated/node_registry.h"
#include "control/node/simulated/simulated_pod_plan.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/pod_view.h"

namespace basalt::node {
namespace {

const loop::KindId kNodeKind(0U);  // before pods: their nodes are known when they are listed
const loop::KindId kPodKind(1U);
constexpr uint32_t kNodeItems = 0;
constexpr uint32_t kPodItems = 1;

}  // namespace

class SimulatedNodes::NodesReconciler final : public loop::Reconciler {
 public:
  NodesReconciler(client::ObjectClient& client, SimulatedNodeRegistry registry, std::optional<RunRange> run,
                  uint64_t seed, loop::LoopOptions loop)
      : registry_(std::move(registry)), run_(run), seed_(seed), loop_(client, *this, std::move(loop)) {
    loop_.follow(kNodeKind, {.group = "", .version = "v1", .plural = "nodes"}, kNever,
                 std::string(kRuntimeLabel) + "=simulated");
    loop_.follow(kPodKind, {.group = "", .version = "v1", .plural = "pods"}, kNever, "", "spec.nodeName!=");
    for (std::string& name : registry_.wanted()) wake_node(std::move(name), kNever);
  }
  ~NodesReconciler() override { loop_.stop(); }

  void learn(loop::KindId kind, const client::ObjectPtr& object, Instant now) override {
    const text::Object& root = object->get_object();
    if (kind == kPodKind) return learn_pod(root, now);
    const std::string name(api::name_of(root));
    if (api::ObjectView(root).metadata().labels()[kRuntimeLabel] != "simulated") return;
    if (registry_.learn(root, now)) wake_node(name, now);
    const auto strays = strays_.find(name);
    if (strays == strays_.end()) return;
    for (const std::string& key : strays->second) wake_pod(key, now);
    strays_.erase(strays);
  }

  void forget(loop::KindId kind, const std::string& key, Instant /*now*/) override {
    if (kind == kNodeKind) return registry_.forget(key);
    const auto at = pods_.find(key);
    if (at == pods_.end()) return;
    drop_stray(at->second.node, key);
    pods_.erase(at);
  }

  [[nodiscard]] std::vector<std::string> keys(loop::KindId kind) const override {
    if (kind == kNodeKind) return registry_.names();
    std::vector<std::string> keys;
    keys.reserve(pods_.size());
    for (const auto& [key, pod] : pods_) keys.push_back(key);
    return keys;
  }

  [[nodiscard]] loop::WritePlan plan(const loop::Item& item, Instant now) override {
    if (item.controller == kNodeItems) return registry_.plan(item.name, now);
    const auto at = pods_.find(item.name);
    if (at == pods_.end()) return {};
    SimulatedPod& pod = at->second;
    const std::string* host = registry_.address_of(pod.node);
    if (host == nullptr) {
      strays_[pod.node].insert(item.name);
      return {};
    }
    loop::WritePlan plan = plan_pod(pod, {.host_ip = *host, .seed = seed_}, now);
    if (!plan.stages.empty()) pod.exact = now;
    return plan;
  }

  void requeue_all(Instant now) override {
    for (std::string& name : registry_.wanted()) wake_node(std::move(name), now);
    for (std::string& name : registry_.names()) wake_node(std::move(name), now);
    for (const auto& [key, pod] : pods_) wake_pod(key, now);
  }

  [[nodiscard]] loop::ReconcileLoop& loop() { return loop_; }

 private:
  void wake_node(std::string name, Instant now) {
    loop_.wake({.controller = kNodeItems, .name = std::move(name)}, now);
  }
  void wake_pod(const std::string& key, Instant now) { loop_.wake({.controller = kPodItems, .name = key}, now); }

  void drop_stray(const std::string& node, const std::string& key) {
    const auto at = strays_.find(node);
    if (at == strays_.end()) return;
    at->second.erase(key);
    if (at->second.empty()) strays_.erase(at);
  }

  void learn_pod(const text::Object& root, Instant now) {
    if (api::PodView(root).spec().node_name().empty()) return;
    const std::string key = api::key_of(root);
    const auto [at, fresh] = pods_.try_emplace(key);
    SimulatedPod& known = at->second;
    if (!fresh && !api::is_later_version(api::PodView(root).metadata().resource_version(), known.version)) return;
    SimulatedPod next = read_simulated_pod(root, run_);
    if (next.uid == known.uid) next.exact = known.exact;
    if (!fresh && next.node != known.node) drop_stray(known.node, key);
    known = std::move(next);
    wake_pod(key, now);
  }

  SimulatedNodeRegistry registry_;
  std::optional<RunRange> run_;
  uint64_t seed_;
  std::map<std::string, SimulatedPod> pods_;
  std::map<std::string, std::set<std::string>> strays_;  // pods of nodes that are not ours, by node
  loop::ReconcileLoop loop_;
};

Result<std::unique_ptr<SimulatedNodes>> SimulatedNodes::make(client::ObjectClient& client,
                                                             SimulatedNodesOptions options) {
  auto registry = SimulatedNodeRegistry::make(options.groups, options.alone);
  if (!registry) return std::unexpected(std::move(registry.error()));
  std::optional<RunRange> run;
  if (options.run_seconds) {
    auto read = parse_run_range(*options.run_seconds);
    if (!read) return std::unexpected(read.error().within("run time of simulated pods"));
    run = *read;
  }
  if (options.loop.component.empty()) options.loop.component = "simulated-node";
  return std::unique_ptr<SimulatedNodes>(new SimulatedNodes(
      std::make_unique<NodesReconciler>(client, std::move(*registry), run, options.seed, std::move(options.loop))));
}

SimulatedNodes::SimulatedNodes(std::unique_ptr<NodesReconciler> reconciler) : reconciler_(std::move(reconciler)) {}
SimulatedNodes::~SimulatedNodes() = default;
void SimulatedNodes::step(Instant now) { reconciler_->loop().step(now); }
std::optional<Instant> SimulatedNodes::next_due() const { return reconciler_->loop().next_due(); }
void SimulatedNodes::start() { reconciler_->loop().start(); }
void SimulatedNodes::stop() { reconciler_->loop().stop(); }
loop::LoopCounters SimulatedNodes::counters() const { return reconciler_->loop().counters(); }

}  // namespace basalt::node
