#include "control/volcano/job/expand/task_dependencies.h"

#include <gtest/gtest.h>

#include <array>

#include "control/volcano/job/expand/expand_job_builders.h"

namespace basalt::volcano {
namespace {

using tests::job_with;
using tests::parsed;

text::Object job_that_waits(std::string_view depends_on) {
  return job_with(R"({"tasks": [{"name": "a", "replicas": 3, "minAvailable": 2}, {"name": "b", "replicas": 2},
                                {"name": "c", "replicas": 1, "dependsOn": )" +
                  std::string(depends_on) + "}]}");
}

bool starts(std::string_view depends_on, std::array<int64_t, 3> ready) {
  const text::Object object = job_that_waits(depends_on);
  const JobView job(object);
  return may_start(job, job.tasks[2], ready).may_start;
}

TEST(Depends, WaitsForTheMinimumOfEveryTask) {
  EXPECT_FALSE(starts(R"({"name": ["a"]})", {1, 0, 0}));
  EXPECT_TRUE(starts(R"({"name": ["a"]})", {2, 0, 0}));
  EXPECT_FALSE(starts(R"({"name": ["a", "b"]})", {2, 1, 0}));  // b has no minAvailable: all of it
  EXPECT_TRUE(starts(R"({"name": ["a", "b"]})", {2, 2, 0}));
  EXPECT_TRUE(starts(R"({"name": []})", {0, 0, 0}));
}

TEST(Depends, AnyNeedsOneOfSeveral) {
  EXPECT_TRUE(starts(R"({"name": ["a", "b"], "iteration": "any"})", {0, 2, 0}));
  EXPECT_FALSE(starts(R"({"name": ["a", "b"], "iteration": "any"})", {1, 1, 0}));
  EXPECT_FALSE(starts(R"({"name": ["a"], "iteration": "any"})", {1, 0, 0}));
}

TEST(Depends, AnUnknownTaskIsNeverReadyAndIsNamed) {
  const text::Object object = job_that_waits(R"({"name": ["ghost"]})");
  const JobView job(object);
  const DependencyCheck verdict = may_start(job, job.tasks[2], {});
  EXPECT_FALSE(verdict.may_start);
  EXPECT_EQ(verdict.waits_for, "waits for task ghost, which the job does not have");
  EXPECT_TRUE(starts(R"({"name": ["ghost", "a"], "iteration": "any"})", {2, 0, 0}));
}

TEST(Depends, SaysWhatIsMissing) {
  const text::Object object = job_that_waits(R"({"name": ["a"]})");
  const JobView job(object);
  EXPECT_EQ(may_start(job, job.tasks[2], {}).waits_for, "waits for task a: 0 of 2 pods ready");
}

TEST(Depends, APodIsReadyWhenDoneOrAllContainersAre) {
  EXPECT_TRUE(is_ready_for_dependents(parsed(R"({"status": {"phase": "Succeeded"}})")));
  EXPECT_TRUE(is_ready_for_dependents(parsed(R"({"status": {"phase": "Running"}})")));
  EXPECT_TRUE(
      is_ready_for_dependents(parsed(R"({"status": {"phase": "Running", "containerStatuses": [{"ready": true}]}})")));
  EXPECT_FALSE(is_ready_for_dependents(
      parsed(R"({"status": {"phase": "Running", "containerStatuses": [{"ready": true}, {"ready": false}]}})")));
  EXPECT_FALSE(is_ready_for_dependents(parsed(R"({"status": {"phase": "Pending"}})")));
  EXPECT_FALSE(is_ready_for_dependents(parsed("{}")));
}

}  // namespace
}  // namespace basalt::volcano
