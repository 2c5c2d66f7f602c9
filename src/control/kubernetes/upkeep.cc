#include "control/kubernetes/upkeep.h"

#include <map>
#include <utility>

#include "control/loop/loop.h"
#include "control/loop/mind.h"
#include "kube/api/object_fields.h"

namespace basalt::kubernetes {
namespace {

using loop::Follow;

std::vector<Controller> chosen(const UpkeepOptions& options) {
  return options.api_server_only ? std::vector{definition_controller()} : all_controllers();
}

// Where a question about an owner goes, as one word.
std::string place_of(const api::Call& get) {
  return get.resource.group + "/" + get.resource.plural + "/" + get.namespace_name + "/" + get.name;
}

}  // namespace

class Upkeep::Desk final : public loop::Mind {
 public:
  Desk(client::ObjectClient& client, UpkeepOptions options)
      : options_(std::move(options)),
        cache_(kinds_),
        ledger_(kinds_, cache_),
        controllers_(chosen(options_)),
        loop_(client, *this, {.clock = options_.clock, .component = "kube-controller-manager", .prober = {}}) {
    for (const Kind& kind : kinds_.all()) loop_.follow(kind.id, kind.resource);
  }
  ~Desk() override { loop_.stop(); }

  void learn(KindId id, const client::ObjectPtr& object, Instant now) override {
    const std::string key = api::key_of(object->get_object());
    const Facts* old = cache_.find(id, key);
    Facts next = facts_of(kinds_.at(id), object, old, now, pools_);
    if (old != nullptr && !api::is_later_version(next.version, old->version)) return;
    const std::optional<Facts> before = cache_.put(std::move(next), now);
    note(id, before ? &*before : nullptr, cache_.find(id, key), now);
  }

  void forget(KindId id, const std::string& key, Instant now) override {
    const std::optional<Facts> before = cache_.remove({.kind = id, .key = key}, now);
    if (before) note(id, &*before, nullptr, now);
  }

  [[nodiscard]] std::vector<std::string> keys(KindId id) const override {
    std::vector<std::string> keys;
    cache_.each(id, [&](const Facts& facts) { keys.push_back(facts.key()); });
    return keys;
  }

  [[nodiscard]] loop::Plan plan(const loop::Item& item, Instant now) override {
    Plan made = controllers_[item.controller].plan(world(), item.name, now);
    loop::Plan plan{.stages = {}, .asks = {}, .notes = std::move(made.notes), .again = made.again};
    if (!made.writes.empty()) plan.stages.push_back(std::move(made.writes));
    for (Doubt& doubt : made.doubts) {
      plan.asks.emplace_back(doubt.get);
      doubts_.emplace(place_of(doubt.get), std::move(doubt));
    }
    return plan;
  }

  [[nodiscard]] Follow answered(const loop::Item& /*item*/, const loop::Ask& ask, const loop::Answer& answer,
                                Instant /*now*/) override {
    const auto [first, last] = doubts_.equal_range(place_of(std::get<api::Call>(ask)));
    bool all_absent = true;
    for (auto at = first; at != last; ++at) all_absent = settle(at->second, answer.outcome) && all_absent;
    doubts_.erase(first, last);
    // There, or it cannot be told: look again when the watch caught up.
    return all_absent ? Follow::PlanAgain : Follow::Retry;
  }

  void look_at_everything(Instant now) override {
    for (const Kind& kind : kinds_.all()) {
      cache_.each(kind.id, [&](const Facts& facts) { wake({.kind = kind, .before = nullptr, .now = &facts}, now); });
    }
  }

  [[nodiscard]] loop::Loop& loop() { return loop_; }

 private:
  [[nodiscard]] World world() const {
    return {.kinds = kinds_,
            .cache = cache_,
            .ledger = ledger_,
            .periods = options_.periods,
            .synced = loop_.synced(),
            .components = options_.components};
  }

  void note(KindId id, const Facts* before, const Facts* after, Instant now) {
    ledger_.note(before, after);
    const Kind& kind = kinds_.at(id);
    wake({.kind = kind, .before = before, .now = after}, now);
    if (kind.kind == "CustomResourceDefinition" && kind.resource.group == "apiextensions.k8s.io") {
      redefine(before, after, now);
    }
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

  void redefine(const Facts* before, const Facts* after, Instant now) {
    if (after != nullptr && Kinds::is_served(after->object())) {
      const Kind* kind = kinds_.define(after->object());
      if (kind != nullptr) loop_.follow(kind->id, kind->resource, now);
      return;
    }
    const Kind* kind = kinds_.forget((after != nullptr ? after : before)->object());
    if (kind == nullptr) return;
    loop_.leave(kind->id);
    for (const std::string& key : keys(kind->id)) forget(kind->id, key, now);  // what nobody can reach any more
  }

  // True: the owner that was doubted is not there.
  bool settle(const Doubt& doubt, const client::Outcome& outcome) {
    const bool absent = outcome ? outcome->object == nullptr || !outcome->object->is_object() ||
                                      api::string_at(outcome->object->get_object(), {"metadata", "uid"}) != doubt.uid
                                : outcome.error().code == 404;
    if (absent) cache_.note_absent(doubt.uid, doubt.space);
    return absent;
  }

  UpkeepOptions options_;
  Kinds kinds_;
  FactsPools pools_;
  ObjectCache cache_;
  QuotaLedger ledger_;
  std::vector<Controller> controllers_;
  std::vector<std::string> items_;            // of one wake; kept to spare its allocation
  std::multimap<std::string, Doubt> doubts_;  // that are being asked about, by place
  loop::Loop loop_;
};

Upkeep::Upkeep(client::ObjectClient& client, UpkeepOptions options)
    : desk_(std::make_unique<Desk>(client, std::move(options))) {}
Upkeep::~Upkeep() = default;
void Upkeep::step(Instant now) { desk_->loop().step(now); }
std::optional<Instant> Upkeep::next_due() const { return desk_->loop().next_due(); }
void Upkeep::start() { desk_->loop().start(); }
void Upkeep::stop() { desk_->loop().stop(); }
loop::LoopFigures Upkeep::figures() const { return desk_->loop().figures(); }

}  // namespace basalt::kubernetes
