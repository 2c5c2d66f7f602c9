// One measured run: a name, a generated cluster, the cycle that is timed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace basalt::lab {

struct BenchResult {
  std::string name;
  std::string what;  // one line for people
  double cycle_ms = 0;
  std::vector<std::pair<std::string, double>> phases_ms;
  uint64_t placed = 0;
  uint64_t expected = 0;     // pods that should have been placed
  uint64_t evaluations = 0;  // class × node rows looked at
  uint64_t nodes = 0, pods = 0;
  int64_t peak_kib = 0;  // of the whole process, set by whoever waited for it
};

struct BenchCase {
  std::string name;
  BenchResult (*run)(const BenchCase& self);
  size_t nodes = 0, jobs = 0, gang = 0, templates = 1;
  bool distinct = false, all_distinct = false;
};

// The cases in the order they are shown.
std::vector<BenchCase> headline_cases();
std::vector<BenchCase> growth_cases(bool all_distinct);
// preempt, reclaim, and preempt when nobody may be evicted, each for three sizes.
std::vector<BenchCase> eviction_cases();

}  // namespace basalt::lab
