// Records Kubernetes events: each EventNote once, and a note that repeats as a rising count.
//
// The same words about the same object within kQuiet are one event; later repeats raise its count. Memory is bounded
// (kMaxRemembered, some 80 bytes each): beyond it the oldest are forgotten and would be recorded anew.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

#include "control/loop/write_plan.h"
#include "kube/api/call.h"

namespace basalt::loop {

class EventRecorder {
 public:
  static constexpr size_t kMaxRemembered = 20'000;
  static constexpr Duration kQuiet = Duration::seconds(60);
  // After so long without a repeat it is a new event: the old one may have expired.
  static constexpr Duration kStale = Duration::seconds(30 * 60);

  explicit EventRecorder(std::string component) : component_(std::move(component)) {}

  // The write that tells it; nothing when it was recorded just now.
  [[nodiscard]] std::optional<api::Call> record(const EventNote& note, Instant now);

 private:
  struct Recorded {
    uint64_t suffix = 0;  // of the event's name, behind that of the object
    Instant last;
    int64_t count = 1;
  };

  std::string component_;
  std::unordered_map<uint64_t, Recorded>
      recorded_;  // by a fingerprint of uid, reason and message; two alike cost an event
  std::deque<uint64_t> order_;
};

}  // namespace basalt::loop
