#include "base/value_pool.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace basalt {
namespace {

TEST(ValuePool, EqualValuesAreOne) {
  ValuePool<std::string> pool;
  const auto first = pool.share("worker");
  EXPECT_EQ(pool.share("worker"), first);
  EXPECT_NE(pool.share("master"), first);
  EXPECT_EQ(*first, "worker");
}

TEST(ValuePool, WhatNobodyHoldsGoes) {
  ValuePool<std::string> pool;
  std::vector<ValuePool<std::string>::Ptr> held;
  for (size_t i = 0; i < 10'000; ++i) {
    const auto one = pool.share(std::to_string(i));
    if (i % 100 == 0) held.push_back(one);
  }
  EXPECT_LE(pool.size(), 2 * held.size());
  for (size_t i = 0; i < held.size(); ++i) EXPECT_EQ(*held[i], std::to_string(i * 100));
}

}  // namespace
}  // namespace basalt
