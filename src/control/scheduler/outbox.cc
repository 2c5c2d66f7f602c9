#include "control/scheduler/outbox.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace basalt::scheduler {
namespace {

constexpr size_t kDecisions = 0, kStatus = 1, kEvents = 2;  // lanes
constexpr size_t kMostUnderWay[kLanes] = {SIZE_MAX, kMaxStatusUnderWay, kMaxEventsUnderWay};

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
  explicit Inbox(loop::Bell& bell) : bell_(bell) {}

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
  loop::Bell& bell_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Letter> letters_;
  size_t open_ = 0;
};

Outbox::Outbox(client::ObjectClient& client, loop::Bell& bell, size_t most)
    : client_(client), most_(most), inbox_(std::make_shared<Inbox>(bell)) {}

Outbox::~Outbox() { drain(); }

size_t Outbox::lane_of(Duty duty) {
  switch (duty) {
    case Duty::WriteGroup:
    case Duty::WritePod:
    case Duty::WriteQueue:
    case Duty::MakeQueue:
      return kStatus;
    case Duty::Tell:
      return kEvents;
    default:
      return kDecisions;
  }
}

void Outbox::post(Errand errand) {
  const size_t lane = lane_of(errand.duty);
  lanes_[lane].push_back(std::move(errand));
}

bool Outbox::may_go(size_t lane) const {
  if (lanes_[lane].empty() || under_way_[lane] >= kMostUnderWay[lane]) return false;
  return lane != kEvents || (lanes_[kDecisions].empty() && lanes_[kStatus].empty());
}

std::optional<Errand> Outbox::next() {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    while (may_go(lane)) {
      Errand errand = std::move(lanes_[lane].front());
      lanes_[lane].pop_front();
      if (lane == kEvents) return errand;
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
  ++under_way_[lane_of(errand.duty)];
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
    const size_t lane = lane_of(errand.duty);
    --under_way_[lane];
    if (const auto at = lane == kEvents ? busy_.end() : busy_.find(place_of(errand)); at != busy_.end()) {
      std::deque<Errand> behind = std::move(at->second);
      busy_.erase(at);
      behind_ -= behind.size();
      // In front of its lane: they came before what waits there about this object.
      for (auto one = behind.rbegin(); one != behind.rend(); ++one) {
        const size_t its_lane = lane_of(one->duty);
        lanes_[its_lane].push_front(std::move(*one));
      }
    }
    answers.push_back({.errand = std::move(errand), .outcome = std::move(letter.outcome)});
  }
  return answers;
}

void Outbox::drain() { inbox_->wait_for_all(); }

size_t Outbox::decisions_waiting() const { return lanes_[kDecisions].size() + behind_; }

bool Outbox::is_deciding() const { return under_way_[kDecisions] > 0 || decisions_waiting() > 0; }

bool Outbox::has_answers() const { return inbox_->has_letters(); }

bool Outbox::can_send() const {
  return (may_go(kDecisions) || may_go(kStatus) || may_go(kEvents)) && inbox_->load() < most_;
}

bool Outbox::takes_event() const { return lanes_[kEvents].size() + under_way_[kEvents] < kMaxEventsUnderWay; }

}  // namespace basalt::scheduler
