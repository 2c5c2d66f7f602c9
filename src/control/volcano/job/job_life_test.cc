// The life of a job as writes: from nothing to Completed, and the ways in between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/volcano/job/job_test_words.h"

namespace basalt::volcano {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(JobLife, FromNothingToCompleted) {
  JobWorld world(workers());
  EXPECT_THAT(world.settle(), ElementsAre("create podgroups/ns/j", R"(status {"phase":"Pending","minAvailable":2})"));
  EXPECT_THAT(world.plan(), IsEmpty());
  world.admit("Pending");
  EXPECT_THAT(world.plan(), IsEmpty()) << "the queue has not let it in";
  world.admit();
  EXPECT_THAT(world.settle(), ElementsAre("create pods/ns/j-w-0", "create pods/ns/j-w-1",
                                          R"(status {"pending":2,"taskStatusCount":{"w":{"phase":{"Pending":2}}}})"));
  world.pod("j-w-0", "Running");
  EXPECT_THAT(world.settle(), ElementsAre(R"(status {"pending":1,"running":1,)"
                                          R"("taskStatusCount":{"w":{"phase":{"Pending":1,"Running":1}}}})"));
  world.pod("j-w-1", "Running");
  EXPECT_THAT(world.settle(), ElementsAre(HasSubstr(R"("phase":"Running")")));
  world.pass(Duration::seconds(65));
  world.all_pods("Succeeded");
  EXPECT_THAT(world.settle(), ElementsAre(HasSubstr(R"("phase":"Completed")"), "delete podgroups/ns/j"));
  EXPECT_EQ(world.number("succeeded"), 2);
  EXPECT_EQ(api::string_at(world.status(), "runningDuration"), "1m5s");
  EXPECT_EQ(world.message(), "2 of 2 pods succeeded");
  EXPECT_EQ(world.pods(), "j-w-0 Succeeded v0, j-w-1 Succeeded v0");
  EXPECT_THAT(world.plan(), IsEmpty());
}

TEST(JobLife, ConditionsFollowPhasesOnly) {
  auto world = running(workers());
  const text::Array* conditions = api::array_at(world->status(), {"conditions"});
  ASSERT_NE(conditions, nullptr);
  EXPECT_EQ(text::to_json(*conditions), R"([{"status":"Pending","lastTransitionTime":"2023-11-14T22:13:20Z"},)"
                                        R"({"status":"Running","lastTransitionTime":"2023-11-14T22:13:20Z"}])");
  world->pass(Duration::seconds(10));
  world->pod("j-w-0", "Succeeded");
  world->settle();
  EXPECT_EQ(api::string_at(world->status(), {"state", "lastTransitionTime"}), "2023-11-14T22:13:20Z");
}

TEST(JobLife, RestartJobReplacesPodsAndPodGroup) {
  auto world = running(workers("{event: PodFailed, action: RestartJob}"));
  world->slow_pods = true;
  world->pod("j-w-0", "Failed", 3);
  EXPECT_THAT(
      world->settle(),
      ElementsAre(HasSubstr(R"("phase":"Restarting","reason":"RestartJob","message":"pod j-w-0 failed with exit )"
                            R"(code 3; policy PodFailed → RestartJob")"),
                  "delete pods/ns/j-w-0", "delete pods/ns/j-w-1", "delete podgroups/ns/j", "create podgroups/ns/j",
                  testing::_));
  EXPECT_EQ(world->phase(), "Restarting") << "a pod is still ending";
  EXPECT_EQ(world->number("version"), 1);
  EXPECT_EQ(world->number("retryCount"), 1);
  EXPECT_EQ(world->pods(), "j-w-1 Running v0 leaving");
  world->bury();
  world->settle();
  EXPECT_EQ(world->phase(), "Pending");
  world->admit();
  world->settle();
  EXPECT_EQ(world->pods(), "j-w-0 Pending v1, j-w-1 Pending v1");
  EXPECT_THAT(world->told, testing::Contains("ExecuteAction: Start to execute action RestartJob"));
}

