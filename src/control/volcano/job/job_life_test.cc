// The life of a job as writes: from nothing to Completed, and the ways in between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/volcano/job/job_spec_builders.h"

namespace basalt::volcano {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(JobLife, FromNothingToCompleted) {
  JobFixture fixture(workers());
  EXPECT_THAT(fixture.settle(), ElementsAre("create podgroups/ns/j", R"(status {"phase":"Pending","minAvailable":2})"));
  EXPECT_THAT(fixture.plan(), IsEmpty());
  fixture.admit("Pending");
  EXPECT_THAT(fixture.plan(), IsEmpty()) << "the queue has not let it in";
  fixture.admit();
  EXPECT_THAT(fixture.settle(), ElementsAre("create pods/ns/j-w-0", "create pods/ns/j-w-1",
                                            R"(status {"pending":2,"taskStatusCount":{"w":{"phase":{"Pending":2}}}})"));
  fixture.pod("j-w-0", "Running");
  EXPECT_THAT(fixture.settle(), ElementsAre(R"(status {"pending":1,"running":1,)"
                                            R"("taskStatusCount":{"w":{"phase":{"Pending":1,"Running":1}}}})"));
  fixture.pod("j-w-1", "Running");
  EXPECT_THAT(fixture.settle(), ElementsAre(HasSubstr(R"("phase":"Running")")));
  fixture.pass(Duration::seconds(65));
  fixture.all_pods("Succeeded");
  EXPECT_THAT(fixture.settle(), ElementsAre(HasSubstr(R"("phase":"Completed")"), "delete podgroups/ns/j"));
  EXPECT_EQ(fixture.number("succeeded"), 2);
  EXPECT_EQ(api::string_at(fixture.status(), "runningDuration"), "1m5s");
  EXPECT_EQ(fixture.message(), "2 of 2 pods succeeded");
  EXPECT_EQ(fixture.pods(), "j-w-0 Succeeded v0, j-w-1 Succeeded v0");
  EXPECT_THAT(fixture.plan(), IsEmpty());
}

TEST(JobLife, ConditionsFollowPhasesOnly) {
  auto fixture = running(workers());
  const text::Array* conditions = api::array_at(fixture->status(), {"conditions"});
  ASSERT_NE(conditions, nullptr);
  EXPECT_EQ(text::to_json(*conditions), R"([{"status":"Pending","lastTransitionTime":"2023-11-14T22:13:20Z"},)"
                                        R"({"status":"Running","lastTransitionTime":"2023-11-14T22:13:20Z"}])");
  fixture->pass(Duration::seconds(10));
  fixture->pod("j-w-0", "Succeeded");
  fixture->settle();
  EXPECT_EQ(api::string_at(fixture->status(), {"state", "lastTransitionTime"}), "2023-11-14T22:13:20Z");
}

TEST(JobLife, RestartJobReplacesPodsAndPodGroup) {
  auto fixture = running(workers("{event: PodFailed, action: RestartJob}"));
  fixture->slow_pods = true;
  fixture->pod("j-w-0", "Failed", 3);
  EXPECT_THAT(
      fixture->settle(),
      ElementsAre(HasSubstr(R"("phase":"Restarting","reason":"RestartJob","message":"pod j-w-0 failed with exit )"
                            R"(code 3; policy PodFailed → RestartJob")"),
                  "delete pods/ns/j-w-0", "delete pods/ns/j-w-1", "delete podgroups/ns/j", "create podgroups/ns/j",
                  testing::_));
  EXPECT_EQ(fixture->phase(), "Restarting") << "a pod is still ending";
  EXPECT_EQ(fixture->number("version"), 1);
  EXPECT_EQ(fixture->number("retryCount"), 1);
  EXPECT_EQ(fixture->pods(), "j-w-1 Running v0 leaving");
  fixture->bury();
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Pending");
  fixture->admit();
  fixture->settle();
  EXPECT_EQ(fixture->pods(), "j-w-0 Pending v1, j-w-1 Pending v1");
  EXPECT_THAT(fixture->told, testing::Contains("ExecuteAction: Start to execute action RestartJob"));
}

