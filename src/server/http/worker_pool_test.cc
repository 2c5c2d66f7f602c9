#include "server/http/worker_pool.h"

#include <gtest/gtest.h>

#include <future>

namespace basalt::server {
namespace {

constexpr std::chrono::seconds kTestTimeout{20};

TEST(WorkerPool, WithoutThreadsTheCallerWorks) {
  WorkerPool pool(0);
  std::thread::id where;
  EXPECT_TRUE(pool.post({.run = [&] { where = std::this_thread::get_id(); }, .late = [] { ADD_FAILURE(); }}));
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(WorkerPool, WhatIsOneTooManyIsRefusedAndTheRestIsAnsweredOnce) {
  std::promise<void> begun, go;
  std::atomic<int> answered{0};
  {
    WorkerPool pool(1, 2);
    std::thread::id where;
    ASSERT_TRUE(pool.post({.run =
                               [&] {
                                 where = std::this_thread::get_id();
                                 begun.set_value();
                                 go.get_future().wait();
                               },
                           .late = [] { ADD_FAILURE(); }}));
    ASSERT_EQ(begun.get_future().wait_for(kTestTimeout), std::future_status::ready);
    EXPECT_NE(where, std::this_thread::get_id());
    const WorkerPool::Work one{.run = [&answered] { ++answered; }, .late = [&answered] { ++answered; }};
    EXPECT_TRUE(pool.post(one));
    EXPECT_TRUE(pool.post(one));
    EXPECT_FALSE(pool.post(one));
    EXPECT_EQ(pool.waiting(), 2U);
    EXPECT_EQ(pool.running(), 1U);
    EXPECT_EQ(answered, 0);
    go.set_value();
  }
  EXPECT_EQ(answered, 2);  // done, or told that it is late because the pool ended
}

TEST(WorkerPool, EverythingThatIsTakenIsDone) {
  std::atomic<int> done{0};
  std::promise<void> all;
  WorkerPool pool(3);
  int posted = 0;
  for (int i = 0; i < 500; ++i) {
    posted += pool.post({.run =
                             [&] {
                               if (++done == 500) all.set_value();
                             },
                         .late = [] { ADD_FAILURE(); }})
                  ? 1
                  : 0;
  }
  ASSERT_EQ(posted, 500);
  EXPECT_EQ(all.get_future().wait_for(kTestTimeout), std::future_status::ready);
}

}  // namespace
}  // namespace basalt::server