TEST(JobLife, RestartsEndInFailedAndKeepFinishedPods) {
  auto world = running(workers("{event: PodFailed, action: RestartJob}"));
  for (int round = 0; round < 3; ++round) {
    world->pod("j-w-0", "Failed", 1);
    world->settle();
    world->admit();
    world->settle();
    if (round < 2) {
      world->all_pods("Running");
      world->settle();
      EXPECT_EQ(world->phase(), "Running") << round;
    }
  }
  EXPECT_EQ(world->phase(), "Failed");
  EXPECT_EQ(world->number("retryCount"), 3);
  EXPECT_EQ(world->pods(), "j-w-0 Failed v2") << "the last restart keeps what finished";
  EXPECT_THAT(world->message(), HasSubstr("retry 3 is beyond maxRetry 3"));
  EXPECT_EQ(world->number("failed"), 1);
}

TEST(JobLife, RestartPodKeepsGroupVersionAndOthers) {
  auto world = running(workers("{event: PodFailed, action: RestartPod}"));
  world->pod("j-w-1", "Failed", 1);
  EXPECT_THAT(world->settle(),
              ElementsAre(R"(patch pods/ns/j-w-1 {"metadata":{"annotations":)"
                          R"({"volcano.sh/controller-out-of-sync":"true","basalt.sh/restart":"1"}}})",
                          HasSubstr(R"("phase":"Restarting","reason":"RestartPod")"), "delete pods/ns/j-w-1",
                          "create pods/ns/j-w-1", HasSubstr(R"("phase":"Pending")"), testing::_));
  EXPECT_EQ(world->pods(), "j-w-0 Running v0, j-w-1 Pending v0");
  EXPECT_EQ(world->number("retryCount"), 1);
  EXPECT_EQ(world->number("version"), 0);
  EXPECT_EQ(world->phase(), "Pending");
}

TEST(JobLife, RestartPartition) {
  auto world = running(job_of(4, task("a", 4, "partitionPolicy: {totalPartitions: 2, partitionSize: 2}"),
                              "policies: [{event: PodFailed, action: RestartPartition}]"));
  world->pod("j-a-2", "Failed", 1);
  world->settle();
  EXPECT_EQ(world->pods(), "j-a-0 Running v0, j-a-1 Running v0, j-a-2 Pending v0, j-a-3 Pending v0");
  EXPECT_EQ(world->number("retryCount"), 1);
}

TEST(JobLife, RestartTaskByExitCode) {
  auto world = running(job_of(3, task("a", 1) + "," + task("b", 2, "policies: [{exitCode: 7, action: RestartTask}]")));
  world->pod("j-b-1", "Failed", 8);
  world->settle();
  EXPECT_EQ(world->phase(), "Running") << "no policy is about this exit code";
  world->pod("j-b-1", "Failed", 7);
  world->settle();
  EXPECT_EQ(world->pods(), "j-a-0 Running v0, j-b-0 Pending v0, j-b-1 Pending v0");
  EXPECT_EQ(world->number("retryCount"), 1);
}

TEST(JobLife, EvictedPodIsReplacedOrAnswered) {
  auto plain = running(workers());
  plain->lose("pods/ns/j-w-0");
  plain->settle();
  EXPECT_EQ(plain->pods(), "j-w-0 Pending v0, j-w-1 Running v0");
  EXPECT_EQ(plain->number("retryCount"), 0);

  auto restarts = running(workers("{event: PodEvicted, action: RestartTask}"));
  restarts->lose("pods/ns/j-w-0");
  restarts->settle();
  EXPECT_EQ(restarts->pods(), "j-w-0 Pending v0, j-w-1 Pending v0");
  EXPECT_EQ(restarts->number("retryCount"), 1);

  auto ends = running(workers("{event: PodEvicted, action: TerminateJob}"));
  ends->lose("pods/ns/j-w-0");
  ends->settle();
  EXPECT_EQ(ends->phase(), "Terminated");
  EXPECT_EQ(ends->pods(), "");
}

