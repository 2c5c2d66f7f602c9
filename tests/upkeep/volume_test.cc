// Large numbers must not change what a step costs per change.
#include <fmt/format.h>

#include "tests/upkeep/small_cluster.h"

namespace basalt {
namespace {

// Not timed: that every event is planned once when it comes and once when it goes is what keeps this cheap.
TEST(Volume, ManyEventsGoWhenTheirTimeComes) {
  constexpr int kEvents = 3000;
  KubeControllersFixture cluster({.event_life = Duration::seconds(100)});
  for (int i = 0; i < kEvents; ++i) {
    cluster.create(
        fmt::format("{{apiVersion: v1, kind: Event, metadata: {{name: e{}, namespace: default}}, "
                    "involvedObject: {{kind: Pod, name: p, namespace: default}}, reason: R, type: Normal}}",
                    i));
  }
  EXPECT_EQ(cluster.settle(), 0U);
  EXPECT_EQ(cluster.upkeep().counters().queued, size_t{kEvents});
  cluster.pass(Duration::seconds(50));
  EXPECT_EQ(cluster.list("v1/events/default").size(), size_t{kEvents});
  cluster.pass(Duration::seconds(60));
  EXPECT_EQ(cluster.list("v1/events/default").size(), 0U);
  EXPECT_EQ(cluster.upkeep().counters().refused, 0U);
}

}  // namespace
}  // namespace basalt
