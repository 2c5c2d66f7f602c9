#include "control/loop/loop.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "control/loop/event_log.h"
#include "control/loop/object_feed.h"
#include "control/loop/relist.h"
#include "control/loop/round.h"
#include "kube/api/object_fields.h"

namespace basalt::loop {
namespace {

constexpr Duration kGathering = Duration::millis(5);  // a burst of events is one round, not many
constexpr Duration kLongestWait = Duration::seconds(60);

// What other threads tell the loop. Shared with probes that are under way: they may outlive the loop.
class Inbox {
 public:
  struct Told {
    Item item;
    std::optional<Probe> probe;  // that was answered; nothing: the item was poked
    bool good = false;
  };
  explicit Inbox(Bell& bell) : bell_(&bell) {}
  void put(Told told) {
    const std::lock_guard lock(mutex_);
    if (bell_ == nullptr) return;
    list_.push_back(std::move(told));
    bell_->ring();
  }
  std::vector<Told> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(list_, {});
  }
  void close() {
    const std::lock_guard lock(mutex_);
    bell_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Bell* bell_;  // null: the loop is gone
  std::vector<Told> list_;
};

bool is_object(const client::ObjectPtr& object) { return object != nullptr && object->is_object(); }

}  // namespace

class Loop::Desk {
 public:
  Desk(client::ObjectClient& client, Mind& mind, LoopOptions options)
      : mind_(mind),
        options_(std::move(options)),
        feed_(client, bell_),
        events_(options_.component),
        round_(
            client, mind, events_,
            [this](const api::ResourceName& resource, const client::ObjectPtr& object) { learn(resource, object); },
            [this](const Item& item, const Probe& probe) { start_probe(item, probe); }),
        inbox_(std::make_shared<Inbox>(bell_)) {}
  ~Desk() {
    stop();
    inbox_->close();
  }

  void follow(KindId kind, const api::ResourceName& resource, Instant now, const std::string& labels,
              const std::string& fields) {
    kinds_[kind] = resource;
    by_resource_[{resource.group, resource.plural}] = kind;
    feed_.follow(kind, resource, now, labels, fields);
  }
  void leave(KindId kind) {
    feed_.leave(kind);
    const auto at = kinds_.find(kind);
    if (at == kinds_.end()) return;
    by_resource_.erase({at->second.group, at->second.plural});
    kinds_.erase(at);
  }
  [[nodiscard]] const std::set<KindId>& synced() const { return feed_.synced(); }
  void wake(Item item, Instant due) { queue_.add(std::move(item), due); }
  void poke(Item item) { inbox_->put({.item = std::move(item), .probe = {}}); }

  void step(Instant now) {
    now_ = now;
    take_rounds(now);
    tell_awaited();
    pulse_.rest();
  }
  [[nodiscard]] const Pulse& pulse() const { return pulse_; }

  [[nodiscard]] std::optional<Instant> next_due() const {
    const std::optional<Instant> line = feed_.next_due();
    const std::optional<Instant> item =
        feed_.synced().size() < kinds_.size() ? std::optional<Instant>() : queue_.next_due();
    if (line && item) return std::min(*line, *item);
    return line ? line : item;
  }

  void start() {
    thread_ = std::thread([this] { run(); });
  }
  void stop() {
    stopping_ = true;
    bell_.ring();
    if (thread_.joinable()) thread_.join();
    feed_.close();
  }
  [[nodiscard]] LoopFigures figures() const {
    LoopFigures figures = round_.figures();
    figures.queued = queue_.size();
    return figures;
  }

 private:
  void take_rounds(Instant now) {
    for (size_t round = 0; round < kMaxRoundsPerStep && !stopping_; ++round) {
      pulse_.beat();
      feed_.open_due(now, [&](const ObjectFeed::Listed& listed) { take_list(listed, now); });
      for (const ObjectFeed::News& news : feed_.take(now)) take_event(news, now);
      for (const Inbox::Told& told : inbox_->take()) take_told(told, now);
      if (queue_.take_overflow()) mind_.look_at_everything(now);
      const bool worked = feed_.synced().size() == kinds_.size() && work(now);
      const std::optional<Instant> line = feed_.next_due();
      if (!worked && !(line && *line <= now)) return;
    }
  }

  // Which kinds were not listed yet, for those who ask how it goes.
  void tell_awaited() {
    if (knows_all_) return;
    std::string awaited;
    for (const auto& [kind, resource] : kinds_) {
      if (feed_.synced().contains(kind)) continue;
      if (!awaited.empty()) awaited += ", ";
      awaited += resource.plural;
    }
    knows_all_ = awaited.empty();
    pulse_.await(std::move(awaited));
  }

