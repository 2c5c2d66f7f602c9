// Policies with a timeout: when they act, when they do not, and what survives a new controller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/volcano/job/job_test_words.h"

namespace basalt::volcano {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::unique_ptr<JobWorld> admitted(std::string_view policies) {
  auto world = std::make_unique<JobWorld>(job_of(1, task("w", 2), fmt::format("policies: [{}]", policies)));
  world->settle();
  world->admit();
  world->settle();
  return world;
}

TEST(JobDelay, PendingForTooLong) {
  auto world = admitted("{event: PodPending, action: AbortJob, timeout: 5m}");
  EXPECT_THAT(world->told, Contains("ExecuteAction: Execute action AbortJob after 5m0s"));
  EXPECT_EQ(world->again(), Duration::seconds(300));
  world->pod("j-w-0", "Running");
  world->settle();
  world->pass(Duration::seconds(299));
  EXPECT_THAT(world->plan(), IsEmpty());
  EXPECT_THAT(world->notes(), IsEmpty()) << "told when it was new";
  world->restart();
  world->pass(Duration::seconds(1));
  world->settle();
  EXPECT_EQ(world->phase(), "Aborted");
  EXPECT_THAT(world->message(), HasSubstr("pod j-w-1 is pending for too long"));
}

TEST(JobDelay, RunningPodsDoNotTimeOut) {
  auto world = admitted("{event: PodPending, action: RestartJob, timeout: 10s}");
  world->all_pods("Running");
  world->settle();
  world->restart();
  world->pass(Duration::seconds(100));
  EXPECT_THAT(world->plan(), IsEmpty());
}

TEST(JobDelay, FailedPodCountsFromItsEnd) {
  auto world = admitted("{event: PodFailed, action: RestartPod, timeout: 10s}");
  world->all_pods("Running");
  world->settle();
  world->pass(Duration::seconds(1000));
  world->pod("j-w-0", "Failed", 1);
  world->settle();
  EXPECT_EQ(world->phase(), "Running");
  EXPECT_EQ(world->again(), Duration::seconds(10));
  world->pass(Duration::seconds(10));
  world->settle();
  EXPECT_EQ(world->pods(), "j-w-0 Pending v0, j-w-1 Running v0");
  EXPECT_EQ(world->number("retryCount"), 1);
}

TEST(JobDelay, EvictionIsWrittenDown) {
  auto world = admitted("{event: PodEvicted, action: TerminateJob, timeout: 10s}");
  world->all_pods("Running");
  world->settle();
  world->lose("pods/ns/j-w-0");
  EXPECT_THAT(world->plan(), testing::ElementsAre(HasSubstr("basalt.sh/delayed-actions")));
  world->settle();
  EXPECT_EQ(world->pods(), "j-w-0 Pending v0, j-w-1 Running v0");
  world->restart();
  EXPECT_EQ(world->again(), Duration::seconds(10));
  world->pass(Duration::seconds(10));
  world->settle();
  EXPECT_EQ(world->phase(), "Terminated");
  EXPECT_FALSE(
      api::object_at(world->object("jobs/ns/j"), {"metadata", "annotations"})->contains("basalt.sh/delayed-actions"));
}

TEST(JobDelay, EvictionIsForgottenWhenThePlaceRunsAgain) {
  auto world = admitted("{event: PodEvicted, action: TerminateJob, timeout: 10s}");
  world->all_pods("Running");
  world->settle();
  world->lose("pods/ns/j-w-0");
  world->settle();
  world->pod("j-w-0", "Running");
  world->settle();
  world->pass(Duration::seconds(20));
  EXPECT_THAT(world->plan(), IsEmpty());
  EXPECT_EQ(world->phase(), "Running");
}

TEST(JobDelay, UnknownGroupThatRecoversInTime) {
  auto world = admitted("{event: Unknown, action: AbortJob, timeout: 10s}");
  world->all_pods("Running");
  world->settle();
  world->admit("Unknown");
  world->settle();
  world->pass(Duration::seconds(5));
  world->admit("Running");
  world->settle();
  world->pass(Duration::seconds(100));
  EXPECT_THAT(world->plan(), IsEmpty());
  world->admit("Unknown");
  world->settle();
  world->pass(Duration::seconds(10));
  world->settle();
  EXPECT_EQ(world->phase(), "Aborted");
}

TEST(JobDelay, UnreadableAnnotationIsReplaced) {
  auto world = admitted("{event: PodEvicted, action: TerminateJob, timeout: 10s}");
  for (const std::string_view bad : {"[", "{}", "[1,{}]", R"([{\"event\":7}])"}) {
    world->patch("jobs/ns/j",
                 fmt::format(R"({{"metadata":{{"annotations":{{"basalt.sh/delayed-actions":"{}"}}}}}})", bad));
    world->settle();
  }
  world->lose("pods/ns/j-w-0");
  world->settle();
  EXPECT_EQ(world->again(), Duration::seconds(10));
}

}  // namespace
}  // namespace basalt::volcano
