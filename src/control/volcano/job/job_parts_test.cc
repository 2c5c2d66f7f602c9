// What a job needs besides its pods: queue, claims, objects of plugins, tasks it waits for; and its size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/volcano/job/job_test_words.h"

namespace basalt::volcano {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(JobParts, ScaleUpAndDown) {
  auto world = running(workers());
  const auto scale = [&](int replicas) {
    world->change_spec(fmt::format(R"({{"minAvailable":1,"tasks":[{{"name":"w","replicas":{},"template":{}}}]}})",
                                   replicas, R"({"spec":{"containers":[{"name":"c","image":"i"}]}})"));
  };
  scale(3);
  EXPECT_THAT(world->settle(), testing::Contains("create pods/ns/j-w-2"));
  world->all_pods("Running");
  world->settle();
  scale(1);
  const JobWorld::Lines lines = world->settle();
  EXPECT_THAT(lines, testing::Contains(R"(patch pods/ns/j-w-1 {"metadata":{"annotations":)"
                                       R"({"volcano.sh/controller-out-of-sync":"true"}}})"));
  EXPECT_THAT(lines, testing::Contains("delete pods/ns/j-w-1"));
  EXPECT_EQ(world->pods(), "j-w-0 Running v0");
  EXPECT_EQ(world->phase(), "Running");
}

TEST(JobParts, DependsOnWaits) {
  JobWorld world(job_of(1, task("m", 1) + "," + task("w", 1, "dependsOn: {name: [m]}")));
  world.settle();
  world.admit();
  world.settle();
  EXPECT_EQ(world.pods(), "j-m-0 Pending v0");
  world.pod("j-m-0", "Running");
  world.settle();
  EXPECT_EQ(world.pods(), "j-m-0 Running v0, j-w-0 Pending v0");
}

TEST(JobParts, AJobThatAdmissionWouldHaveRefusedGetsNoPods) {
  JobWorld world(job_of(1, task("w", 2147483647) + "," + task("x", 2147483647) + "," + task("y", 5)));
  world.settle();
  world.admit();
  world.settle();
  EXPECT_EQ(world.pods(), "");
  EXPECT_EQ(world.phase(), "Pending");
  EXPECT_THAT(world.told, testing::Contains("FailedCreate: Error creating pods: [spec.tasks[*].replicas are 4294967299 "
                                            "together, a job may have up to 100000 pods: lower them]"));
  world.change_spec(fmt::format(R"({{"minAvailable":1,"tasks":[{{"name":"w","replicas":2,"template":{}}}]}})",
                                R"({"spec":{"containers":[{"name":"c","image":"i"}]}})"));
  world.settle();
  EXPECT_EQ(world.pods(), "j-w-0 Pending v0, j-w-1 Pending v0");
}

TEST(JobParts, AFinishedPodThatSomebodyTookIsToldAndCounted) {
  auto world = running(job_of(1, task("w", 3)));
  world->pod("j-w-0", "Succeeded");
  world->pod("j-w-1", "Succeeded");
  world->settle();
  world->told.clear();
  world->lose("pods/ns/j-w-0");
  world->settle();
  EXPECT_EQ(world->pods(), "j-w-0 Pending v0, j-w-1 Succeeded v0, j-w-2 Running v0") << "it runs again";
  const auto lost = [&world] {
    return api::string_at(world->object("jobs/ns/j"), {"status", "controlledResources", "finished-pods-lost"});
  };
  EXPECT_EQ(lost(), "1");
  EXPECT_THAT(world->told, ElementsAre(HasSubstr("FinishedPodsLost: 1 finished pods were deleted")));
  world->restart();
  world->lose("pods/ns/j-w-1");
  world->settle();
  EXPECT_EQ(lost(), "2");
}

TEST(JobParts, FinishedPodsThatHadToGoAreNotTold) {
  auto world = running(job_of(1, task("w", 3)));
  world->pod("j-w-2", "Succeeded");
  world->settle();
  world->change_spec(fmt::format(R"({{"minAvailable":1,"tasks":[{{"name":"w","replicas":2,"template":{}}}]}})",
                                 R"({"spec":{"containers":[{"name":"c","image":"i"}]}})"));
  world->settle();
  EXPECT_EQ(world->pods(), "j-w-0 Running v0, j-w-1 Running v0");
  world->command("again", "RestartJob");
  world->settle();
  EXPECT_EQ(api::string_at(world->object("jobs/ns/j"), {"status", "controlledResources", "finished-pods-lost"}), "");
}

TEST(JobParts, AJobThatIsOverKeepsItsCounts) {
  auto world = running(workers());
  world->all_pods("Succeeded");
  world->settle();
  EXPECT_EQ(world->phase(), "Completed");
  world->lose("pods/ns/j-w-0");
  EXPECT_THAT(world->settle(), IsEmpty());
  world->lose("pods/ns/j-w-1");
  EXPECT_THAT(world->settle(), IsEmpty());
  EXPECT_EQ(world->number("succeeded"), 2);
}

TEST(JobParts, QueueThatIsNotThere) {
  JobWorld world(job_of(1, task("w", 1), "queue: lost"));
  EXPECT_THAT(world.plan(), IsEmpty());
  EXPECT_THAT(world.notes(), ElementsAre(R"(QueueNotFound: queue.scheduling.volcano.sh "lost" not found)"));
}

TEST(JobParts, QueueThatHandsOver) {
  JobWorld world;
  world.put(
      "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: far}, "
      "spec: {extendClusters: [{name: c}]}}");
  world.put_job(job_of(1, task("w", 1), "queue: far"));
  EXPECT_THAT(world.settle(),
              ElementsAre(R"(patch jobs/ns/j {"metadata":{"annotations":{"volcano.sh/job-forwarding":"true"}}})",
                          "create podgroups/ns/j", testing::_));
}

TEST(JobParts, ClaimsAreMadeOrWaitedFor) {
  JobWorld world(job_of(1, task("w", 1),
                        "volumes: [{mountPath: /a, volumeClaim: {accessModes: [ReadWriteOnce]}}, "
                        "{mountPath: /b, volumeClaimName: given}]"));
  world.settle();
  EXPECT_EQ(world.phase(), "Pending");
  EXPECT_EQ(world.places("persistentvolumeclaims/").size(), 1U);
  EXPECT_THAT(world.places("podgroups/"), IsEmpty());
  EXPECT_THAT(world.notes(), ElementsAre(HasSubstr("PVCError: Failed to create PVC, err: pvc given is not found")));
  world.put("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: given, namespace: ns}}");
  world.settle();
  EXPECT_EQ(world.places("podgroups/").size(), 1U);
}

TEST(JobParts, PluginObjectsComeAndGo) {
  auto world = running(job_of(1, task("w", 1), "plugins: {svc: [], ssh: [], env: []}"));
  EXPECT_TRUE(world->has("secrets/ns/j-ssh"));
  EXPECT_TRUE(world->has("services/ns/j"));
  EXPECT_TRUE(world->has("configmaps/ns/j-svc"));
  EXPECT_THAT(world->plan(), IsEmpty());
  world->change_spec(
      R"({"tasks":[{"name":"w","replicas":2,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}]})");
  EXPECT_THAT(world->settle(), testing::Contains("apply configmaps/ns/j-svc"));
  world->command("stop", "AbortJob");
  world->settle();
  EXPECT_EQ(world->phase(), "Aborted");
  EXPECT_TRUE(world->has("secrets/ns/j-ssh")) << "the keys are the job's";
  EXPECT_FALSE(world->has("services/ns/j"));
  world->command("go", "ResumeJob");
  world->settle();
  EXPECT_TRUE(world->has("services/ns/j"));
  world->command("end", "TerminateJob");
  world->settle();
  EXPECT_EQ(world->phase(), "Terminated");
  EXPECT_FALSE(world->has("secrets/ns/j-ssh"));
  EXPECT_FALSE(world->has("configmaps/ns/j-svc"));
}

TEST(JobParts, UnknownPluginIsToldAndNothingIsMade) {
  JobWorld world(job_of(1, task("w", 1), "plugins: {bogus: []}"));
  world.settle();
  EXPECT_EQ(world.phase(), "Pending");
  EXPECT_THAT(world.notes(), ElementsAre(HasSubstr("PluginError: Execute plugin when job add failed, err: ")));
  EXPECT_THAT(world.places("podgroups/"), IsEmpty());
}

TEST(JobParts, DeletedJobIsLeftAlone) {
  auto world = running(workers());
  world->patch("jobs/ns/j", R"({"metadata":{"deletionTimestamp":"2023-11-14T22:13:20Z"}})");
  world->lose("pods/ns/j-w-0");
  EXPECT_THAT(world->plan(), IsEmpty());
}

TEST(JobParts, PodGroupPendingIsTold) {
  JobWorld world(workers());
  world.settle();
  world.patch(world.places("podgroups/").front(),
              R"({"status":{"phase":"Pending","conditions":[{"type":"Unschedulable","status":"True",)"
              R"("message":"no room","lastTransitionTime":"2023-11-14T22:13:20Z"}]}})");
  EXPECT_THAT(world.notes(), ElementsAre("PodGroupPending: PodGroup ns:j unschedulable, reason: no room"));
}

}  // namespace
}  // namespace basalt::volcano
