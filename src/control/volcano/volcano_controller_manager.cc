#include "control/volcano/volcano_controller_manager.h"

#include <utility>

#include "control/volcano/controller_registry.h"
#include "control/volcano/malformed_objects.h"
#include "control/volcano/volcano_metrics.h"

namespace basalt::volcano {
namespace {

constexpr size_t kMaxGoodProbes = 10'000;

}  // namespace

class VolcanoControllerManager::ControllersReconciler final : public loop::Reconciler {
 public:
  ControllersReconciler(client::ObjectClient& client, std::vector<VolcanoController> controllers,
                        VolcanoControllerOptions options, SystemServices system_services, loop::LoopOptions loop)
      : controllers_(std::move(controllers)),
        options_(std::move(options)),
        system_services_(std::move(system_services)),
        observed_(options_.schedulers),
        loop_(client, *this, std::move(loop)) {
    for (const VolcanoKindRow& row : kind_rows()) {
      const bool one_only = row.kind == VolcanoKind::ConfigMap;
      loop_.follow(id_of(row.kind), resource_of(row.kind), kNever, "", one_only ? our_config_map() : "");
    }
  }
  ~ControllersReconciler() override { loop_.stop(); }

  void learn(loop::KindId kind, const client::ObjectPtr& object, Instant now) override {
    if (malformed_.refuses(kind_of(kind), object->get_object())) {
      loop_.wake({.controller = static_cast<uint32_t>(controllers_.size()), .name = "malformed"}, now);
      return;
    }
    observed_.learn(kind_of(kind), object, [&](const ObjectChange& change) { note(change, now); });
  }
  void forget(loop::KindId kind, const std::string& key, Instant now) override {
    malformed_.forget(kind_of(kind), key);
    observed_.forget(kind_of(kind), key, now, [&](const ObjectChange& change) { note(change, now); });
  }
  [[nodiscard]] std::vector<std::string> keys(loop::KindId kind) const override {
    return observed_.keys(kind_of(kind));
  }
  [[nodiscard]] WritePlan plan(const loop::Item& item, Instant now) override {
    if (item.controller == controllers_.size()) return {.notes = malformed_.take_notes()};
    const WriteRefusals::ItemKey key(item.controller, item.name);
    VolcanoContext known = context();
    known.refusal = refusals_.find(key);
    WritePlan plan = controllers_[item.controller].plan(known, item.name, now);
    if (known.refusal != nullptr) refusals_.drop(key);
    return plan;
  }
  [[nodiscard]] loop::NextStep answered(const loop::Item& /*item*/, const loop::Ask& ask,
                                        const loop::CallResult& answer, Instant now) override {
    const auto* probe = std::get_if<loop::Probe>(&ask);
    if (probe == nullptr) return loop::NextStep::Done;
    if (!answer.good) return probes_.erase(*probe), loop::NextStep::Done;  // the plan said when to ask again
    if (probes_.size() >= kMaxGoodProbes) probes_.clear();                 // they are only made again
    probes_[*probe] = now;
    return loop::NextStep::PlanAgain;
  }
  void refused(const loop::Item& item, const api::Call& call, const api::ApiError& error,
               std::vector<EventNote>& notes) override {
    if (item.controller == controllers_.size()) return;  // the notes about what is malformed have no writes
    const VolcanoController& controller = controllers_[item.controller];
    if (controller.refused != nullptr) controller.refused(context(), item.name, call, error, notes);
    if (controller.heeds_refusal != nullptr && controller.heeds_refusal(call, error)) {
      refusals_.note({item.controller, item.name}, call, error);
    }
  }
  void requeue_all(Instant now) override {
    for (const VolcanoKindRow& row : kind_rows()) {
      for (const auto& [key, object] : observed_.all(row.kind)) {
        wake({.kind = row.kind, .key = key, .now = &object->get_object()}, now);
      }
    }
    for (const auto& [key, pod] : observed_.ungrouped()) {
      wake({.kind = VolcanoKind::Pod, .key = key, .now = &pod->get_object()}, now);
    }
  }

  [[nodiscard]] loop::ReconcileLoop& loop() { return loop_; }
  [[nodiscard]] const loop::ReconcileLoop& loop() const { return loop_; }
  [[nodiscard]] const ControllerCache& observed() const { return observed_; }
  [[nodiscard]] const VolcanoMetrics& metrics() const { return metrics_; }

 private:
  // As a field selector.
  [[nodiscard]] std::string our_config_map() const {
    return "metadata.namespace=" + options_.home_namespace + ",metadata.name=" + options_.topology_config;
  }
  [[nodiscard]] VolcanoContext context() const {
    return {.seen = observed_, .probes = probes_, .options = options_, .system_services = system_services_};
  }

  void note(const ObjectChange& change, Instant now) {
    metrics_.note(observed_, change, now);
    wake(change, now);
  }

  void wake(const ObjectChange& change, Instant now) {
    for (size_t i = 0; i < controllers_.size(); ++i) {
      items_.clear();
      controllers_[i].wake(context(), change, items_);
      for (std::string& item : items_) {
        loop_.wake({.controller = static_cast<uint32_t>(i), .name = std::move(item)}, now);
      }
    }
  }

  std::vector<VolcanoController> controllers_;
  VolcanoControllerOptions options_;
  SystemServices system_services_;
  ControllerCache observed_;
  MalformedObjects malformed_;
  GoodProbes probes_;
  WriteRefusals refusals_;
  VolcanoMetrics metrics_;
  std::vector<std::string> items_;  // of one wake; kept to spare its allocation
  loop::ReconcileLoop loop_;
};

Result<std::unique_ptr<VolcanoControllerManager>> VolcanoControllerManager::make(client::ObjectClient& client,
                                                                                 VolcanoControllerOptions options,
                                                                                 SystemServices system_services,
                                                                                 loop::LoopOptions loop) {
  auto chosen = choose_controllers(options.controllers);
  if (!chosen) return std::unexpected(std::move(chosen.error()));
  if (loop.component.empty()) loop.component = "vc-controller-manager";
  return std::unique_ptr<VolcanoControllerManager>(new VolcanoControllerManager(std::make_unique<ControllersReconciler>(
      client, std::move(*chosen), std::move(options), std::move(system_services), std::move(loop))));
}

VolcanoControllerManager::VolcanoControllerManager(std::unique_ptr<ControllersReconciler> reconciler)
    : reconciler_(std::move(reconciler)) {}
VolcanoControllerManager::~VolcanoControllerManager() = default;
void VolcanoControllerManager::step(Instant now) { reconciler_->loop().step(now); }
std::optional<Instant> VolcanoControllerManager::next_due() const { return reconciler_->loop().next_due(); }
void VolcanoControllerManager::start() { reconciler_->loop().start(); }
void VolcanoControllerManager::stop() { reconciler_->loop().stop(); }
loop::LoopCounters VolcanoControllerManager::counters() const { return reconciler_->loop().counters(); }
const loop::LoopHealth& VolcanoControllerManager::health() const { return std::as_const(*reconciler_).loop().health(); }
std::string VolcanoControllerManager::metrics_text() const { return reconciler_->metrics().text(); }
const ControllerCache& VolcanoControllerManager::observed() const { return reconciler_->observed(); }

}  // namespace basalt::volcano
