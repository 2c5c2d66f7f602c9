#include "scheduler/outbox.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace basalt::scheduler {
namespace {

// Pods and groups may share a name; each errand is about one object.
std::string place_of(const Errand& errand) {
  std::string place;
  place.reserve(errand.key.size() + 1);
  switch (errand.duty) {
    case Duty::WriteGroup:
    case Duty::ReadGroup:
      place += 'g';
      break;
    case Duty::WriteQueue:
    case Duty::MakeQueue:
      place += 'q';
      break;
    default:
      place += 'p';
  }
  return place += errand.key;
}

}  // namespace

class Outbox::Inbox {
 public:
  struct Letter {
    size_t slot;
    client::Outcome outcome;
  };
  explicit Inbox(reconcile::Bell& bell) : bell_(bell) {}

  void expect() {
    const std::lock_guard lock(mutex_);
    ++open_;
  }
  void put(Letter letter) {
    const std::lock_guard lock(mutex_);
    letters_.push_back(std::move(letter));
    --open_;
    arrived_.notify_one();
    // One ring for all that take() answers. Under the lock: after drain() saw nothing open, nobody touches the bell.
    if (letters_.size() == 1) bell_.ring();
  }
  std::vector<Letter> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(letters_, {});
  }
  void wait_for_all() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return open_ == 0; });
  }
  // Answers that were not taken count too: they take memory.
  [[nodiscard]] size_t load() {
    const std::lock_guard lock(mutex_);
    return open_ + letters_.size();
  }
  [[nodiscard]] bool has_letters() {
    const std::lock_guard lock(mutex_);
    return !letters_.empty();
  }

 private:
  reconcile::Bell& bell_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Letter> letters_;
  size_t open_ = 0;
};

Outbox::Outbox(client::ObjectClient& client, reconcile::Bell& bell, size_t most)
    : client_(client), most_(most), inbox_(std::make_shared<Inbox>(bell)) {}

Outbox::~Outbox() { drain(); }

Lane Outbox::lane_of(Duty duty) {
  switch (duty) {
    case Duty::WriteGroup:
    case Duty::WritePod:
    case Duty::WriteQueue:
    case Duty::MakeQueue:
      return Lane::Status;
    case Duty::Tell:
      return Lane::Event;
    default:
      return Lane::Decision;
  }
}

void Outbox::post(Errand errand) { lanes_[static_cast<size_t>(lane_of(errand.duty))].push_back(std::move(errand)); }

bool Outbox::event_may_go() const {
  return events_under_way_ < kMaxEventsUnderWay && lanes_[static_cast<size_t>(Lane::Decision)].empty() &&
         lanes_[static_cast<size_t>(Lane::Status)].empty();
}

std::optional<Errand> Outbox::next() {
  for (const Lane lane : {Lane::Decision, Lane::Status, Lane::Event}) {
    std::deque<Errand>& waiting = lanes_[static_cast<size_t>(lane)];
    while (!waiting.empty()) {
      if (lane == Lane::Event && !event_may_go()) return std::nullopt;
      Errand errand = std::move(waiting.front());
      waiting.pop_front();
      if (lane == Lane::Event) return errand;
      const auto [at, is_free] = busy_.try_emplace(place_of(errand));
      if (is_free) return errand;
      at->second.push_back(std::move(errand));
      ++behind_;
    }
  }
  return std::nullopt;
}

size_t Outbox::pump() {
  size_t sent = 0;
  while (inbox_->load() < most_) {
    std::optional<Errand> errand = next();
    if (!errand) break;
    send(std::move(*errand));
    ++sent;
  }
  return sent;
}

void Outbox::send(Errand errand) {
  if (errand.duty == Duty::Tell) ++events_under_way_;
  size_t slot = slots_.size();
  if (free_slots_.empty()) {
    slots_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  api::Call call = std::exchange(errand.call, {});
  slots_[slot] = std::move(errand);
  inbox_->expect();
  client_.send(std::move(call), [inbox = inbox_, slot](client::Outcome outcome) {
    inbox->put({.slot = slot, .outcome = std::move(outcome)});
  });
}

std::vector<Answer> Outbox::take() {
  std::vector<Answer> answers;
  for (Inbox::Letter& letter : inbox_->take()) {
    Errand errand = std::exchange(slots_[letter.slot], {});
    free_slots_.push_back(letter.slot);
    if (errand.duty == Duty::Tell) {
      --events_under_way_;
    } else if (const auto at = busy_.find(place_of(errand)); at != busy_.end()) {
      std::deque<Errand> behind = std::move(at->second);
      busy_.erase(at);
      behind_ -= behind.size();
      // In front of its lane: they came before what waits there about this object.
      for (auto one = behind.rbegin(); one != behind.rend(); ++one) {
        const Lane lane = lane_of(one->duty);
        lanes_[static_cast<size_t>(lane)].push_front(std::move(*one));
      }
    }
    answers.push_back({.errand = std::move(errand), .outcome = std::move(letter.outcome)});
  }
  return answers;
}

void Outbox::drain() { inbox_->wait_for_all(); }

size_t Outbox::decisions_waiting() const { return lanes_[static_cast<size_t>(Lane::Decision)].size() + behind_; }

bool Outbox::has_answers() const { return inbox_->has_letters(); }

bool Outbox::can_send() const {
  const bool writes =
      !lanes_[static_cast<size_t>(Lane::Decision)].empty() || !lanes_[static_cast<size_t>(Lane::Status)].empty();
  const bool events = !lanes_[static_cast<size_t>(Lane::Event)].empty() && event_may_go();
  return (writes || events) && inbox_->load() < most_;
}

bool Outbox::takes_event() const {
  return lanes_[static_cast<size_t>(Lane::Event)].size() + events_under_way_ < kMaxEventsUnderWay;
}

}  // namespace basalt::scheduler
