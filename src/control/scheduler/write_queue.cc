#include "control/scheduler/write_queue.h"

#include <utility>

namespace basalt::scheduler {
namespace {

constexpr size_t kDecisions = 0, kStatus = 1, kEvents = 2;  // lanes
constexpr size_t kMostUnderWay[kLanes] = {SIZE_MAX, kMaxStatusUnderWay, kMaxEventsUnderWay};

// Pods and groups may share a name; each write is about one object.
std::string place_of(const PendingWrite& write) {
  std::string place;
  place.reserve(write.key.size() + 1);
  switch (write.kind) {
    case WriteKind::WriteGroup:
    case WriteKind::ReadGroup:
      place += 'g';
      break;
    case WriteKind::WriteQueue:
    case WriteKind::CreateQueue:
      place += 'q';
      break;
    case WriteKind::ReadJob:
      place += 'j';
      break;
    case WriteKind::TellConf:
      place += 'c';
      break;
    default:
      place += 'p';
  }
  return place += write.key;
}

}  // namespace

struct WriteQueue::Completion {
  size_t slot;
  client::ReplyOrError outcome;
};

WriteQueue::WriteQueue(client::ObjectClient& client, loop::WakeUp& wake_up, size_t most)
    : client_(client), most_(most), completions_(std::make_shared<loop::CompletionQueue<Completion>>(&wake_up)) {}

WriteQueue::~WriteQueue() { drain(); }

size_t WriteQueue::lane_of(WriteKind kind) {
  switch (kind) {
    case WriteKind::WriteGroup:
    case WriteKind::WritePod:
    case WriteKind::WriteQueue:
    case WriteKind::CreateQueue:
    case WriteKind::TellConf:
    case WriteKind::ReadJob:
      return kStatus;
    case WriteKind::SendEvent:
      return kEvents;
    default:
      return kDecisions;
  }
}

void WriteQueue::post(PendingWrite write) {
  const size_t lane = lane_of(write.kind);
  lanes_[lane].push_back(std::move(write));
}

bool WriteQueue::may_go(size_t lane) const {
  if (lanes_[lane].empty() || under_way_[lane] >= kMostUnderWay[lane]) return false;
  return lane != kEvents || (lanes_[kDecisions].empty() && lanes_[kStatus].empty());
}

std::optional<PendingWrite> WriteQueue::next() {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    while (may_go(lane)) {
      PendingWrite write = std::move(lanes_[lane].front());
      lanes_[lane].pop_front();
      if (lane == kEvents) return write;
      const auto [at, is_free] = busy_.try_emplace(place_of(write));
      if (is_free) return write;
      at->second.push_back(std::move(write));
      ++behind_;
    }
  }
  return std::nullopt;
}

size_t WriteQueue::pump() {
  size_t sent = 0;
  while (completions_->load() < most_) {
    std::optional<PendingWrite> write = next();
    if (!write) break;
    send(std::move(*write));
    ++sent;
  }
  return sent;
}

void WriteQueue::send(PendingWrite write) {
  ++under_way_[lane_of(write.kind)];
  size_t slot = slots_.size();
  if (free_slots_.empty()) {
    slots_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  api::Call call = std::exchange(write.call, {});
  slots_[slot] = std::move(write);
  completions_->expect();
  client_.send(std::move(call), [completions = completions_, slot](client::ReplyOrError outcome) {
    completions->put({.slot = slot, .outcome = std::move(outcome)});
  });
}

std::vector<CompletedWrite> WriteQueue::take() {
  std::vector<CompletedWrite> answers;
  for (Completion& completion : completions_->take()) {
    PendingWrite write = std::exchange(slots_[completion.slot], {});
    free_slots_.push_back(completion.slot);
    const size_t lane = lane_of(write.kind);
    --under_way_[lane];
    if (const auto at = lane == kEvents ? busy_.end() : busy_.find(place_of(write)); at != busy_.end()) {
      std::deque<PendingWrite> behind = std::move(at->second);
      busy_.erase(at);
      behind_ -= behind.size();
      // In front of its lane: they came before what waits there about this object.
      for (auto one = behind.rbegin(); one != behind.rend(); ++one) {
        const size_t its_lane = lane_of(one->kind);
        lanes_[its_lane].push_front(std::move(*one));
      }
    }
    answers.push_back({.write = std::move(write), .outcome = std::move(completion.outcome)});
  }
  return answers;
}

void WriteQueue::drain() { completions_->wait(); }

size_t WriteQueue::decisions_waiting() const { return lanes_[kDecisions].size() + behind_; }

bool WriteQueue::is_deciding() const { return under_way_[kDecisions] > 0 || decisions_waiting() > 0; }

bool WriteQueue::has_answers() const { return completions_->has_completions(); }

bool WriteQueue::can_send() const {
  return (may_go(kDecisions) || may_go(kStatus) || may_go(kEvents)) && completions_->load() < most_;
}

bool WriteQueue::takes_event() const { return lanes_[kEvents].size() + under_way_[kEvents] < kMaxEventsUnderWay; }

}  // namespace basalt::scheduler
