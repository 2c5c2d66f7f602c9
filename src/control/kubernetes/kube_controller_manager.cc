#include "control/kubernetes/kube_controller_manager.h"

#include <map>
#include <utility>

#include "control/loop/reconcile_loop.h"
#include "control/loop/reconciler.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"

namespace basalt::kubernetes {
namespace {

using loop::NextStep;

std::vector<KubernetesController> chosen(const KubeControllerManagerOptions& options) {
  return options.api_server_only ? std::vector{definition_controller()} : all_controllers();
}

// Where a question about an owner goes, as one word.
std::string place_of(const api::Call& get) {
  return get.resource.group + "/" + get.resource.plural + "/" + get.namespace_name + "/" + get.name;
}

}  // namespace

class KubeControllerManager::ControllersReconciler final : public loop::Reconciler {
 public:
  ControllersReconciler(client::ObjectClient& client, KubeControllerManagerOptions options)
      : options_(std::move(options)),
        cache_(kinds_),
        quota_usage_(kinds_, cache_),
        controllers_(chosen(options_)),
        loop_(client, *this, {.clock = options_.clock, .component = "kube-controller-manager", .prober = {}}) {
    for (const WatchedKind& kind : kinds_.all()) loop_.follow(kind.id, kind.resource);
  }
  ~ControllersReconciler() override { loop_.stop(); }

  void learn(KindId id, const client::ObjectPtr& object, Instant now) override {
    const std::string key = api::key_of(object->get_object());
    const ObjectRecord* old = cache_.find(id, key);
    ObjectRecord next = record_of(kinds_.at(id), object, old, now, pools_);
    if (old != nullptr && !api::is_later_version(next.version, old->version)) return;
    const std::optional<ObjectRecord> before = cache_.put(std::move(next), now);
    note(id, before ? &*before : nullptr, cache_.find(id, key), now);
  }

  void forget(KindId id, const std::string& key, Instant now) override {
    const std::optional<ObjectRecord> before = cache_.remove({.kind = id, .key = key}, now);
    if (before) note(id, &*before, nullptr, now);
  }

  [[nodiscard]] std::vector<std::string> keys(KindId id) const override {
    std::vector<std::string> keys;
    cache_.each(id, [&](const ObjectRecord& record) { keys.push_back(record.key()); });
    return keys;
  }

  [[nodiscard]] loop::WritePlan plan(const loop::Item& item, Instant now) override {
    ControllerPlan made = controllers_[item.controller].plan(context(), item.name, now);
    loop::WritePlan plan{.stages = {}, .asks = {}, .notes = std::move(made.notes), .again = made.again};
    if (!made.writes.empty()) plan.stages.push_back(std::move(made.writes));
    for (OwnerLookup& lookup : made.owner_lookups) {
      plan.asks.emplace_back(lookup.get);
      owner_lookups_.emplace(place_of(lookup.get), std::move(lookup));
    }
    return plan;
  }

  [[nodiscard]] NextStep answered(const loop::Item& /*item*/, const loop::Ask& ask, const loop::CallResult& answer,
                                  Instant /*now*/) override {
    const auto [first, last] = owner_lookups_.equal_range(place_of(std::get<api::Call>(ask)));
    bool all_absent = true;
    for (auto at = first; at != last; ++at) all_absent = settle(at->second, answer.outcome) && all_absent;
    owner_lookups_.erase(first, last);
    // There, or it cannot be told: look again when the watch caught up.
    return all_absent ? NextStep::PlanAgain : NextStep::Retry;
  }

  void requeue_all(Instant now) override {
    for (const WatchedKind& kind : kinds_.all()) {
      cache_.each(kind.id,
                  [&](const ObjectRecord& record) { wake({.kind = kind, .before = nullptr, .now = &record}, now); });
    }
  }

  [[nodiscard]] loop::ReconcileLoop& loop() { return loop_; }

 private:
  [[nodiscard]] KubernetesContext context() const {
    return {.kinds = kinds_,
            .cache = cache_,
            .quota_usage = quota_usage_,
            .periods = options_.periods,
            .synced = loop_.synced(),
            .components = options_.components};
  }

  void note(KindId id, const ObjectRecord* before, const ObjectRecord* after, Instant now) {
    quota_usage_.note(before, after);
    const WatchedKind& kind = kinds_.at(id);
    wake({.kind = kind, .before = before, .now = after}, now);
    if (kind.kind == "CustomResourceDefinition" && kind.resource.group == "apiextensions.k8s.io") {
      redefine(before, after, now);
    }
  }

  void wake(const RecordChange& change, Instant now) {
    for (size_t i = 0; i < controllers_.size(); ++i) {
      items_.clear();
      controllers_[i].wake(context(), change, items_);
      for (std::string& item : items_) {
        loop_.wake({.controller = static_cast<uint32_t>(i), .name = std::move(item)}, now);
      }
    }
  }

  void redefine(const ObjectRecord* before, const ObjectRecord* after, Instant now) {
    if (after != nullptr && WatchedKinds::is_served(after->object())) {
      const WatchedKind* kind = kinds_.define(after->object());
      if (kind != nullptr) loop_.follow(kind->id, kind->resource, now);
      return;
    }
    const WatchedKind* kind = kinds_.forget((after != nullptr ? after : before)->object());
    if (kind == nullptr) return;
    loop_.leave(kind->id);
    for (const std::string& key : keys(kind->id)) forget(kind->id, key, now);  // what nobody can reach any more
  }

  // True: the owner that was doubted is not there.
  bool settle(const OwnerLookup& lookup, const client::ReplyOrError& outcome) {
    const bool absent = outcome ? outcome->object == nullptr || !outcome->object->is_object() ||
                                      api::ObjectView(outcome->object->get_object()).metadata().uid() != lookup.uid
                                : outcome.error().code == 404;
    if (absent) cache_.note_absent(lookup.uid, lookup.namespace_name);
    return absent;
  }

  KubeControllerManagerOptions options_;
  WatchedKinds kinds_;
  RecordPools pools_;
  ObjectCache cache_;
  QuotaUsageIndex quota_usage_;
  std::vector<KubernetesController> controllers_;
  std::vector<std::string> items_;                         // of one wake; kept to spare its allocation
  std::multimap<std::string, OwnerLookup> owner_lookups_;  // that are being asked about, by place
  loop::ReconcileLoop loop_;
};

KubeControllerManager::KubeControllerManager(client::ObjectClient& client, KubeControllerManagerOptions options)
    : reconciler_(std::make_unique<ControllersReconciler>(client, std::move(options))) {}
KubeControllerManager::~KubeControllerManager() = default;
void KubeControllerManager::step(Instant now) { reconciler_->loop().step(now); }
std::optional<Instant> KubeControllerManager::next_due() const { return reconciler_->loop().next_due(); }
void KubeControllerManager::start() { reconciler_->loop().start(); }
void KubeControllerManager::stop() { reconciler_->loop().stop(); }
loop::LoopCounters KubeControllerManager::counters() const { return reconciler_->loop().counters(); }

}  // namespace basalt::kubernetes
