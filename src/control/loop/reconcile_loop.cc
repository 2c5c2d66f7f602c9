#include "control/loop/reconcile_loop.h"

#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "control/loop/control_loop.h"
#include "control/loop/event_recorder.h"
#include "control/loop/readable_object.h"
#include "control/loop/reconcile_round.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"

namespace basalt::loop {
namespace {

constexpr Duration kBatchDelay = Duration::millis(5);  // a burst of events is one round, not many

// What other threads tell the loop. Shared with probes that are under way: they may outlive the loop.
class Inbox {
 public:
  struct Message {
    Item item;
    std::optional<Probe> probe;  // that was answered; nothing: the item was poked
    bool good = false;
  };
  explicit Inbox(WakeUp& wake_up) : wake_up_(&wake_up) {}
  void put(Message message) {
    const std::lock_guard lock(mutex_);
    if (wake_up_ == nullptr) return;
    list_.push_back(std::move(message));
    wake_up_->notify();
  }
  std::vector<Message> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(list_, {});
  }
  void close() {
    const std::lock_guard lock(mutex_);
    wake_up_ = nullptr;
  }

 private:
  std::mutex mutex_;
  WakeUp* wake_up_;  // null: the loop is gone
  std::vector<Message> list_;
};

}  // namespace

class ReconcileLoop::Body : public LoopWork {
 public:
  Body(client::ObjectClient& client, Reconciler& reconciler, LoopOptions options)
      : reconciler_(reconciler),
        options_(std::move(options)),
        kernel_(client, *this, {.clock = options_.clock, .batch_delay = kBatchDelay}),
        events_(options_.component),
        round_(
            client, reconciler, events_,
            [this](const api::GroupVersionResource& resource, const client::ObjectPtr& object) {
              learn_own_write(resource, object);
            },
            [this](const Item& item, const Probe& probe) { start_probe(item, probe); }),
        inbox_(std::make_shared<Inbox>(kernel_.wake_up())) {}
  ~Body() override {
    kernel_.stop();
    inbox_->close();
  }

  void follow(KindId kind, const api::GroupVersionResource& resource, Instant now, const std::string& labels,
              const std::string& fields) {
    by_resource_[{resource.group, resource.plural}] = kind;
    kernel_.follow(kind, resource, now, labels, fields);
  }
  void leave(KindId kind) {
    kernel_.leave(kind);
    std::erase_if(by_resource_, [&](const auto& row) { return row.second == kind; });
  }
  void wake(Item item, Instant due) { queue_.add(std::move(item), due); }
  void wake_now(Item item) { inbox_->put({.item = std::move(item), .probe = {}}); }

  [[nodiscard]] ControlLoop& kernel() { return kernel_; }
  [[nodiscard]] LoopCounters counters() const {
    LoopCounters counters = round_.counters();
    counters.queued = queue_.size();
    return counters;
  }

  void object_changed(KindId kind, const client::ObjectPtr& object, Source /*source*/, Instant now) override {
    reconciler_.learn(kind, object, now);
  }
  void object_deleted(KindId kind, const text::Object& last, Instant now) override {
    reconciler_.forget(kind, api::key_of(last), now);
  }
  void object_gone(KindId kind, const std::string& key, Instant now) override { reconciler_.forget(kind, key, now); }
  [[nodiscard]] std::vector<std::string> keys(KindId kind) const override { return reconciler_.keys(kind); }

  bool turn(Instant now, bool /*heard*/) override {
    for (const Inbox::Message& message : inbox_->take()) take_message(message, now);
    if (queue_.take_overflow()) reconciler_.requeue_all(now);
    return kernel_.is_synced() && work(now);
  }
  [[nodiscard]] std::optional<Instant> work_due() const override {
    return kernel_.is_synced() ? queue_.next_due() : std::optional<Instant>();
  }

 private:
  // The state that a write of ours brought about, so that the next plan sees it however late the watch is.
  void learn_own_write(const api::GroupVersionResource& resource, const client::ObjectPtr& object) {
    const auto kind = by_resource_.find({resource.group, resource.plural});
    if (kind == by_resource_.end() || !is_readable(object)) return;
    if (api::ObjectView(object->get_object()).metadata().resource_version().empty()) return;
    reconciler_.learn(kind->second, object, kernel_.now());
  }

  void start_probe(const Item& item, const Probe& probe) {
    if (!under_way_.insert(probe).second) return;
    if (!options_.prober) return inbox_->put({.item = item, .probe = probe, .good = false});
    options_.prober(probe,
                    [box = inbox_, item, probe](bool good) { box->put({.item = item, .probe = probe, .good = good}); });
  }

  void take_message(const Inbox::Message& message, Instant now) {
    if (!message.probe) return queue_.add(message.item, now);
    under_way_.erase(*message.probe);
    follow_up(message.item,
              reconciler_.answered(message.item, *message.probe, {.outcome = {}, .good = message.good}, now), now);
  }

  void follow_up(const Item& item, NextStep follow, Instant now) {
    if (follow == NextStep::Retry) return queue_.retry(item, now);
    if (follow == NextStep::PlanAgain) queue_.add(item, now);
  }

  // Plans what is due and carries it out. False: nothing was due.
  bool work(Instant now) {
    const std::vector<Item> items = queue_.take_due(now, kMaxItemsPerRound);
    if (items.empty()) return false;
    const std::vector<ReconcileRound::Outcome> outcomes = round_.run(items, now);
    for (size_t i = 0; i < items.size(); ++i) {
      const ReconcileRound::Outcome& outcome = outcomes[i];
      if (outcome.again.is_set()) queue_.add(items[i], outcome.again);
      const NextStep follow = outcome.failed ? NextStep::Retry : outcome.follow;
      if (follow != NextStep::Retry) queue_.succeeded(items[i]);
      follow_up(items[i], follow, now);
    }
    return true;
  }

  Reconciler& reconciler_;
  LoopOptions options_;
  ControlLoop kernel_;
  EventRecorder events_;
  ReconcileRound round_;
  std::shared_ptr<Inbox> inbox_;
  std::set<Probe> under_way_;
  WorkQueue queue_;
  std::map<std::pair<std::string, std::string>, KindId> by_resource_;  // group and plural
};

ReconcileLoop::ReconcileLoop(client::ObjectClient& client, Reconciler& reconciler, LoopOptions options)
    : body_(std::make_unique<Body>(client, reconciler, std::move(options))) {}
ReconcileLoop::~ReconcileLoop() = default;
void ReconcileLoop::follow(KindId kind, const api::GroupVersionResource& resource, Instant now,
                           const std::string& labels, const std::string& fields) {
  body_->follow(kind, resource, now, labels, fields);
}
void ReconcileLoop::leave(KindId kind) { body_->leave(kind); }
const std::set<KindId>& ReconcileLoop::synced() const { return body_->kernel().synced(); }
void ReconcileLoop::wake(Item item, Instant due) { body_->wake(std::move(item), due); }
void ReconcileLoop::wake_now(Item item) { body_->wake_now(std::move(item)); }
void ReconcileLoop::step(Instant now) { body_->kernel().step(now); }
std::optional<Instant> ReconcileLoop::next_due() const { return body_->kernel().next_due(); }
void ReconcileLoop::start() { body_->kernel().start(); }
void ReconcileLoop::stop() { body_->kernel().stop(); }
LoopCounters ReconcileLoop::counters() const { return body_->counters(); }
const LoopHealth& ReconcileLoop::health() const { return body_->kernel().health(); }

}  // namespace basalt::loop
