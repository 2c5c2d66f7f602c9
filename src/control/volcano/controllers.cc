#include "control/volcano/controllers.h"

#include <utility>

#include "control/volcano/malformed.h"
#include "control/volcano/metrics.h"
#include "control/volcano/registry.h"

namespace basalt::volcano {
namespace {

constexpr size_t kMaxGoodProbes = 10'000;

}  // namespace

class Controllers::Crew final : public loop::Mind {
 public:
  Crew(client::ObjectClient& client, std::vector<Controller> controllers, Options options, Outside outside,
       loop::LoopOptions loop)
      : controllers_(std::move(controllers)),
        options_(std::move(options)),
        outside_(std::move(outside)),
        observed_(options_.schedulers),
        loop_(client, *this, std::move(loop)) {
    for (const KindRow& row : kind_rows()) {
      const bool one_only = row.kind == Kind::ConfigMap;
      loop_.follow(id_of(row.kind), resource_of(row.kind), kNever, "", one_only ? our_config_map() : "");
    }
  }
  ~Crew() override { loop_.stop(); }

  void learn(loop::KindId kind, const client::ObjectPtr& object, Instant now) override {
    if (malformed_.refuses(kind_of(kind), object->get_object())) {
      loop_.wake({.controller = static_cast<uint32_t>(controllers_.size()), .name = "malformed"}, now);
      return;
    }
    observed_.learn(kind_of(kind), object, [&](const Change& change) { note(change, now); });
  }
  void forget(loop::KindId kind, const std::string& key, Instant now) override {
    malformed_.forget(kind_of(kind), key);
    observed_.forget(kind_of(kind), key, now, [&](const Change& change) { note(change, now); });
  }
  [[nodiscard]] std::vector<std::string> keys(loop::KindId kind) const override {
    return observed_.keys(kind_of(kind));
  }
  [[nodiscard]] Plan plan(const loop::Item& item, Instant now) override {
    if (item.controller == controllers_.size()) return {.notes = malformed_.take_notes()};
    return controllers_[item.controller].plan(world(), item.name, now);
  }
  [[nodiscard]] loop::Follow answered(const loop::Item& /*item*/, const loop::Ask& ask, const loop::Answer& answer,
                                      Instant now) override {
    const auto* probe = std::get_if<loop::Probe>(&ask);
    if (probe == nullptr) return loop::Follow::Done;
    if (!answer.good) return probes_.erase(*probe), loop::Follow::Done;  // the plan said when to ask again
    if (probes_.size() >= kMaxGoodProbes) probes_.clear();               // they are only made again
    probes_[*probe] = now;
    return loop::Follow::PlanAgain;
  }
  void refused(const loop::Item& item, const api::Call& call, const api::ApiError& error,
               std::vector<Note>& notes) override {
    if (item.controller == controllers_.size()) return;  // the notes about what is malformed have no writes
    const Controller& controller = controllers_[item.controller];
    if (controller.refused != nullptr) controller.refused(world(), item.name, call, error, notes);
  }
  void look_at_everything(Instant now) override {
    for (const KindRow& row : kind_rows()) {
      for (const auto& [key, object] : observed_.all(row.kind)) {
        wake({.kind = row.kind, .key = key, .now = &object->get_object()}, now);
      }
    }
    for (const auto& [key, pod] : observed_.ungrouped()) {
      wake({.kind = Kind::Pod, .key = key, .now = &pod->get_object()}, now);
    }
  }

  [[nodiscard]] loop::Loop& loop() { return loop_; }
  [[nodiscard]] const loop::Loop& loop() const { return loop_; }
  [[nodiscard]] const Observed& observed() const { return observed_; }
  [[nodiscard]] const Metrics& metrics() const { return metrics_; }

 private:
  // As a field selector.
  [[nodiscard]] std::string our_config_map() const {
    return "metadata.namespace=" + options_.home_namespace + ",metadata.name=" + options_.topology_config;
  }
  [[nodiscard]] World world() const {
    return {.seen = observed_, .probes = probes_, .options = options_, .outside = outside_};
  }

  void note(const Change& change, Instant now) {
    metrics_.note(observed_, change, now);
    wake(change, now);
  }

  void wake(const Change& change, Instant now) {
    for (size_t i = 0; i < controllers_.size(); ++i) {
      items_.clear();
      controllers_[i].wake(world(), change, items_);
      for (std::string& item : items_) {
        loop_.wake({.controller = static_cast<uint32_t>(i), .name = std::move(item)}, now);
      }
    }
  }

  std::vector<Controller> controllers_;
  Options options_;
  Outside outside_;
  Observed observed_;
  Malformed malformed_;
  GoodProbes probes_;
  Metrics metrics_;
  std::vector<std::string> items_;  // of one wake; kept to spare its allocation
  loop::Loop loop_;
};

Result<std::unique_ptr<Controllers>> Controllers::make(client::ObjectClient& client, Options options, Outside outside,
                                                       loop::LoopOptions loop) {
  auto chosen = choose_controllers(options.controllers);
  if (!chosen) return std::unexpected(std::move(chosen.error()));
  if (loop.component.empty()) loop.component = "vc-controller-manager";
  return std::unique_ptr<Controllers>(new Controllers(
      std::make_unique<Crew>(client, std::move(*chosen), std::move(options), std::move(outside), std::move(loop))));
}

Controllers::Controllers(std::unique_ptr<Crew> crew) : crew_(std::move(crew)) {}
Controllers::~Controllers() = default;
void Controllers::step(Instant now) { crew_->loop().step(now); }
std::optional<Instant> Controllers::next_due() const { return crew_->loop().next_due(); }
void Controllers::start() { crew_->loop().start(); }
void Controllers::stop() { crew_->loop().stop(); }
loop::LoopFigures Controllers::figures() const { return crew_->loop().figures(); }
const loop::Pulse& Controllers::pulse() const { return std::as_const(*crew_).loop().pulse(); }
std::string Controllers::metrics_text() const { return crew_->metrics().text(); }
const Observed& Controllers::observed() const { return crew_->observed(); }

}  // namespace basalt::volcano
