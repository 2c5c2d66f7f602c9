// Writes and questions on their way to the API.
//
// 1. Nothing here waits: post() queues, pump() sends as much as may be under way (kMaxWritesUnderWay), take() answers
//    what came back. Answers arrive on any thread, also inside pump() when the server is in memory, and wake the loop's
//    thread.
// 2. Two writes about the same object are never under way at once; they go in the order in which they were posted,
//    within their lane.
// 3. Three lanes: what decisions need first, then status, then events. At most kMaxStatusUnderWay and
//    kMaxEventsUnderWay of the latter are under way, so that a decision finds a free connection. An event is sent only
//    when nothing else waits (event_queue.h says when), and nobody waits for its answer.
//
// Threads: all functions by one thread at a time; the WakeUp must outlive every answer (drain() before it goes).
// Cost: O(1) for each write.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "control/loop/completion_queue.h"
#include "kube/client/object_client.h"

namespace basalt::scheduler {

inline constexpr size_t kMaxStatusUnderWay = 16;
inline constexpr size_t kMaxEventsUnderWay = 32;

inline constexpr size_t kLanes = 3;  // decisions, status, events

enum class WriteKind : uint8_t {
  Bind,
  MarkVictim,    // the conditions that say why it goes
  DeleteVictim,  // after that
  OpenGate,
  WriteGroup,
  WritePod,
  WriteQueue,
  CreateQueue,
  TellConf,  // the ConfigMap of the conf: read, or shown what is in force
  ReadPod,
  ReadGroup,
  ReadJob,  // its templates
  SendEvent,
};

struct PendingWrite {
  WriteKind kind = WriteKind::SendEvent;
  std::string key;       // "namespace/name" or "name" of the object
  std::string uid;       // as it was when we decided
  std::string node;      // Bind: where to
  std::string reason;    // WritePod: of the condition; "": a nomination is withdrawn
  std::string note;      // Bind: what to tell once it is done; WritePod: the condition's message
  std::string for_whom;  // DeleteVictim: key of the pod that gets the room; ReadJob: key of its PodGroup
  Instant posted;
  api::Call call;  // gone once it is sent
};

struct CompletedWrite {
  PendingWrite write;
  client::ReplyOrError outcome;
};

class WriteQueue {
 public:
  // Requires: both outlive it. `most` may be under way.
  WriteQueue(client::ObjectClient& client, loop::WakeUp& wake_up, size_t most);
  ~WriteQueue();
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  void post(PendingWrite write);
  // Sends what may be sent; answers how much that was.
  size_t pump();
  [[nodiscard]] std::vector<CompletedWrite> take();
  void drain();  // until nothing is under way; what was not sent stays

  [[nodiscard]] size_t decisions_waiting() const;  // not sent, status and events aside
  // A decision waits or is under way: the server has better to do than to take status.
  [[nodiscard]] bool is_deciding() const;
  // There is room for one more event.
  [[nodiscard]] bool takes_event() const;
  [[nodiscard]] bool has_answers() const;
  [[nodiscard]] bool can_send() const;  // pump() has something to do

 private:
  struct Completion;

  static size_t lane_of(WriteKind kind);
  void send(PendingWrite write);
  // The next write that may go, or nothing.
  std::optional<PendingWrite> next();
  // Something waits in this lane, and may go as far as its lane goes.
  [[nodiscard]] bool may_go(size_t lane) const;

  client::ObjectClient& client_;
  size_t most_;
  std::shared_ptr<loop::CompletionQueue<Completion>>
      completions_;  // shared with the `done` functions of what is under way
  std::deque<PendingWrite> lanes_[kLanes];
  // Objects with a write under way, and what waits behind it.
  std::unordered_map<std::string, std::deque<PendingWrite>> busy_;
  size_t behind_ = 0;  // writes that wait there
  size_t under_way_[kLanes] = {};
  std::vector<PendingWrite> slots_;  // what is under way, by slot
  std::vector<size_t> free_slots_;
};

}  // namespace basalt::scheduler
