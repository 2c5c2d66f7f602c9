#include "control/node/local/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <latch>
#include <vector>

namespace basalt::node {
namespace {

using std::chrono::milliseconds;

TEST(ThreadPool, OneThreadKeepsTheOrder) {
  ThreadPool pool(1);
  std::vector<int> seen;
  std::promise<void> done;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.post([&seen, i] { seen.push_back(i); }));
  ASSERT_TRUE(pool.post([&done] { done.set_value(); }));
  done.get_future().get();
  ASSERT_EQ(seen.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

TEST(ThreadPool, WorkRunsSideBySide) {
  ThreadPool pool(3);
  std::latch together(3);  // nobody gets on before all three are here
  std::latch done(3);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(pool.post([&] {
      together.arrive_and_wait();
      done.count_down();
    }));
  }
  done.wait();
}

TEST(ThreadPool, WhatIsLaterComesInTheOrderOfItsTime) {
  ThreadPool pool(1);
  std::vector<int> seen;
  std::promise<void> done;
  std::promise<void> all_posted;
  std::shared_future<void> posted = all_posted.get_future().share();
  ASSERT_TRUE(pool.post([posted] { posted.wait(); }));
  ASSERT_TRUE(pool.post_in(milliseconds(40), [&] {
    seen.push_back(3);
    done.set_value();
  }));
  ASSERT_TRUE(pool.post_in(milliseconds(20), [&] { seen.push_back(2); }));
  ASSERT_TRUE(pool.post([&] { seen.push_back(1); }));
  all_posted.set_value();
  done.get_future().get();
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
}

TEST(ThreadPool, ClosingWaitsForWhatRunsAndDropsWhatIsLater) {
  ThreadPool pool(1);
  std::promise<void> begun;
  std::atomic<int> finished = 0;
  ASSERT_TRUE(pool.post([&] {
    begun.set_value();
    for (int i = 0; i < 1'000; ++i) ++finished;
  }));
  ASSERT_TRUE(pool.post_in(std::chrono::hours(1), [&] { finished = -1; }));
  begun.get_future().get();
  pool.close();
  EXPECT_EQ(finished, 1'000);
  EXPECT_FALSE(pool.post([] {}));
  EXPECT_FALSE(pool.post_in(milliseconds(1), [] {}));
}

TEST(ThreadPool, WorkMayPostWork) {
  ThreadPool pool(2);
  std::promise<int> done;
  ASSERT_TRUE(pool.post([&] { pool.post([&] { pool.post_in(milliseconds(1), [&] { done.set_value(7); }); }); }));
  EXPECT_EQ(done.get_future().get(), 7);
}

}  // namespace
}  // namespace basalt::node
