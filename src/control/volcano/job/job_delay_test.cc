// Policies with a timeout: when they act, when they do not, and what survives a new controller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/volcano/job/job_spec_builders.h"

namespace basalt::volcano {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::unique_ptr<JobFixture> admitted(std::string_view policies) {
  auto fixture = std::make_unique<JobFixture>(job_of(1, task("w", 2), fmt::format("policies: [{}]", policies)));
  fixture->settle();
  fixture->admit();
  fixture->settle();
  return fixture;
}

TEST(JobDelay, PendingForTooLong) {
  auto fixture = admitted("{event: PodPending, action: AbortJob, timeout: 5m}");
  EXPECT_THAT(fixture->told, Contains("ExecuteAction: Execute action AbortJob after 5m0s"));
  EXPECT_EQ(fixture->again(), Duration::seconds(300));
  fixture->pod("j-w-0", "Running");
  fixture->settle();
  fixture->pass(Duration::seconds(299));
  EXPECT_THAT(fixture->plan(), IsEmpty());
  EXPECT_THAT(fixture->notes(), IsEmpty()) << "told when it was new";
  fixture->restart();
  fixture->pass(Duration::seconds(1));
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Aborted");
  EXPECT_THAT(fixture->message(), HasSubstr("pod j-w-1 is pending for too long"));
}

TEST(JobDelay, RunningPodsDoNotTimeOut) {
  auto fixture = admitted("{event: PodPending, action: RestartJob, timeout: 10s}");
  fixture->all_pods("Running");
  fixture->settle();
  fixture->restart();
  fixture->pass(Duration::seconds(100));
  EXPECT_THAT(fixture->plan(), IsEmpty());
}

TEST(JobDelay, FailedPodCountsFromItsEnd) {
  auto fixture = admitted("{event: PodFailed, action: RestartPod, timeout: 10s}");
  fixture->all_pods("Running");
  fixture->settle();
  fixture->pass(Duration::seconds(1000));
  fixture->pod("j-w-0", "Failed", 1);
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Running");
  EXPECT_EQ(fixture->again(), Duration::seconds(10));
  fixture->pass(Duration::seconds(10));
  fixture->settle();
  EXPECT_EQ(fixture->pods(), "j-w-0 Pending v0, j-w-1 Running v0");
  EXPECT_EQ(fixture->number("retryCount"), 1);
}

TEST(JobDelay, EvictionIsWrittenDown) {
  auto fixture = admitted("{event: PodEvicted, action: TerminateJob, timeout: 10s}");
  fixture->all_pods("Running");
  fixture->settle();
  fixture->lose("pods/ns/j-w-0");
  EXPECT_THAT(fixture->plan(), testing::ElementsAre(HasSubstr("basalt.sh/delayed-actions")));
  fixture->settle();
  EXPECT_EQ(fixture->pods(), "j-w-0 Pending v0, j-w-1 Running v0");
  fixture->restart();
  EXPECT_EQ(fixture->again(), Duration::seconds(10));
  fixture->pass(Duration::seconds(10));
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Terminated");
  EXPECT_FALSE(
      api::object_at(fixture->object("jobs/ns/j"), {"metadata", "annotations"})->contains("basalt.sh/delayed-actions"));
}

TEST(JobDelay, EvictionIsForgottenWhenThePlaceRunsAgain) {
  auto fixture = admitted("{event: PodEvicted, action: TerminateJob, timeout: 10s}");
  fixture->all_pods("Running");
  fixture->settle();
  fixture->lose("pods/ns/j-w-0");
  fixture->settle();
  fixture->pod("j-w-0", "Running");
  fixture->settle();
  fixture->pass(Duration::seconds(20));
  EXPECT_THAT(fixture->plan(), IsEmpty());
  EXPECT_EQ(fixture->phase(), "Running");
}

TEST(JobDelay, UnknownGroupThatRecoversInTime) {
  auto fixture = admitted("{event: Unknown, action: AbortJob, timeout: 10s}");
  fixture->all_pods("Running");
  fixture->settle();
  fixture->admit("Unknown");
  fixture->settle();
  fixture->pass(Duration::seconds(5));
  fixture->admit("Running");
  fixture->settle();
  fixture->pass(Duration::seconds(100));
  EXPECT_THAT(fixture->plan(), IsEmpty());
  fixture->admit("Unknown");
  fixture->settle();
  fixture->pass(Duration::seconds(10));
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Aborted");
}

TEST(JobDelay, UnreadableAnnotationIsReplaced) {
  auto fixture = admitted("{event: PodEvicted, action: TerminateJob, timeout: 10s}");
  for (const std::string_view bad : {"[", "{}", "[1,{}]", R"([{\"event\":7}])"}) {
    fixture->patch("jobs/ns/j",
                   fmt::format(R"({{"metadata":{{"annotations":{{"basalt.sh/delayed-actions":"{}"}}}}}})", bad));
    fixture->settle();
  }
  fixture->lose("pods/ns/j-w-0");
  fixture->settle();
  EXPECT_EQ(fixture->again(), Duration::seconds(10));
}

}  // namespace
}  // namespace basalt::volcano
