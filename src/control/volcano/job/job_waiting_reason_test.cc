// What a job says while its gang waits, and while its pods are taken away.
#include "control/volcano/job/job_waiting_reason.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/volcano/job/job_spec_builders.h"

namespace basalt::volcano {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void group_waits(JobFixture& fixture, std::string_view status, std::string_view reason, std::string_view message) {
  for (const std::string& place : fixture.places("podgroups/")) {
    fixture.patch(place, fmt::format(R"({{"status":{{"conditions":[{{"type":"Unschedulable","status":"True",)"
                                     R"("reason":"NotEnoughResources","message":"2/2 tasks"}},)"
                                     R"({{"type":"Waiting","status":"{}","reason":"{}","message":"{}"}}]}}}})",
                                     status, reason, message));
  }
}

std::string conditions_of(const JobFixture& fixture) {
  const text::Array* conditions = api::array_at(fixture.status(), {"conditions"});
  return conditions == nullptr ? "" : text::to_json(*conditions);
}

TEST(JobWaiting, SaysWhyUntilItRuns) {
  JobFixture fixture(workers());
  fixture.settle();
  group_waits(fixture, "True", "ClusterFull", "needs 2 cpu; the cluster has 1 of 4 free");
  EXPECT_THAT(fixture.settle(),
              ElementsAre(HasSubstr(R"("reason":"ClusterFull","message":"needs 2 cpu; the cluster)")));
  EXPECT_EQ(fixture.reason(), "ClusterFull");
  EXPECT_EQ(fixture.message(), "needs 2 cpu; the cluster has 1 of 4 free");
  EXPECT_THAT(conditions_of(fixture), HasSubstr(R"("reason":"ClusterFull","message":"needs 2 cpu; the cluster has 1)"));
  EXPECT_THAT(fixture.plan(), IsEmpty());

  fixture.admit();
  fixture.settle();
  fixture.all_pods("Running");  // the group may say it later
  fixture.settle();
  EXPECT_EQ(fixture.phase(), "Running");
  EXPECT_EQ(fixture.reason() + fixture.message(), "");
  EXPECT_THAT(conditions_of(fixture), Not(HasSubstr("ClusterFull")));
  EXPECT_THAT(fixture.plan(), IsEmpty());
}

TEST(JobWaiting, AnEventTellsEachReasonOnceAndNumbersNever) {
  JobFixture fixture(workers());
  fixture.settle();
  group_waits(fixture, "True", "ClusterFull", "1 of 4 free");
  fixture.settle();
  EXPECT_THAT(fixture.told, Contains("ClusterFull: 1 of 4 free").Times(1));
  group_waits(fixture, "True", "ClusterFull", "0 of 4 free");
  fixture.settle();
  EXPECT_EQ(fixture.message(), "0 of 4 free");
  EXPECT_THAT(fixture.told, Not(Contains("ClusterFull: 0 of 4 free")));
  group_waits(fixture, "True", "NeverFits", "cannot ever run");
  fixture.settle();
  EXPECT_THAT(fixture.told, Contains("NeverFits: cannot ever run").Times(1));
  EXPECT_THAT(fixture.told, Contains("PodGroupPending: PodGroup ns:j unschedulable, reason: 2/2 tasks"));
  group_waits(fixture, "False", "Placed", "");
  fixture.settle();
  EXPECT_EQ(fixture.reason() + fixture.message(), "");
}

TEST(JobWaiting, AnAbortedJobSaysWhoSuspendedIt) {
  JobFixture fixture(workers());
  fixture.settle();
  group_waits(fixture, "True", "ClusterFull", "1 of 4 free");
  fixture.settle();
  fixture.command("c", "AbortJob");
  fixture.settle();
  EXPECT_EQ(fixture.phase(), "Aborted");
  EXPECT_EQ(fixture.message(), "suspended by command c");
}

TEST(JobTerminating, PodsThatTheActionRemovesCountInTheWriteThatEntersThePhase) {
  auto fixture = running(workers("{event: PodFailed, action: RestartJob}"));
  fixture->pod("j-w-0", "Failed", 3);
  EXPECT_THAT(fixture->settle().front(),
              testing::AllOf(HasSubstr(R"("phase":"Restarting")"), HasSubstr(R"("terminating":2)")));
  for (const char* action : {"AbortJob", "TerminateJob", "CompleteJob"}) {
    auto other = running(workers());
    other->command("c", action);
    EXPECT_THAT(other->settle().front(), HasSubstr(R"("terminating":2)")) << action;
  }
}

TEST(JobTerminating, SoDoesThePodOfATargetedRestart) {
  auto fixture = running(workers("{event: PodFailed, action: RestartPod}"));
  fixture->pod("j-w-1", "Failed", 3);
  EXPECT_THAT(fixture->settle(),
              Contains(testing::AllOf(HasSubstr(R"("phase":"Restarting")"), HasSubstr(R"("terminating":1)"))));
}

}  // namespace
}  // namespace basalt::volcano
