#include "control/volcano/job/policy/lifecycle_policy.h"

#include <gtest/gtest.h>

#include "kube/text/yaml.h"

namespace basalt::volcano {
namespace {

// The action and delay for a request about a job with these policies.
class Policies {
 public:
  Policies(std::string_view of_job, std::string_view of_task)
      : job_(text::parse_yaml("{metadata: {uid: u}, status: {version: 2}, spec: {policies: [" + std::string(of_job) +
                              "], tasks: [{name: w, policies: [" + std::string(of_task) + "]}]}}")
                 .value()
                 .value) {}
  [[nodiscard]] std::string ask(JobRequest request) const {
    const JobView view(job_.get_object());
    const PolicyDecision resolution = resolve_policy(view, request);
    return std::string(resolution.action) + " " + std::to_string(resolution.delay.nanos / 1'000'000'000);
  }

 private:
  text::Value job_;
};

TEST(JobPolicies, TaskBeforeJobAndOrderDecides) {
  const Policies policies(
      "{event: PodFailed, action: AbortJob}, {exitCode: 3, action: RestartJob}",
      "{exitCode: 3, action: RestartPod, timeout: 5s}, {events: [PodEvicted, PodFailed], action: RestartTask}");
  EXPECT_EQ(policies.ask({.event = "PodFailed", .task = "w", .exit_code = 3, .job_version = 2}), "RestartPod 5");
  EXPECT_EQ(policies.ask({.event = "PodFailed", .task = "w", .exit_code = 4, .job_version = 2}), "RestartTask 0");
  EXPECT_EQ(policies.ask({.event = "PodFailed", .task = "x", .exit_code = 3, .job_version = 2}), "AbortJob 0");
  EXPECT_EQ(policies.ask({.event = "Unknown", .job_version = 2}), "SyncJob 0");
}

TEST(JobPolicies, WhatIsNotAsked) {
  const Policies policies("{event: '*', action: AbortJob}", "");
  EXPECT_EQ(policies.ask({.event = "TaskFailed", .job_version = 2}), "AbortJob 0");
  EXPECT_EQ(policies.ask({.event = "PodRunning", .job_version = 2}), "SyncJob 0");
  EXPECT_EQ(policies.ask({.event = "PodPending", .job_version = 2}), "SyncJob 0") << "needs a timeout";
  EXPECT_EQ(policies.ask({.event = "TaskFailed", .job_version = 1}), "SyncJob 0") << "of an earlier version";
  EXPECT_EQ(policies.ask({.event = "TaskFailed", .job_uid = "v", .job_version = 2}), "SyncJob 0") << "of a namesake";
  EXPECT_EQ(policies.ask({.event = "TaskFailed", .action = "ResumeJob"}), "ResumeJob 0");
}

}  // namespace
}  // namespace basalt::volcano
