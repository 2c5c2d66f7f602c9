// Random lives of jobs, one per seed: what must hold holds (life_checks.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "tests/life/random_life.h"
#include "tests/property/seeds.h"

namespace basalt::lab {
namespace {

constexpr uint64_t kSeeds = 8;
constexpr size_t kSteps = 500;  // a life is long, because a new cluster takes as long as a hundred steps

TEST(RandomLives, WhatMustHoldHolds) {
  std::set<std::string> seen_phases;
  property::for_seeds(kSeeds, [&](uint64_t seed) {
    RandomLife life(seed);
    std::string wrong = life.live(kSteps);
    seen_phases.insert(life.seen_phases().begin(), life.seen_phases().end());
    return wrong;
  });
  const bool all_seeds = std::getenv("BASALT_SEED") == nullptr && std::getenv("BASALT_SEEDS") == nullptr;
  if (!all_seeds) return;
  EXPECT_THAT(seen_phases,
              testing::IsSupersetOf({"Pending", "Running", "Restarting", "Aborting", "Aborted", "Completing",
                                     "Completed", "Terminating", "Terminated", "Failed", "deleted"}));
}

}  // namespace
}  // namespace basalt::lab
