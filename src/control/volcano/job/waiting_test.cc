// What a job says while its gang waits, and while its pods are taken away.
#include "control/volcano/job/waiting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/volcano/job/job_test_words.h"

namespace basalt::volcano {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void group_waits(JobWorld& world, std::string_view status, std::string_view reason, std::string_view message) {
  for (const std::string& place : world.places("podgroups/")) {
    world.patch(place, fmt::format(R"({{"status":{{"conditions":[{{"type":"Unschedulable","status":"True",)"
                                   R"("reason":"NotEnoughResources","message":"2/2 tasks"}},)"
                                   R"({{"type":"Waiting","status":"{}","reason":"{}","message":"{}"}}]}}}})",
                                   status, reason, message));
  }
}

std::string conditions_of(const JobWorld& world) {
  const text::Array* conditions = api::array_at(world.status(), {"conditions"});
  return conditions == nullptr ? "" : text::to_json(*conditions);
}

TEST(JobWaiting, SaysWhyUntilItRuns) {
  JobWorld world(workers());
  world.settle();
  group_waits(world, "True", "ClusterFull", "needs 2 cpu; the cluster has 1 of 4 free");
  EXPECT_THAT(world.settle(), ElementsAre(HasSubstr(R"("reason":"ClusterFull","message":"needs 2 cpu; the cluster)")));
  EXPECT_EQ(world.reason(), "ClusterFull");
  EXPECT_EQ(world.message(), "needs 2 cpu; the cluster has 1 of 4 free");
  EXPECT_THAT(conditions_of(world), HasSubstr(R"("reason":"ClusterFull","message":"needs 2 cpu; the cluster has 1)"));
  EXPECT_THAT(world.plan(), IsEmpty());

  world.admit();
  world.settle();
  world.all_pods("Running");  // the group may say it later
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
  EXPECT_EQ(world.reason() + world.message(), "");
  EXPECT_THAT(conditions_of(world), Not(HasSubstr("ClusterFull")));
  EXPECT_THAT(world.plan(), IsEmpty());
}

TEST(JobWaiting, AnEventTellsEachReasonOnceAndNumbersNever) {
  JobWorld world(workers());
  world.settle();
  group_waits(world, "True", "ClusterFull", "1 of 4 free");
  world.settle();
  EXPECT_THAT(world.told, Contains("ClusterFull: 1 of 4 free").Times(1));
  group_waits(world, "True", "ClusterFull", "0 of 4 free");
  world.settle();
  EXPECT_EQ(world.message(), "0 of 4 free");
  EXPECT_THAT(world.told, Not(Contains("ClusterFull: 0 of 4 free")));
  group_waits(world, "True", "NeverFits", "cannot ever run");
  world.settle();
  EXPECT_THAT(world.told, Contains("NeverFits: cannot ever run").Times(1));
  EXPECT_THAT(world.told, Contains("PodGroupPending: PodGroup ns:j unschedulable, reason: 2/2 tasks"));
  group_waits(world, "False", "Placed", "");
  world.settle();
  EXPECT_EQ(world.reason() + world.message(), "");
}

TEST(JobWaiting, ACommandThatIsNotGoneKeepsItsWords) {
  JobWorld world(workers());
  world.settle();
  group_waits(world, "True", "ClusterFull", "1 of 4 free");
  world.settle();
  world.command("c", "AbortJob");
  world.settle();
  EXPECT_EQ(world.phase(), "Aborted");
  EXPECT_THAT(world.message(), HasSubstr("command c, uid "));
}

TEST(JobTerminating, PodsThatTheActionRemovesCountInTheWriteThatEntersThePhase) {
  auto world = running(workers("{event: PodFailed, action: RestartJob}"));
  world->pod("j-w-0", "Failed", 3);
  EXPECT_THAT(world->settle().front(),
              testing::AllOf(HasSubstr(R"("phase":"Restarting")"), HasSubstr(R"("terminating":2)")));
  for (const char* action : {"AbortJob", "TerminateJob", "CompleteJob"}) {
    auto other = running(workers());
    other->command("c", action);
    EXPECT_THAT(other->settle().front(), HasSubstr(R"("terminating":2)")) << action;
  }
}

TEST(JobTerminating, SoDoesThePodOfATargetedRestart) {
  auto world = running(workers("{event: PodFailed, action: RestartPod}"));
  world->pod("j-w-1", "Failed", 3);
  EXPECT_THAT(world->settle(),
              Contains(testing::AllOf(HasSubstr(R"("phase":"Restarting")"), HasSubstr(R"("terminating":1)"))));
}

}  // namespace
}  // namespace basalt::volcano
