// The only source of chance: a small, seeded generator (splitmix64). Same seed, same sequence, on every machine.
#pragma once

#include <cstdint>

namespace basalt {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }
  // A number in [0, bound). Requires: bound > 0. The bias of the modulo is below 2^-32 for our bounds.
  uint64_t below(uint64_t bound) { return next() % bound; }
  // A number in [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
  }
  bool chance(double probability) { return static_cast<double>(next() >> 11U) * 0x1.0p-53 < probability; }

 private:
  uint64_t state_;
};

}  // namespace basalt