TEST(JobLife, EvictionIsAnsweredOnceThoughThePlaceStaysEmpty) {
  auto world = running(workers("{event: PodEvicted, action: RestartPod}"));
  world->admit("Pending");
  world->lose("pods/ns/j-w-0");
  world->settle();
  EXPECT_EQ(world->number("retryCount"), 1);
  EXPECT_EQ(world->pods(), "j-w-1 Running v0");
  world->admit();
  world->settle();
  EXPECT_EQ(world->pods(), "j-w-0 Pending v0, j-w-1 Running v0");
  EXPECT_EQ(world->number("retryCount"), 1);
}

TEST(JobLife, SuspendAndResumeKeepFinishedPods) {
  auto world = running(workers());
  world->pod("j-w-0", "Succeeded");
  world->settle();
  world->slow_pods = true;
  world->command("suspend", "AbortJob");
  EXPECT_THAT(world->settle(),
              ElementsAre(HasSubstr(R"("phase":"Aborting","reason":"AbortJob","message":"command suspend, uid )"),
                          "delete commands/ns/suspend", "delete pods/ns/j-w-1", "delete podgroups/ns/j"));
  EXPECT_EQ(world->phase(), "Aborting");
  world->bury();
  world->settle();
  EXPECT_EQ(world->phase(), "Aborted");
  EXPECT_EQ(world->pods(), "j-w-0 Succeeded v0");
  world->command("resume", "ResumeJob");
  world->settle();
  world->admit();
  world->settle();
  EXPECT_EQ(world->phase(), "Pending");
  EXPECT_EQ(world->pods(), "j-w-0 Succeeded v0, j-w-1 Pending v2");
  EXPECT_EQ(world->number("retryCount"), 1);
  world->pod("j-w-1", "Running");
  world->settle();
  world->pod("j-w-1", "Succeeded");
  world->settle();
  EXPECT_EQ(world->phase(), "Completed");
  EXPECT_EQ(world->number("succeeded"), 2);
}

TEST(JobLife, CommandThatChangesNothingIsOnlyDeleted) {
  auto world = running(workers());
  world->command("a", "ResumeJob");
  world->command("b", "Whatever");
  EXPECT_THAT(
      world->notes(),
      ElementsAre("CommandIssued: Start to execute command ResumeJob, and clean it up to make sure executed not "
                  "more than once.",
                  HasSubstr("Start to execute command Whatever")));
  EXPECT_THAT(world->settle(), ElementsAre("delete commands/ns/a", "delete commands/ns/b"));
}

TEST(JobLife, TaskCompletedCompletesTheJob) {
  auto world =
      running(job_of(2, task("m", 1, "policies: [{event: TaskCompleted, action: CompleteJob}]") + "," + task("w", 1)));
  world->pod("j-m-0", "Succeeded");
  world->settle();
  EXPECT_EQ(world->phase(), "Completed");
  EXPECT_EQ(world->pods(), "j-m-0 Succeeded v0");
  EXPECT_EQ(world->reason(), "CompleteJob");
}

TEST(JobLife, TaskFailedByRestartsOfContainers) {
  auto world = running(workers("{event: TaskFailed, action: AbortJob}"));
  world->pod("j-w-0", "Running", 0, 2);
  EXPECT_THAT(world->plan(), IsEmpty());
  world->pod("j-w-1", "Running", 0, 1);
  world->settle();
  EXPECT_EQ(world->phase(), "Aborted");
}

TEST(JobLife, UnknownGroupAlsoAfterARestart) {
  auto world = running(workers("{event: Unknown, action: RestartJob}"));
  for (int64_t round = 1; round <= 2; ++round) {
    world->admit("Unknown");
    world->settle();
    EXPECT_EQ(world->number("version"), round);
    world->admit();
    world->settle();
    world->all_pods("Running");
    world->settle();
    EXPECT_EQ(world->phase(), "Running");
  }
}

TEST(JobLife, MinSuccessRemovesTheRest) {
  auto world = running(job_of(1, task("w", 2), "minSuccess: 1"));
  world->pod("j-w-1", "Succeeded");
  world->settle();
  EXPECT_EQ(world->phase(), "Completed");
  EXPECT_EQ(world->pods(), "j-w-1 Succeeded v0");
}

}  // namespace
}  // namespace basalt::volcano