TEST(JobLife, RestartsEndInFailedAndKeepFinishedPods) {
  auto fixture = running(workers("{event: PodFailed, action: RestartJob}"));
  for (int round = 0; round < 3; ++round) {
    fixture->pod("j-w-0", "Failed", 1);
    fixture->settle();
    fixture->admit();
    fixture->settle();
    if (round < 2) {
      fixture->all_pods("Running");
      fixture->settle();
      EXPECT_EQ(fixture->phase(), "Running") << round;
    }
  }
  EXPECT_EQ(fixture->phase(), "Failed");
  EXPECT_EQ(fixture->number("retryCount"), 3);
  EXPECT_EQ(fixture->pods(), "j-w-0 Failed v2") << "the last restart keeps what finished";
  EXPECT_THAT(fixture->message(), HasSubstr("retry 3 is beyond maxRetry 3"));
  EXPECT_EQ(fixture->number("failed"), 1);
}

TEST(JobLife, RestartPodKeepsGroupVersionAndOthers) {
  auto fixture = running(workers("{event: PodFailed, action: RestartPod}"));
  fixture->pod("j-w-1", "Failed", 1);
  EXPECT_THAT(fixture->settle(),
              ElementsAre(R"(patch pods/ns/j-w-1 {"metadata":{"annotations":)"
                          R"({"volcano.sh/controller-out-of-sync":"true","basalt.sh/restart":"1"}}})",
                          HasSubstr(R"("phase":"Restarting","reason":"RestartPod")"), "delete pods/ns/j-w-1",
                          "create pods/ns/j-w-1", HasSubstr(R"("phase":"Pending")"), testing::_));
  EXPECT_EQ(fixture->pods(), "j-w-0 Running v0, j-w-1 Pending v0");
  EXPECT_EQ(fixture->number("retryCount"), 1);
  EXPECT_EQ(fixture->number("version"), 0);
  EXPECT_EQ(fixture->phase(), "Pending");
}

TEST(JobLife, RestartPartition) {
  auto fixture = running(job_of(4, task("a", 4, "partitionPolicy: {totalPartitions: 2, partitionSize: 2}"),
                                "policies: [{event: PodFailed, action: RestartPartition}]"));
  fixture->pod("j-a-2", "Failed", 1);
  fixture->settle();
  EXPECT_EQ(fixture->pods(), "j-a-0 Running v0, j-a-1 Running v0, j-a-2 Pending v0, j-a-3 Pending v0");
  EXPECT_EQ(fixture->number("retryCount"), 1);
}

TEST(JobLife, RestartTaskByExitCode) {
  auto fixture =
      running(job_of(3, task("a", 1) + "," + task("b", 2, "policies: [{exitCode: 7, action: RestartTask}]")));
  fixture->pod("j-b-1", "Failed", 8);
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Running") << "no policy is about this exit code";
  fixture->pod("j-b-1", "Failed", 7);
  fixture->settle();
  EXPECT_EQ(fixture->pods(), "j-a-0 Running v0, j-b-0 Pending v0, j-b-1 Pending v0");
  EXPECT_EQ(fixture->number("retryCount"), 1);
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
  auto fixture = running(workers("{event: PodEvicted, action: RestartPod}"));
  fixture->admit("Pending");
  fixture->lose("pods/ns/j-w-0");
  fixture->settle();
  EXPECT_EQ(fixture->number("retryCount"), 1);
  EXPECT_EQ(fixture->pods(), "j-w-1 Running v0");
  fixture->admit();
  fixture->settle();
  EXPECT_EQ(fixture->pods(), "j-w-0 Pending v0, j-w-1 Running v0");
  EXPECT_EQ(fixture->number("retryCount"), 1);
}

