#include "control/loop/pulse.h"

#include <gtest/gtest.h>

namespace basalt::loop {
namespace {

TEST(Pulse, RestsUntilItBeats) {
  Pulse pulse;
  EXPECT_EQ(pulse.busy_for(), Duration{});
  pulse.beat();
  const Duration first = pulse.busy_for();
  EXPECT_GE(pulse.busy_for(), first);
  pulse.rest();
  EXPECT_EQ(pulse.busy_for(), Duration{});
}

TEST(Pulse, SaysWhatItAwaits) {
  Pulse pulse;
  EXPECT_NE(pulse.awaited(), "");
  pulse.await("pods, nodes");
  EXPECT_EQ(pulse.awaited(), "pods, nodes");
  pulse.await("");
  EXPECT_EQ(pulse.awaited(), "");
}

}  // namespace
}  // namespace basalt::loop
