#include "cluster/upkeep.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "api/object_fields.h"
#include "cluster/object_feed.h"
#include "cluster/work_queue.h"
#include "cluster/writes.h"

namespace basalt::cluster {
namespace {

constexpr Duration kGathering = Duration::millis(5);  // a burst of events is one round, not many
constexpr Duration kLongestWait = Duration::seconds(60);

// Answers of requests that are under way. Shared with their `done` functions.
class Answers {
 public:
  struct Answer {
    size_t item;
    const Doubt* doubt;  // null: a write
    client::Outcome outcome;
  };
  void expect() { ++open_; }
  void arrived(Answer answer) {
    const std::lock_guard lock(mutex_);
    list_.push_back(std::move(answer));
    complete_.notify_one();
  }
  std::vector<Answer> wait() {
    std::unique_lock lock(mutex_);
    complete_.wait(lock, [this] { return list_.size() == open_; });
    open_ = 0;
    return std::exchange(list_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable complete_;
  std::vector<Answer> list_;
  size_t open_ = 0;
};

// A refusal that says that there is nothing left to do.
bool is_settled(api::Verb verb, const api::ApiError& error) {
  if (error.code == 404) return true;  // what was to be written about is gone; an event says so, or has said so
  return verb == api::Verb::Create && error.reason == "AlreadyExists";
}

}  // namespace

class Upkeep::Desk {
 public:
  Desk(client::ObjectClient& client, UpkeepOptions options)
      : client_(client),
        options_(std::move(options)),
        cache_(kinds_),
        ledger_(kinds_, cache_),
        feed_(client, bell_),
        controllers_(options_.api_server_only ? std::vector{definition_controller()} : all_controllers()) {
    for (const Kind& kind : kinds_.all()) feed_.follow(kind, kNever);
  }
  ~Desk() { stop(); }

  void step(Instant now) {
    for (size_t round = 0; round < kMaxRoundsPerStep; ++round) {
      feed_.open_due(kinds_, now, [&](const ObjectFeed::Listed& listed) { take_list(listed, now); });
      for (const ObjectFeed::News& news : feed_.take(now)) take_event(news, now);
      if (queue_.take_overflow()) look_at_everything(now);
      if (!work(now)) return;
    }
  }

