#include "control/loop/reconcile_loop.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "control/loop/event_recorder.h"
#include "control/loop/informer.h"
#include "control/loop/reconcile_round.h"
#include "control/loop/relist.h"
#include "kube/api/object_fields.h"

namespace basalt::loop {
namespace {

constexpr Duration kBatchDelay = Duration::millis(5);  // a burst of events is one round, not many
constexpr Duration kLongestWait = Duration::seconds(60);

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

bool is_object(const client::ObjectPtr& object) { return object != nullptr && object->is_object(); }

}  // namespace

class ReconcileLoop::Body {
 public:
  Body(client::ObjectClient& client, Reconciler& reconciler, LoopOptions options)
      : reconciler_(reconciler),
        options_(std::move(options)),
        informer_(client, wake_up_),
        events_(options_.component),
        round_(
            client, reconciler, events_,
            [this](const api::GroupVersionResource& resource, const client::ObjectPtr& object) {
              learn(resource, object);
            },
            [this](const Item& item, const Probe& probe) { start_probe(item, probe); }),
        inbox_(std::make_shared<Inbox>(wake_up_)) {}
  ~Body() {
    stop();
    inbox_->close();
  }

  void follow(KindId kind, const api::GroupVersionResource& resource, Instant now, const std::string& labels,
              const std::string& fields) {
    kinds_[kind] = resource;
    by_resource_[{resource.group, resource.plural}] = kind;
    informer_.follow(kind, resource, now, labels, fields);
  }
  void leave(KindId kind) {
    informer_.leave(kind);
    const auto at = kinds_.find(kind);
    if (at == kinds_.end()) return;
    by_resource_.erase({at->second.group, at->second.plural});
    kinds_.erase(at);
  }
  [[nodiscard]] const std::set<KindId>& synced() const { return informer_.synced(); }
  void wake(Item item, Instant due) { queue_.add(std::move(item), due); }
  void wake_now(Item item) { inbox_->put({.item = std::move(item), .probe = {}}); }

  void step(Instant now) {
    now_ = now;
    take_rounds(now);
    report_unsynced();
    health_.mark_idle();
  }
  [[nodiscard]] const LoopHealth& health() const { return health_; }

  [[nodiscard]] std::optional<Instant> next_due() const {
    const std::optional<Instant> line = informer_.next_due();
    const std::optional<Instant> item =
        informer_.synced().size() < kinds_.size() ? std::optional<Instant>() : queue_.next_due();
    if (line && item) return std::min(*line, *item);
    return line ? line : item;
  }

  void start() {
    thread_ = std::thread([this] { run(); });
  }
  void stop() {
    stopping_ = true;
    wake_up_.notify();
    if (thread_.joinable()) thread_.join();
    informer_.close();
  }
  [[nodiscard]] LoopCounters counters() const {
    LoopCounters counters = round_.counters();
    counters.queued = queue_.size();
    return counters;
  }

 private:
  void take_rounds(Instant now) {
    for (size_t round = 0; round < kMaxRoundsPerStep && !stopping_; ++round) {
      health_.mark_busy();
      informer_.open_due(now, [&](const Informer::Listed& listed) { take_list(listed, now); });
      for (const Informer::Change& change : informer_.take(now)) take_event(change, now);
      for (const Inbox::Message& message : inbox_->take()) take_message(message, now);
      if (queue_.take_overflow()) reconciler_.requeue_all(now);
      const bool worked = informer_.synced().size() == kinds_.size() && work(now);
      const std::optional<Instant> line = informer_.next_due();
      if (!worked && !(line && *line <= now)) return;
    }
  }

  // Which kinds were not listed yet, for those who ask how it goes.
  void report_unsynced() {
    if (knows_all_) return;
    std::string unsynced;
    for (const auto& [kind, resource] : kinds_) {
      if (informer_.synced().contains(kind)) continue;
      if (!unsynced.empty()) unsynced += ", ";
      unsynced += resource.plural;
    }
    knows_all_ = unsynced.empty();
    health_.set_unsynced(std::move(unsynced));
  }

  void run() {
    while (!stopping_) {
      step(options_.clock());
      const std::optional<Instant> due = next_due();
      const Instant now = options_.clock();
      const Duration wait = due ? std::clamp(*due - now, Duration{0}, kLongestWait) : kLongestWait;
      if (wake_up_.wait(wait) && !stopping_) {
        std::this_thread::sleep_for(std::chrono::nanoseconds(kBatchDelay.nanos));
      }
    }
  }

  void learn(const api::GroupVersionResource& resource, const client::ObjectPtr& object) {
    const auto kind = by_resource_.find({resource.group, resource.plural});
    if (kind == by_resource_.end() || !is_object(object)) return;
    if (api::string_at(object->get_object(), {"metadata", "resourceVersion"}).empty()) return;
    reconciler_.learn(kind->second, object, now_);
  }

  void take_event(const Informer::Change& change, Instant now) {
    if (!is_object(change.event.object)) return;
    if (change.event.type == client::WatchEventType::Deleted) {
      reconciler_.forget(change.kind, api::key_of(change.event.object->get_object()), now);
    } else {
      reconciler_.learn(change.kind, change.event.object, now);
    }
  }

  void take_list(const Informer::Listed& listed, Instant now) {
    for (const client::ObjectPtr& object : listed.objects) {
      if (is_object(object)) reconciler_.learn(listed.kind, object, now);
    }
    for (const std::string& key : relist_.gone(listed, [&] { return reconciler_.keys(listed.kind); })) {
      reconciler_.forget(listed.kind, key, now);
    }
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
  WakeUp wake_up_;
  Informer informer_;
  EventRecorder events_;
  ReconcileRound round_;
  std::shared_ptr<Inbox> inbox_;
  std::set<Probe> under_way_;
  WorkQueue queue_;
  Instant now_;
  std::map<KindId, api::GroupVersionResource> kinds_;
  std::map<std::pair<std::string, std::string>, KindId> by_resource_;  // group and plural
  Relist relist_;
  LoopHealth health_;
  bool knows_all_ = false;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

ReconcileLoop::ReconcileLoop(client::ObjectClient& client, Reconciler& reconciler, LoopOptions options)
    : impl_(std::make_unique<Body>(client, reconciler, std::move(options))) {}
ReconcileLoop::~ReconcileLoop() = default;
void ReconcileLoop::follow(KindId kind, const api::GroupVersionResource& resource, Instant now,
                           const std::string& labels, const std::string& fields) {
  impl_->follow(kind, resource, now, labels, fields);
}
void ReconcileLoop::leave(KindId kind) { impl_->leave(kind); }
const std::set<KindId>& ReconcileLoop::synced() const { return impl_->synced(); }
void ReconcileLoop::wake(Item item, Instant due) { impl_->wake(std::move(item), due); }
void ReconcileLoop::wake_now(Item item) { impl_->wake_now(std::move(item)); }
void ReconcileLoop::step(Instant now) { impl_->step(now); }
std::optional<Instant> ReconcileLoop::next_due() const { return impl_->next_due(); }
void ReconcileLoop::start() { impl_->start(); }
void ReconcileLoop::stop() { impl_->stop(); }
LoopCounters ReconcileLoop::counters() const { return impl_->counters(); }
const LoopHealth& ReconcileLoop::health() const { return impl_->health(); }

}  // namespace basalt::loop
