// Seeds of a property test, and how to run one again.
//
//   BASALT_SEED=17    only this seed
//   BASALT_SEEDS=500  that many seeds instead of the default
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace basalt::property {

inline uint64_t number_from_environment(const char* name, uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? fallback : std::strtoull(text, nullptr, 10);
}

// Calls property(seed), which returns "" or what is wrong, for each seed; stops at the third that fails.
template <class Property>
void for_seeds(uint64_t seeds, Property property) {
  constexpr int kEnough = 3;
  const uint64_t only = number_from_environment("BASALT_SEED", 0);
  const uint64_t first = only != 0 ? only : 1;
  const uint64_t last = only != 0 ? only : number_from_environment("BASALT_SEEDS", seeds);
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  int failures = 0;
  for (uint64_t seed = first; seed <= last && failures < kEnough; ++seed) {
    const std::string wrong = property(seed);
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ": " << wrong << "\nrerun: BASALT_SEED=" << seed << " build/dev/bin/… "
                  << "--gtest_filter=" << test->test_suite_name() << "." << test->name();
  }
}

}  // namespace basalt::property
