#include "engine/model/touch_log.h"

#include <gtest/gtest.h>

namespace basalt::model {
namespace {

NodeId node(uint32_t index) { return NodeId(index); }

std::vector<uint32_t> since(const TouchLog& log, uint64_t position) {
  std::vector<uint32_t> seen;
  log.visit_since(position, [&](NodeId id) { seen.push_back(id.value); });
  return seen;
}

TEST(TouchLog, VisitsEachNodeOnceAtItsLastTouch) {
  TouchLog log;
  log.touch(node(4));
  log.touch(node(1));
  log.touch(node(4));
  log.touch(node(2));
  EXPECT_EQ(since(log, log.begin()), (std::vector<uint32_t>{1, 4, 2}));
}

TEST(TouchLog, ShowsAReaderOnlyWhatItHasNotSeen) {
  TouchLog log;
  log.touch(node(1));
  const uint64_t read = log.end();
  EXPECT_TRUE(since(log, read).empty());
  log.touch(node(2));
  log.touch(node(1));
  EXPECT_EQ(since(log, read), (std::vector<uint32_t>{2, 1}));
}

TEST(TouchLog, DropsItsHeadOnlyWhenLong) {
  TouchLog log;
  log.touch(node(1));
  log.trim();
  EXPECT_EQ(log.begin(), 0U);
  for (size_t i = 0; i < TouchLog::kMaxEntries; ++i) log.touch(node(static_cast<uint32_t>(i % 3)));
  const uint64_t end = log.end();
  log.trim();
  EXPECT_EQ(log.begin(), end);  // positions go on: a reader from before sees that it missed something
  EXPECT_EQ(log.end(), end);
  log.touch(node(2));
  EXPECT_EQ(since(log, end), (std::vector<uint32_t>{2}));
}

}  // namespace
}  // namespace basalt::model