  void run() {
    while (!stopping_) {
      step(options_.clock());
      const std::optional<Instant> due = next_due();
      const Instant now = options_.clock();
      const Duration wait = due ? std::clamp(*due - now, Duration{0}, kLongestWait) : kLongestWait;
      if (bell_.wait(wait) && !stopping_) {
        std::this_thread::sleep_for(std::chrono::nanoseconds(kGathering.nanos));
      }
    }
  }

  void learn(const api::ResourceName& resource, const client::ObjectPtr& object) {
    const auto kind = by_resource_.find({resource.group, resource.plural});
    if (kind == by_resource_.end() || !is_object(object)) return;
    if (api::string_at(object->get_object(), {"metadata", "resourceVersion"}).empty()) return;
    mind_.learn(kind->second, object, now_);
  }

  void take_event(const ObjectFeed::News& news, Instant now) {
    if (!is_object(news.event.object)) return;
    if (news.event.type == client::EventType::Deleted) {
      mind_.forget(news.kind, api::key_of(news.event.object->get_object()), now);
    } else {
      mind_.learn(news.kind, news.event.object, now);
    }
  }

  void take_list(const ObjectFeed::Listed& listed, Instant now) {
    for (const client::ObjectPtr& object : listed.objects) {
      if (is_object(object)) mind_.learn(listed.kind, object, now);
    }
    for (const std::string& key : relist_.gone(listed, [&] { return mind_.keys(listed.kind); })) {
      mind_.forget(listed.kind, key, now);
    }
  }

  void start_probe(const Item& item, const Probe& probe) {
    if (!under_way_.insert(probe).second) return;
    if (!options_.prober) return inbox_->put({.item = item, .probe = probe, .good = false});
    options_.prober(probe,
                    [box = inbox_, item, probe](bool good) { box->put({.item = item, .probe = probe, .good = good}); });
  }

  void take_told(const Inbox::Told& told, Instant now) {
    if (!told.probe) return queue_.add(told.item, now);
    under_way_.erase(*told.probe);
    follow_up(told.item, mind_.answered(told.item, *told.probe, {.outcome = {}, .good = told.good}, now), now);
  }

  void follow_up(const Item& item, Follow follow, Instant now) {
    if (follow == Follow::Retry) return queue_.retry(item, now);
    if (follow == Follow::PlanAgain) queue_.add(item, now);
  }

  // Plans what is due and carries it out. False: nothing was due.
  bool work(Instant now) {
    const std::vector<Item> items = queue_.take_due(now, kMaxItemsPerRound);
    if (items.empty()) return false;
    const std::vector<Round::Outcome> outcomes = round_.run(items, now);
    for (size_t i = 0; i < items.size(); ++i) {
      const Round::Outcome& outcome = outcomes[i];
      if (outcome.again.is_set()) queue_.add(items[i], outcome.again);
      const Follow follow = outcome.failed ? Follow::Retry : outcome.follow;
      if (follow != Follow::Retry) queue_.succeeded(items[i]);
      follow_up(items[i], follow, now);
    }
    return true;
  }

  Mind& mind_;
  LoopOptions options_;
  Bell bell_;
  ObjectFeed feed_;
  EventLog events_;
  Round round_;
  std::shared_ptr<Inbox> inbox_;
  std::set<Probe> under_way_;
  WorkQueue queue_;
  Instant now_;
  std::map<KindId, api::ResourceName> kinds_;
  std::map<std::pair<std::string, std::string>, KindId> by_resource_;  // group and plural
  Relist relist_;
  Pulse pulse_;
  bool knows_all_ = false;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

Loop::Loop(client::ObjectClient& client, Mind& mind, LoopOptions options)
    : desk_(std::make_unique<Desk>(client, mind, std::move(options))) {}
Loop::~Loop() = default;
void Loop::follow(KindId kind, const api::ResourceName& resource, Instant now, const std::string& labels,
                  const std::string& fields) {
  desk_->follow(kind, resource, now, labels, fields);
}
void Loop::leave(KindId kind) { desk_->leave(kind); }
const std::set<KindId>& Loop::synced() const { return desk_->synced(); }
void Loop::wake(Item item, Instant due) { desk_->wake(std::move(item), due); }
void Loop::poke(Item item) { desk_->poke(std::move(item)); }
void Loop::step(Instant now) { desk_->step(now); }
std::optional<Instant> Loop::next_due() const { return desk_->next_due(); }
void Loop::start() { desk_->start(); }
void Loop::stop() { desk_->stop(); }
LoopFigures Loop::figures() const { return desk_->figures(); }
const Pulse& Loop::pulse() const { return desk_->pulse(); }

}  // namespace basalt::loop
