#include "control/loop/work_queue.h"

#include <gmock/gmock.h>

namespace basalt::loop {
namespace {

constexpr Instant at(int64_t second) { return Instant::from_unix_seconds(second); }

std::vector<std::string> names(const std::vector<Item>& items) {
  std::vector<std::string> list;
  for (const Item& item : items) list.push_back(std::to_string(item.controller) + item.name);
  return list;
}

TEST(WorkQueue, GivesEachItemOnceInTheOrderOfTime) {
  WorkQueue queue;
  queue.add({0, "late"}, at(20));
  queue.add({1, "b"}, at(10));
  queue.add({0, "b"}, at(10));
  queue.add({0, "a"}, at(10));
  queue.add({0, "a"}, at(15));  // waits already, earlier
  queue.add({0, "late"}, at(12));
  EXPECT_EQ(queue.next_due(), at(10));
  EXPECT_THAT(names(queue.take_due(at(10), 2)), testing::ElementsAre("0a", "0b"));
  EXPECT_THAT(names(queue.take_due(at(30), 9)), testing::ElementsAre("1b", "0late"));
  EXPECT_EQ(queue.next_due(), std::nullopt);
}

TEST(WorkQueue, WhatFailsComesBackLaterAndLaterUntilItSucceeds) {
  WorkQueue queue;
  const Item item{0, "x"};
  std::vector<int64_t> waits;
  for (int i = 0; i < 20; ++i) {
    queue.retry(item, at(100));
    waits.push_back((*queue.next_due() - at(100)).nanos / 1'000'000);
    EXPECT_EQ(queue.take_due(at(1000), 9).size(), 1U);
  }
  EXPECT_EQ(waits[0], 10);
  EXPECT_EQ(waits[3], 80);
  EXPECT_EQ(waits[19], 60'000);
  queue.succeeded(item);
  queue.retry(item, at(100));
  EXPECT_EQ(*queue.next_due() - at(100), kFirstRetry);
}

}  // namespace
}  // namespace basalt::loop
