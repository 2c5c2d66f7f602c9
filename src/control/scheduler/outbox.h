// Writes and questions on their way to the API.
//
// 1. Nothing here waits: post() queues, pump() sends as much as may be under way (kMaxWritesUnderWay), take() answers
//    what came back. Answers arrive on any thread, also inside pump() when the server is in memory, and ring the bell.
// 2. Two errands about the same object are never under way at once; they go in the order in which they were posted,
//    within their lane.
// 3. Three lanes: what decisions need first, then status, then events. At most kMaxStatusUnderWay and
//    kMaxEventsUnderWay of the latter are under way, so that a decision finds a free connection. An event is sent only
//    when nothing else waits (event_pace.h says when), and nobody waits for its answer.
//
// Threads: all functions by one thread at a time; the bell must outlive every answer (drain() before it goes).
// Cost: O(1) for each errand.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "control/loop/bell.h"
#include "kube/client/object_client.h"

namespace basalt::scheduler {

inline constexpr size_t kMaxStatusUnderWay = 16;
inline constexpr size_t kMaxEventsUnderWay = 32;

inline constexpr size_t kLanes = 3;  // decisions, status, events

enum class Duty : uint8_t {
  Bind,
  MarkVictim,    // the conditions that say why it goes
  DeleteVictim,  // after that
  OpenGate,
  WriteGroup,
  WritePod,
  WriteQueue,
  MakeQueue,
  ReadPod,
  ReadGroup,
  Tell,
};

struct Errand {
  Duty duty = Duty::Tell;
  std::string key;       // "namespace/name" or "name" of the object
  std::string uid;       // as it was when we decided
  std::string node;      // Bind: where to
  std::string reason;    // WritePod: of the condition; "": a nomination is withdrawn
  std::string note;      // Bind: what to tell once it is done; WritePod: the condition's message
  std::string for_whom;  // DeleteVictim: key of the pod that gets the room
  Instant posted;
  api::Call call;  // gone once it is sent
};

struct Answer {
  Errand errand;
  client::Outcome outcome;
};

class Outbox {
 public:
  // Requires: both outlive it. `most` may be under way.
  Outbox(client::ObjectClient& client, loop::Bell& bell, size_t most);
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  void post(Errand errand);
  // Sends what may be sent; answers how much that was.
  size_t pump();
  [[nodiscard]] std::vector<Answer> take();
  void drain();  // until nothing is under way; what was not sent stays

  [[nodiscard]] size_t decisions_waiting() const;  // not sent, status and events aside
  // A decision waits or is under way: the server has better to do than to take status.
  [[nodiscard]] bool is_deciding() const;
  // There is room for one more event.
  [[nodiscard]] bool takes_event() const;
  [[nodiscard]] bool has_answers() const;
  [[nodiscard]] bool can_send() const;  // pump() has something to do

 private:
  class Inbox;

  static size_t lane_of(Duty duty);
  void send(Errand errand);
  // The next errand that may go, or nothing.
  std::optional<Errand> next();
  // Something waits in this lane, and may go as far as its lane goes.
  [[nodiscard]] bool may_go(size_t lane) const;

  client::ObjectClient& client_;
  size_t most_;
  std::shared_ptr<Inbox> inbox_;  // shared with the `done` functions of what is under way
  std::deque<Errand> lanes_[kLanes];
  // Objects with an errand under way, and what waits behind it.
  std::unordered_map<std::string, std::deque<Errand>> busy_;
  size_t behind_ = 0;  // errands that wait there
  size_t under_way_[kLanes] = {};
  std::vector<Errand> slots_;  // what is under way, by slot
  std::vector<size_t> free_slots_;
};

}  // namespace basalt::scheduler