TEST(JobLife, SuspendAndResumeKeepFinishedPods) {
  auto fixture = running(workers());
  fixture->pod("j-w-0", "Succeeded");
  fixture->settle();
  fixture->slow_pods = true;
  fixture->command("suspend", "AbortJob");
  EXPECT_THAT(
      fixture->settle(),
      ElementsAre(HasSubstr(R"("phase":"Aborting","reason":"AbortJob","message":"suspended by command suspend")"),
                  "delete commands/ns/suspend", "delete pods/ns/j-w-1", "delete podgroups/ns/j"));
  EXPECT_EQ(fixture->phase(), "Aborting");
  fixture->bury();
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Aborted");
  EXPECT_EQ(fixture->pods(), "j-w-0 Succeeded v0");
  fixture->command("resume", "ResumeJob");
  fixture->settle();
  fixture->admit();
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Pending");
  EXPECT_EQ(fixture->pods(), "j-w-0 Succeeded v0, j-w-1 Pending v2");
  EXPECT_EQ(fixture->number("retryCount"), 1);
  fixture->pod("j-w-1", "Running");
  fixture->settle();
  fixture->pod("j-w-1", "Succeeded");
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Completed");
  EXPECT_EQ(fixture->number("succeeded"), 2);
}

TEST(JobLife, TheLastRestartCountsWhatItTakesAwayAndWhatItKeeps) {
  auto fixture = running(job_of(2, task("w", 2), "maxRetry: 1, policies: [{event: PodFailed, action: RestartJob}]"));
  fixture->pod("j-w-0", "Failed", 1);
  EXPECT_THAT(fixture->settle(1).front(),
              testing::AllOf(HasSubstr(R"("phase":"Restarting")"), HasSubstr(R"("failed":1,"terminating":1)")))
      << "finished pods stay for people to look at";
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Failed");
  EXPECT_EQ(fixture->pods(), "j-w-0 Failed v0");
}

TEST(JobLife, CommandThatChangesNothingIsOnlyDeleted) {
  auto fixture = running(workers());
  fixture->command("a", "ResumeJob");
  fixture->command("b", "Whatever");
  EXPECT_THAT(
      fixture->notes(),
      ElementsAre("CommandIssued: Start to execute command ResumeJob, and clean it up to make sure executed not "
                  "more than once.",
                  HasSubstr("Start to execute command Whatever")));
  EXPECT_THAT(fixture->settle(), ElementsAre("delete commands/ns/a", "delete commands/ns/b"));
}

TEST(JobLife, TaskCompletedCompletesTheJob) {
  auto fixture =
      running(job_of(2, task("m", 1, "policies: [{event: TaskCompleted, action: CompleteJob}]") + "," + task("w", 1)));
  fixture->pod("j-m-0", "Succeeded");
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Completed");
  EXPECT_EQ(fixture->pods(), "j-m-0 Succeeded v0");
  EXPECT_EQ(fixture->reason(), "CompleteJob");
}

TEST(JobLife, TaskFailedByRestartsOfContainers) {
  auto fixture = running(workers("{event: TaskFailed, action: AbortJob}"));
  fixture->pod("j-w-0", "Running", 0, 2);
  EXPECT_THAT(fixture->plan(), IsEmpty());
  fixture->pod("j-w-1", "Running", 0, 1);
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Aborted");
}

TEST(JobLife, UnknownGroupAlsoAfterARestart) {
  auto fixture = running(workers("{event: Unknown, action: RestartJob}"));
  for (int64_t round = 1; round <= 2; ++round) {
    fixture->admit("Unknown");
    fixture->settle();
    EXPECT_EQ(fixture->number("version"), round);
    fixture->admit();
    fixture->settle();
    fixture->all_pods("Running");
    fixture->settle();
    EXPECT_EQ(fixture->phase(), "Running");
  }
}

TEST(JobLife, MinSuccessRemovesTheRest) {
  auto fixture = running(job_of(1, task("w", 2), "minSuccess: 1"));
  fixture->pod("j-w-1", "Succeeded");
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Completed");
  EXPECT_EQ(fixture->pods(), "j-w-1 Succeeded v0");
}

}  // namespace
}  // namespace basalt::volcano