  [[nodiscard]] std::optional<Instant> next_due() const {
    const std::optional<Instant> line = feed_.next_due();
    const std::optional<Instant> item = queue_.next_due();
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
  [[nodiscard]] UpkeepFigures figures() const {
    return {.writes = writes_, .refused = refused_, .queued = queue_.size()};
  }

 private:
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

  [[nodiscard]] World world() const {
    return {.kinds = kinds_, .cache = cache_, .ledger = ledger_, .periods = options_.periods, .synced = feed_.synced()};
  }

  void take_event(const ObjectFeed::News& news, Instant now) {
    if (news.event.object == nullptr || !news.event.object->is_object()) return;
    if (news.event.type == client::EventType::Deleted) {
      forget({.kind = news.kind, .key = key_of(news.event.object->get_object())}, now);
    } else {
      learn(news.kind, news.event.object, now);
    }
  }

  void take_list(const ObjectFeed::Listed& listed, Instant now) {
    std::set<std::string>& seen = listed_[listed.kind];
    if (listed.first) seen.clear();  // of a list that broke off
    for (const client::ObjectPtr& object : listed.objects) {
      if (object == nullptr || !object->is_object()) continue;
      seen.insert(key_of(object->get_object()));
      learn(listed.kind, object, now);
    }
    if (!listed.complete) return;
    std::vector<std::string> gone;
    cache_.each(listed.kind, [&](const Facts& facts) {
      if (!seen.contains(facts.key())) gone.push_back(facts.key());
    });
    listed_.erase(listed.kind);
    for (std::string& key : gone) forget({.kind = listed.kind, .key = std::move(key)}, now);
  }

  void learn(KindId id, const client::ObjectPtr& object, Instant now) {
    const std::string key = key_of(object->get_object());
    const Facts* old = cache_.find(id, key);
    Facts next = facts_of(kinds_.at(id), object, old, now);
    if (old != nullptr && old->version == next.version) return;  // a list after a watch: known already
    const std::optional<Facts> before = cache_.put(std::move(next), now);
    note(id, before ? &*before : nullptr, cache_.find(id, key), now);
  }

  void forget(const Ref& ref, Instant now) {
    const std::optional<Facts> before = cache_.remove(ref, now);
    if (before) note(ref.kind, &*before, nullptr, now);
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
    std::vector<std::string> items;
    for (size_t i = 0; i < controllers_.size(); ++i) {
      items.clear();
      controllers_[i].wake(world(), change, items);
      for (std::string& item : items)
        queue_.add({.controller = static_cast<uint32_t>(i), .name = std::move(item)}, now);
    }
  }

  void redefine(const Facts* before, const Facts* after, Instant now) {
    if (after != nullptr && Kinds::is_served(after->object())) {
      const Kind* kind = kinds_.define(after->object());
      if (kind != nullptr) feed_.follow(*kind, now);
      return;
    }
    const Kind* kind = kinds_.forget((after != nullptr ? after : before)->object());
    if (kind == nullptr) return;
    feed_.leave(kind->id);
    std::vector<std::string> keys;  // what nobody can reach any more
    cache_.each(kind->id, [&](const Facts& facts) { keys.push_back(facts.key()); });
    for (std::string& key : keys) forget({.kind = kind->id, .key = std::move(key)}, now);
  }

  void look_at_everything(Instant now) {
    for (const Kind& kind : kinds_.all()) {
      cache_.each(kind.id, [&](const Facts& facts) { wake({.kind = kind, .before = nullptr, .now = &facts}, now); });
    }
  }

  // Plans what is due and sends it. False: nothing was due.
  bool work(Instant now) {
    const std::vector<Item> items = queue_.take_due(now, kMaxItemsPerRound);
    if (items.empty()) return false;
    std::vector<Plan> plans(items.size());
    const auto answers = std::make_shared<Answers>();
    for (size_t i = 0; i < items.size(); ++i) {
      plans[i] = controllers_[items[i].controller].plan(world(), items[i].name, now);
      if (plans[i].again.is_set()) queue_.add(items[i], plans[i].again);
    }
    std::vector<api::Verb> verbs(items.size(), api::Verb::Get);
    for (size_t i = 0; i < items.size(); ++i) {
      for (api::Call& call : plans[i].writes) {
        verbs[i] = call.verb;
        ask(answers, i, nullptr, std::move(call));
      }
      for (const Doubt& doubt : plans[i].doubts) ask(answers, i, &doubt, doubt.get);
    }
    std::vector<bool> failed(items.size());
    for (const Answers::Answer& answer : answers->wait()) {
      if (answer.doubt != nullptr) {
        settle_doubt(*answer.doubt, answer.outcome, items[answer.item], now);
      } else {
        ++writes_;
        if (answer.outcome || is_settled(verbs[answer.item], answer.outcome.error())) continue;
        ++refused_;
        failed[answer.item] = true;
      }
    }
    for (size_t i = 0; i < items.size(); ++i) {
      if (failed[i]) {
        queue_.retry(items[i], now);
      } else if (plans[i].doubts.empty()) {
        queue_.succeeded(items[i]);
      }
    }
    return true;
  }

  void ask(const std::shared_ptr<Answers>& answers, size_t item, const Doubt* doubt, api::Call call) {
    answers->expect();
    client_.send(std::move(call), [answers, item, doubt](client::Outcome outcome) {
      answers->arrived({.item = item, .doubt = doubt, .outcome = std::move(outcome)});
    });
  }

  void settle_doubt(const Doubt& doubt, const client::Outcome& outcome, const Item& item, Instant now) {
    const bool absent = outcome ? outcome->object == nullptr || !outcome->object->is_object() ||
                                      api::string_at(outcome->object->get_object(), {"metadata", "uid"}) != doubt.uid
                                : outcome.error().code == 404;
    if (!absent) return queue_.retry(item, now);  // it is there, or cannot be told: look again when the watch caught up
    cache_.note_absent(doubt.uid, doubt.space);
    queue_.add(item, now);
  }

  client::ObjectClient& client_;
  UpkeepOptions options_;
  Bell bell_;
  Kinds kinds_;
  ObjectCache cache_;
  QuotaLedger ledger_;
  ObjectFeed feed_;
  WorkQueue queue_;
  std::vector<Controller> controllers_;
  std::map<KindId, std::set<std::string>> listed_;  // keys of the pages so far, of kinds that are being listed
  uint64_t writes_ = 0, refused_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

Upkeep::Upkeep(client::ObjectClient& client, UpkeepOptions options)
    : desk_(std::make_unique<Desk>(client, std::move(options))) {}
Upkeep::~Upkeep() = default;
void Upkeep::step(Instant now) { desk_->step(now); }
std::optional<Instant> Upkeep::next_due() const { return desk_->next_due(); }
void Upkeep::start() { desk_->start(); }
void Upkeep::stop() { desk_->stop(); }
UpkeepFigures Upkeep::figures() const { return desk_->figures(); }

}  // namespace basalt::cluster
