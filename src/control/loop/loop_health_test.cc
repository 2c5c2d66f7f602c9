#include "control/loop/loop_health.h"

#include <gtest/gtest.h>

namespace basalt::loop {
namespace {

TEST(LoopHealth, RestsUntilItBeats) {
  LoopHealth health;
  EXPECT_EQ(health.busy_for(), Duration{});
  health.mark_busy();
  const Duration first = health.busy_for();
  EXPECT_GE(health.busy_for(), first);
  health.mark_idle();
  EXPECT_EQ(health.busy_for(), Duration{});
}

TEST(LoopHealth, SaysWhatItAwaits) {
  LoopHealth health;
  EXPECT_NE(health.unsynced(), "");
  health.set_unsynced("pods, nodes");
  EXPECT_EQ(health.unsynced(), "pods, nodes");
  health.set_unsynced("");
  EXPECT_EQ(health.unsynced(), "");
}

}  // namespace
}  // namespace basalt::loop
