// Events for people: each Note once, and a note that repeats as a rising count.
//
// The same words about the same object within kQuiet are one event; later repeats raise its count. Memory is bounded
// (kMaxRemembered): beyond it the oldest are forgotten and would be told anew.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

#include "api/call.h"
#include "reconcile/plan.h"

namespace basalt::reconcile {

class EventLog {
 public:
  static constexpr size_t kMaxRemembered = 20'000;
  static constexpr Duration kQuiet = Duration::seconds(60);

  explicit EventLog(std::string component) : component_(std::move(component)) {}

  // The write that tells it; nothing when it was told just now.
  [[nodiscard]] std::optional<api::Call> tell(const Note& note, Instant now);

 private:
  struct Told {
    std::string name, space;
    Instant last;
    int64_t count = 1;
  };

  std::string component_;
  std::unordered_map<std::string, Told> told_;  // by uid, reason and message
  std::deque<std::string> order_;
};

}  // namespace basalt::reconcile
