// The causes that keep a job from running and that its PodGroup does not know, or misnames.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/volcano/job/job_spec_builders.h"
#include "control/volcano/job/job_waiting_reason.h"

namespace basalt::volcano {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void pods_missing(JobFixture& fixture) {
  fixture.patch(fixture.places("podgroups/").front(),
                R"({"status":{"conditions":[{"type":"Waiting","status":"True","reason":"PodsMissing",)"
                R"("message":"has 0 of the 2 pods that it needs"}]}})");
}

std::string words(const JobFixture& fixture) { return fixture.reason() + ": " + fixture.message(); }

std::string conditions(const JobFixture& fixture) {
  const text::Array* list = api::array_at(fixture.status(), {"conditions"});
  return list == nullptr ? "" : text::to_json(*list);
}

TEST(JobWaitCauses, PodsThatTheServerRefuses) {
  JobFixture fixture(workers());
  std::string why = "exceeded quota: q, used: pods=1, limited: pods=1";
  fixture.refuses = [&](const std::string& place) {
    return !why.empty() && place == "pods/ns/j-w-1" ? "pods \"j-w-1\" is forbidden: " + why : "";
  };
  fixture.settle();
  fixture.admit();
  pods_missing(fixture);
  fixture.settle();
  EXPECT_EQ(words(fixture), "FailedCreate: pods \"j-w-1\" is forbidden: " + why);
  EXPECT_THAT(conditions(fixture), HasSubstr("exceeded quota"));
  EXPECT_THAT(fixture.settle(), Not(Contains(HasSubstr("status")))) << "tried again, told once";

  fixture.restart();
  fixture.settle();
  EXPECT_THAT(words(fixture), HasSubstr("exceeded quota")) << "also by the next process";

  why.clear();
  fixture.settle();
  EXPECT_EQ(fixture.pods(), "j-w-0 Pending v0, j-w-1 Pending v0");
  EXPECT_THAT(words(fixture), Not(HasSubstr("FailedCreate")));
  fixture.all_pods("Running");
  fixture.settle();
  EXPECT_EQ(words(fixture), ": ");
}

TEST(JobWaitCauses, OfSeveralRefusalsTheSameIsToldEachTime) {
  JobFixture fixture(workers());
  fixture.refuses = [](const std::string& place) { return place.starts_with("pods/") ? place + " is refused" : ""; };
  fixture.settle();
  fixture.admit();
  fixture.settle();
  EXPECT_EQ(words(fixture), "FailedCreate: pods/ns/j-w-0 is refused");
}

TEST(JobWaitCauses, APodGroupThatTheServerRefuses) {
  JobFixture fixture(workers());
  fixture.refuses = [](const std::string& place) { return place.starts_with("podgroups/") ? "no more groups" : ""; };
  fixture.settle();
  EXPECT_EQ(fixture.phase(), "Pending");
  EXPECT_EQ(words(fixture), "PodGroupError: no more groups");
  fixture.refuses = {};
  fixture.settle();
  EXPECT_EQ(words(fixture), ": ");
}

TEST(JobWaitCauses, ASchedulerThatNobodyIs) {
  JobFixture fixture(job_of(2, task("w", 2), "schedulerName: volcno"));
  fixture.settle();
  fixture.admit();
  pods_missing(fixture);
  fixture.settle();
  EXPECT_EQ(fixture.reason(), "PodsMissing") << "another scheduler may be about to look at them";
  EXPECT_EQ(fixture.again().nanos, kUnknownSchedulerPatience.nanos);
  fixture.pass(kUnknownSchedulerPatience);
  fixture.settle();
  EXPECT_EQ(words(fixture),
            "SchedulerUnknown: nobody places pods for scheduler volcno; those known are volcano, default-scheduler");
  fixture.all_pods("Running");
  fixture.settle();
  EXPECT_EQ(words(fixture), ": ") << "somebody did";
}

TEST(JobWaitCauses, AClaimThatDoesNotExist) {
  JobFixture fixture(job_of(1, task("w", 1), "volumes: [{mountPath: /b, volumeClaimName: given}]"));
  fixture.settle();
  EXPECT_EQ(words(fixture), "ClaimMissing: claim given does not exist in namespace ns; the job waits until it is made");
  EXPECT_THAT(conditions(fixture), HasSubstr("ClaimMissing"));
  EXPECT_THAT(fixture.told, Contains(HasSubstr("ClaimMissing: claim given")).Times(1));
  fixture.put("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: given, namespace: ns}}");
  fixture.settle();
  EXPECT_EQ(words(fixture), ": ");
}

TEST(JobWaitCauses, APluginThatCannotWork) {
  JobFixture fixture(job_of(1, task("w", 1), "plugins: {bogus: []}"));
  fixture.settle();
  EXPECT_THAT(words(fixture), HasSubstr("PluginError: failed to get plugin bogus"));
}

TEST(JobWaitCauses, MorePodsThanAJobMayHave) {
  JobFixture fixture(job_of(1, task("w", 2147483647)));
  fixture.settle();
  fixture.admit();
  pods_missing(fixture);
  fixture.settle();
  EXPECT_THAT(words(fixture), HasSubstr("FailedCreate: spec.tasks[*].replicas are 2147483647 together"));
}

TEST(JobWaitCauses, AQueueThatWasDeleted) {
  auto fixture = running(workers());
  fixture->lose("queues/default");
  fixture->settle();
  EXPECT_EQ(words(*fixture), "QueueMissing: queue default does not exist");
}

TEST(JobWaitCauses, ATaskThatWaitsForAnother) {
  JobFixture fixture(job_of(2, task("a", 1) + "," + task("b", 1, "dependsOn: {name: [a]}")));
  fixture.settle();
  fixture.admit();
  fixture.settle();
  pods_missing(fixture);
  fixture.settle();
  EXPECT_EQ(words(fixture),
            "WaitsForTask: task b waits for task a: 0 of 1 pods ready; minAvailable 2 counts its pods too: cannot ever "
            "run, lower it to 1 or less");
}

TEST(JobWaitCauses, PlacedPodsThatCannotStart) {
  JobFixture fixture(workers());
  fixture.settle();
  fixture.admit();
  fixture.settle();
  const auto waits = [&](std::string_view pod, std::string_view waiting) {
    fixture.patch(fmt::format("pods/ns/{}", pod),
                  fmt::format(R"({{"spec":{{"nodeName":"n"}},"status":{{"phase":"Pending","containerStatuses":)"
                              R"([{{"name":"c","state":{{"waiting":{}}}}}]}}}})",
                              waiting));
  };
  waits("j-w-0", R"({"reason":"ContainerCreating"})");
  fixture.settle();
  EXPECT_EQ(words(fixture), ": ") << "it is about to start";
  waits("j-w-1", R"({"reason":"ErrImagePull","message":"no such image"})");
  fixture.settle();
  EXPECT_EQ(words(fixture), "ErrImagePull: pod j-w-1 cannot start: no such image");
  waits("j-w-0", R"({"reason":"ContainerCreating","message":"claim data does not exist"})");
  fixture.settle();
  EXPECT_EQ(words(fixture), "FailedMount: 2 pods cannot start; j-w-0: claim data does not exist");
  fixture.all_pods("Running");
  fixture.settle();
  EXPECT_EQ(words(fixture), ": ");
}

TEST(JobWaitCauses, PodsBeyondTheGang) {
  JobFixture fixture(job_of(1, task("w", 3)));
  fixture.settle();
  fixture.admit();
  fixture.settle();
  fixture.pod("j-w-0", "Running");
  fixture.settle();
  EXPECT_EQ(words(fixture), ": ") << "the others may be placed in a moment";
  for (const char* pod : {"j-w-1", "j-w-2"}) {
    fixture.patch(fmt::format("pods/ns/{}", pod),
                  R"({"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable"}]}})");
  }
  fixture.settle();
  EXPECT_EQ(fixture.phase(), "Running");
  EXPECT_EQ(words(fixture), "Unschedulable: 2 of 3 pods find no node; the others meet minAvailable 1");
}

TEST(JobWaitCauses, WhatARestartSaidGoesWhenTheJobRuns) {
  auto fixture = running(workers("{event: PodEvicted, action: RestartTask}"));
  fixture->lose("pods/ns/j-w-0");
  fixture->settle();
  EXPECT_EQ(words(*fixture), "RestartTask: pod j-w-0 was evicted; policy PodEvicted → RestartTask");
  fixture->all_pods("Running");
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Running");
  EXPECT_EQ(words(*fixture), ": ");
  EXPECT_THAT(conditions(*fixture), AllOf(HasSubstr(R"("status":"Restarting")"), HasSubstr("pod j-w-0 was evicted")))
      << "the history keeps it";
  EXPECT_THAT(fixture->plan(), IsEmpty());
}

TEST(JobWaitCauses, WhatAResumeSaidGoesWhenTheJobRuns) {
  auto fixture = running(workers());
  fixture->command("stop", "AbortJob");
  fixture->settle();
  EXPECT_EQ(words(*fixture), "AbortJob: suspended by command stop");
  fixture->command("go", "ResumeJob");
  fixture->settle();
  EXPECT_EQ(words(*fixture), "ResumeJob: resumed by command go");
  fixture->admit();
  fixture->settle();
  fixture->all_pods("Running");
  fixture->settle();
  EXPECT_EQ(fixture->phase() + words(*fixture), "Running: ");
  EXPECT_EQ(api::string_at(fixture->status(), {"controlledResources", "command-done"}), "");
}

TEST(JobWaitCauses, ACommandThatAnOlderVersionExecutedIsOnlyDeleted) {
  auto fixture = running(workers());
  fixture->command("stop", "AbortJob");
  const std::string uid(api::string_at(fixture->object("commands/ns/stop"), {"metadata", "uid"}));
  fixture->patch("jobs/ns/j", fmt::format(R"({{"status":{{"state":{{"message":"command stop, uid {}"}}}}}})", uid));
  EXPECT_EQ(fixture->plan().front(), "delete commands/ns/stop");
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Running");
}

}  // namespace
}  // namespace basalt::volcano
