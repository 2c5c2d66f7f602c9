// When an informer tries again, and for how long it watches. Spread by kind, so that neither the kinds of one program
// nor the programs of a cluster all come back to a server at the same moment; without chance, so that runs are
// repeatable.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/instant.h"
#include "base/rng.h"
#include "control/loop/kind_id.h"
#include "control/loop/work_queue.h"

namespace basalt::loop {

inline constexpr Duration kLongestReopen = Duration::seconds(5);  // a server that is back is noticed soon
inline constexpr int64_t kShortestWatchSeconds = 300, kLongestWatchSeconds = 600;

[[nodiscard]] inline Rng rng_for(uint64_t seed, KindId kind, uint64_t number) {
  Rng of_kind(seed ^ (uint64_t{kind.value} << 32U));
  return Rng(of_kind.next() ^ number);
}

// After `failures` attempts in vain: nothing after none, then kFirstRetry doubled again and again, at most `longest`;
// of that, between a half and the whole.
[[nodiscard]] inline Duration reopen_delay(uint64_t seed, KindId kind, int failures, Duration longest) {
  constexpr int kDoublings = 13;
  if (failures <= 0) return {};
  const int64_t whole = std::min(kFirstRetry.nanos << std::min(failures, kDoublings), longest.nanos);
  Rng chance = rng_for(seed, kind, static_cast<uint64_t>(failures));
  return {chance.between(whole / 2, whole)};
}

// What the server is asked to end the watch number `opening` after.
[[nodiscard]] inline int64_t watch_seconds(uint64_t seed, KindId kind, uint64_t opening) {
  return rng_for(seed, kind, opening).between(kShortestWatchSeconds, kLongestWatchSeconds);
}

}  // namespace basalt::loop
