// Pods that failed because their node was restarted under them: evicted, not failed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/volcano/job/job_spec_builders.h"

namespace basalt::volcano {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

void lose_with_node(JobFixture& fixture, std::string_view pod) {
  fixture.patch(fmt::format("pods/ns/{}", pod),
                R"({"status":{"phase":"Failed","reason":"NodeRestarted","conditions":[{"type":"DisruptionTarget",)"
                R"("status":"True","reason":"NodeRestarted"}],"containerStatuses":[{"name":"c",)"
                R"("state":{"terminated":{"exitCode":137,"reason":"NodeRestarted"}}}]}})");
}

TEST(JobLostPods, AreMadeAgainAndCountAsNoFailure) {
  auto fixture = running(workers("{event: PodFailed, action: AbortJob}"));
  for (const char* pod : {"j-w-0", "j-w-1"}) lose_with_node(*fixture, pod);
  EXPECT_THAT(fixture->settle(), Not(Contains(HasSubstr(R"("failed":)"))));
  EXPECT_EQ(fixture->pods(), "j-w-0 Pending v0, j-w-1 Pending v0");
  EXPECT_EQ(fixture->phase(), "Pending");
  EXPECT_EQ(fixture->number("retryCount") + fixture->number("failed"), 0);
  EXPECT_THAT(fixture->told, Contains("PodLost: pod j-w-0 was lost when its node was restarted; it is made again"));
  fixture->all_pods("Running");
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Running");
}

TEST(JobLostPods, AFailureOfAnotherKindStaysOne) {
  auto fixture = running(workers("{event: PodFailed, action: AbortJob}"));
  fixture->pod("j-w-0", "Failed", 137);
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Aborted");
}

TEST(JobLostPods, ArePodEvictedForPolicies) {
  for (const char* action : {"RestartTask", "RestartPod"}) {
    auto fixture = running(workers(fmt::format("{{event: PodEvicted, action: {}}}", action)));
    lose_with_node(*fixture, "j-w-0");
    fixture->settle();
    const bool whole_task = std::string_view(action) == "RestartTask";
    EXPECT_EQ(fixture->pods(),
              whole_task ? "j-w-0 Pending v0, j-w-1 Pending v0" : "j-w-0 Pending v0, j-w-1 Running v0");
    EXPECT_EQ(fixture->number("retryCount"), 1) << "answered once";
  }
  auto ends = running(workers("{event: PodEvicted, action: TerminateJob}"));
  lose_with_node(*ends, "j-w-0");
  ends->settle();
  EXPECT_EQ(ends->phase(), "Terminated");
}

TEST(JobLostPods, EveryStopOfTheControllerLeadsToTheSameEnd) {
  for (const char* policy :
       {"", "{event: PodEvicted, action: RestartPod}", "{event: PodEvicted, action: RestartJob, timeout: 30s}"}) {
    std::string whole;
    for (size_t stop = 0; stop < 12; ++stop) {
      SCOPED_TRACE(fmt::format("{} stopped after {}", policy, stop));
      auto fixture = running(workers(policy));
      lose_with_node(*fixture, "j-w-0");
      if (stop > 0) {
        fixture->settle(stop);
        fixture->restart();
      }
      fixture->settle();
      fixture->pass(Duration::seconds(31));
      fixture->settle();
      fixture->admit();
      fixture->settle();
      if (stop == 0) whole = fixture->summary();
      EXPECT_EQ(fixture->summary(), whole);
    }
  }
}

}  // namespace
}  // namespace basalt::volcano
