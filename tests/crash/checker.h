// Knows what was issued and acknowledged in all lives, and holds the store against it after each kill.
//
// 1. Every acknowledged write is there, or was replaced by a later one of the same key that was at least issued.
// 2. What is there was issued, and is whole.
// 3. Revisions are never used twice and have no gap: a write that is there has all earlier ones before it.
// 4. The kept events, replayed over the oldest kept state, give the present one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "server/store/store.h"
#include "tests/crash/writer_protocol.h"

namespace basalt::crash {

class Checker {
 public:
  void hear(const WriterMessage& message);
  // After a kill. The failures are GoogleTest's.
  void check(const store::Store& store);

  [[nodiscard]] uint64_t acknowledged() const { return acknowledged_; }

 private:
  struct Op {
    uint64_t number = 0;
    bool removes = false;
  };
  struct KeyHistory {  // of one key, since the last check
    Op start;          // what the last check found; number 0 and removes: nothing
    std::vector<Op> issued;
    size_t acknowledged = 0;  // how many of `issued`: they are told in order
  };

  void check_key(const store::Store& store, uint32_t key, KeyHistory& life);
  void check_events(const store::Store& store);

  std::map<uint32_t, KeyHistory> histories_;
  store::Revision highest_seen_ = 0;  // acknowledged, in any life
  uint64_t acknowledged_ = 0;
};

}  // namespace basalt::crash
