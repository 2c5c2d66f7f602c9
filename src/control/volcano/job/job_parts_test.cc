// What a job needs besides its pods: queue, claims, objects of plugins, tasks it waits for; and its size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/volcano/job/job_spec_builders.h"

namespace basalt::volcano {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(JobParts, ScaleUpAndDown) {
  auto fixture = running(workers());
  const auto scale = [&](int replicas) {
    fixture->change_spec(fmt::format(R"({{"minAvailable":1,"tasks":[{{"name":"w","replicas":{},"template":{}}}]}})",
                                     replicas, R"({"spec":{"containers":[{"name":"c","image":"i"}]}})"));
  };
  scale(3);
  EXPECT_THAT(fixture->settle(), testing::Contains("create pods/ns/j-w-2"));
  fixture->all_pods("Running");
  fixture->settle();
  scale(1);
  const JobFixture::Lines lines = fixture->settle();
  EXPECT_THAT(lines, testing::Contains(R"(patch pods/ns/j-w-1 {"metadata":{"annotations":)"
                                       R"({"volcano.sh/controller-out-of-sync":"true"}}})"));
  EXPECT_THAT(lines, testing::Contains("delete pods/ns/j-w-1"));
  EXPECT_EQ(fixture->pods(), "j-w-0 Running v0");
  EXPECT_EQ(fixture->phase(), "Running");
}

TEST(JobParts, DependsOnWaits) {
  JobFixture fixture(job_of(1, task("m", 1) + "," + task("w", 1, "dependsOn: {name: [m]}")));
  fixture.settle();
  fixture.admit();
  fixture.settle();
  EXPECT_EQ(fixture.pods(), "j-m-0 Pending v0");
  fixture.pod("j-m-0", "Running");
  fixture.settle();
  EXPECT_EQ(fixture.pods(), "j-m-0 Running v0, j-w-0 Pending v0");
}

TEST(JobParts, AJobThatAdmissionWouldHaveRefusedGetsNoPods) {
  JobFixture fixture(job_of(1, task("w", 2147483647) + "," + task("x", 2147483647) + "," + task("y", 5)));
  fixture.settle();
  fixture.admit();
  fixture.settle();
  EXPECT_EQ(fixture.pods(), "");
  EXPECT_EQ(fixture.phase(), "Pending");
  EXPECT_THAT(fixture.told,
              testing::Contains("FailedCreate: Error creating pods: [spec.tasks[*].replicas are 4294967299 "
                                "together, a job may have up to 100000 pods: lower them]"));
  fixture.change_spec(fmt::format(R"({{"minAvailable":1,"tasks":[{{"name":"w","replicas":2,"template":{}}}]}})",
                                  R"({"spec":{"containers":[{"name":"c","image":"i"}]}})"));
  fixture.settle();
  EXPECT_EQ(fixture.pods(), "j-w-0 Pending v0, j-w-1 Pending v0");
}

TEST(JobParts, AFinishedPodThatSomebodyTookIsToldAndCounted) {
  auto fixture = running(job_of(1, task("w", 3)));
  fixture->pod("j-w-0", "Succeeded");
  fixture->pod("j-w-1", "Succeeded");
  fixture->settle();
  fixture->told.clear();
  fixture->lose("pods/ns/j-w-0");
  fixture->settle();
  EXPECT_EQ(fixture->pods(), "j-w-0 Pending v0, j-w-1 Succeeded v0, j-w-2 Running v0") << "it runs again";
  const auto lost = [&fixture] {
    return api::string_at(fixture->object("jobs/ns/j"), {"status", "controlledResources", "finished-pods-lost"});
  };
  EXPECT_EQ(lost(), "1");
  EXPECT_THAT(fixture->told, ElementsAre(HasSubstr("FinishedPodsLost: 1 finished pods were deleted")));
  fixture->restart();
  fixture->lose("pods/ns/j-w-1");
  fixture->settle();
  EXPECT_EQ(lost(), "2");
}

TEST(JobParts, FinishedPodsThatHadToGoAreNotTold) {
  auto fixture = running(job_of(1, task("w", 3)));
  fixture->pod("j-w-2", "Succeeded");
  fixture->settle();
  fixture->change_spec(fmt::format(R"({{"minAvailable":1,"tasks":[{{"name":"w","replicas":2,"template":{}}}]}})",
                                   R"({"spec":{"containers":[{"name":"c","image":"i"}]}})"));
  fixture->settle();
  EXPECT_EQ(fixture->pods(), "j-w-0 Running v0, j-w-1 Running v0");
  fixture->command("again", "RestartJob");
  fixture->settle();
  EXPECT_EQ(api::string_at(fixture->object("jobs/ns/j"), {"status", "controlledResources", "finished-pods-lost"}), "");
}

TEST(JobParts, AJobThatIsOverKeepsItsCounts) {
  auto fixture = running(workers());
  fixture->all_pods("Succeeded");
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Completed");
  fixture->lose("pods/ns/j-w-0");
  EXPECT_THAT(fixture->settle(), IsEmpty());
  fixture->lose("pods/ns/j-w-1");
  EXPECT_THAT(fixture->settle(), IsEmpty());
  EXPECT_EQ(fixture->number("succeeded"), 2);
}

TEST(JobParts, QueueThatIsNotThere) {
  JobFixture fixture(job_of(1, task("w", 1), "queue: lost"));
  EXPECT_THAT(fixture.plan(), IsEmpty());
  EXPECT_THAT(fixture.notes(), ElementsAre(R"(QueueNotFound: queue.scheduling.volcano.sh "lost" not found)"));
}

TEST(JobParts, QueueThatHandsOver) {
  JobFixture fixture;
  fixture.put(
      "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: far}, "
      "spec: {extendClusters: [{name: c}]}}");
  fixture.put_job(job_of(1, task("w", 1), "queue: far"));
  EXPECT_THAT(fixture.settle(),
              ElementsAre(R"(patch jobs/ns/j {"metadata":{"annotations":{"volcano.sh/job-forwarding":"true"}}})",
                          "create podgroups/ns/j", testing::_));
}

TEST(JobParts, ClaimsAreMadeOrWaitedFor) {
  JobFixture fixture(job_of(1, task("w", 1),
                            "volumes: [{mountPath: /a, volumeClaim: {accessModes: [ReadWriteOnce]}}, "
                            "{mountPath: /b, volumeClaimName: given}]"));
  fixture.settle();
  EXPECT_EQ(fixture.phase(), "Pending");
  EXPECT_EQ(fixture.places("persistentvolumeclaims/").size(), 1U);
  EXPECT_THAT(fixture.places("podgroups/"), IsEmpty());
  EXPECT_THAT(fixture.notes(), ElementsAre(HasSubstr("PVCError: Failed to create PVC, err: pvc given is not found")));
  fixture.put("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: given, namespace: ns}}");
  fixture.settle();
  EXPECT_EQ(fixture.places("podgroups/").size(), 1U);
}

TEST(JobParts, PluginObjectsComeAndGo) {
  auto fixture = running(job_of(1, task("w", 1), "plugins: {svc: [], ssh: [], env: []}"));
  EXPECT_TRUE(fixture->has("secrets/ns/j-ssh"));
  EXPECT_TRUE(fixture->has("services/ns/j"));
  EXPECT_TRUE(fixture->has("configmaps/ns/j-svc"));
  EXPECT_THAT(fixture->plan(), IsEmpty());
  fixture->change_spec(
      R"({"tasks":[{"name":"w","replicas":2,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}]})");
  EXPECT_THAT(fixture->settle(), testing::Contains("apply configmaps/ns/j-svc"));
  fixture->command("stop", "AbortJob");
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Aborted");
  EXPECT_TRUE(fixture->has("secrets/ns/j-ssh")) << "the keys are the job's";
  EXPECT_FALSE(fixture->has("services/ns/j"));
  fixture->command("go", "ResumeJob");
  fixture->settle();
  EXPECT_TRUE(fixture->has("services/ns/j"));
  fixture->command("end", "TerminateJob");
  fixture->settle();
  EXPECT_EQ(fixture->phase(), "Terminated");
  EXPECT_FALSE(fixture->has("secrets/ns/j-ssh"));
  EXPECT_FALSE(fixture->has("configmaps/ns/j-svc"));
}

TEST(JobParts, UnknownPluginIsToldAndNothingIsMade) {
  JobFixture fixture(job_of(1, task("w", 1), "plugins: {bogus: []}"));
  fixture.settle();
  EXPECT_EQ(fixture.phase(), "Pending");
  EXPECT_THAT(fixture.notes(), ElementsAre(HasSubstr("PluginError: Execute plugin when job add failed, err: ")));
  EXPECT_THAT(fixture.places("podgroups/"), IsEmpty());
}

TEST(JobParts, DeletedJobIsLeftAlone) {
  auto fixture = running(workers());
  fixture->patch("jobs/ns/j", R"({"metadata":{"deletionTimestamp":"2023-11-14T22:13:20Z"}})");
  fixture->lose("pods/ns/j-w-0");
  EXPECT_THAT(fixture->plan(), IsEmpty());
}

TEST(JobParts, PodGroupPendingIsTold) {
  JobFixture fixture(workers());
  fixture.settle();
  fixture.patch(fixture.places("podgroups/").front(),
                R"({"status":{"phase":"Pending","conditions":[{"type":"Unschedulable","status":"True",)"
                R"("message":"no room","lastTransitionTime":"2023-11-14T22:13:20Z"}]}})");
  EXPECT_THAT(fixture.notes(), ElementsAre("PodGroupPending: PodGroup ns:j unschedulable, reason: no room"));
}

}  // namespace
}  // namespace basalt::volcano
