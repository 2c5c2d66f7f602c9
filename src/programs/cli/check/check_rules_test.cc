#include "programs/cli/check/check_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs/cli/check/check_fixture.h"

namespace basalt::cli::checkup {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Check, AHealthyClusterHasNoFindings) { EXPECT_THAT(ClusterManifests{}.findings(), IsEmpty()); }

TEST(Check, ANodeIsNotAskedForMoreThanItHas) {
  ClusterManifests objects;
  objects.of["pods"][0] = PodText{.cpu = "4001m"}.yaml();
  objects.of["queues"][1] = "{metadata: {name: default}}";
  EXPECT_THAT(objects.findings(),
              ElementsAre("node-oversubscribed n1: its 1 pods that are not over ask for 4001m cpu, allocatable is 4"));
  objects.of["pods"][0] = PodText{.phase = "Succeeded", .cpu = "4001m"}.yaml();
  objects.of["jobs"][0] = ClusterManifests::job("Running", "running: 1, succeeded: 1");
  EXPECT_THAT(objects.findings(), IsEmpty()) << "what is over takes no room";
}

TEST(Check, TheNumberOfPodsOfANodeIsAResourceToo) {
  ClusterManifests objects;
  objects.of["nodes"][0] = "{metadata: {name: n1}, status: {allocatable: {cpu: '4', pods: '0'}}}";
  EXPECT_THAT(objects.findings(),
              ElementsAre("node-oversubscribed n1: its 1 pods that are not over ask for 1 pods, allocatable is 0"));
}

TEST(Check, APodIsBoundToANodeThatExists) {
  ClusterManifests objects;
  objects.of["nodes"].pop_back();
  EXPECT_THAT(objects.findings(),
              ElementsAre("node-missing lab/train-worker-1: it is bound to node n2, which does not exist"));
}

TEST(Check, AGangIsBoundWholeOrNotAtAllAfterItsPatience) {
  ClusterManifests objects;
  objects.of["pods"][1] =
      PodText{.name = "train-worker-1", .node = "", .phase = "Pending", .index = "1", .made = "2026-11-16T11:59:00Z"}
          .yaml();
  objects.of["jobs"][0] = ClusterManifests::job("Running", "running: 1, pending: 1");
  EXPECT_THAT(objects.findings(),
              ElementsAre("gang-partly-bound lab/train-u1: 1 of at least 2 pods are bound or done, 1 wait"));
  EXPECT_THAT(objects.findings(Instant{noon().nanos - 1}), IsEmpty()) << "the last pod has just been made";
  objects.of["pods"][1] = PodText{.name = "train-worker-1",
                                  .node = "",
                                  .phase = "Pending",
                                  .index = "1",
                                  .made = "2026-11-16T11:59:00Z",
                                  .gates = "{name: later}"}
                              .yaml();
  EXPECT_THAT(objects.findings(), IsEmpty()) << "a gated pod does not wait for the scheduler";
}

TEST(Check, AQueueStaysWithinItsCapabilityWithAllThatIsBelowIt) {
  ClusterManifests objects;
  objects.of["queues"] = {"{metadata: {name: root}}", "{metadata: {name: top}, spec: {capability: {cpu: 3900m}}}",
                          "{metadata: {name: default}, spec: {parent: top, capability: {cpu: '4'}}}"};
  EXPECT_THAT(
      objects.findings(),
      ElementsAre("queue-over-capability top: bound pods of it and below it ask for 4 cpu, its capability is 3900m"));
  objects.of["queues"][1] = "{metadata: {name: top}, spec: {parent: default}}";
  EXPECT_THAT(objects.findings(), IsEmpty()) << "a circle of parents ends";
}

TEST(Check, QueuesThatAreNamedExist) {
  ClusterManifests objects;
  objects.of["queues"] = {"{metadata: {name: other}, spec: {parent: nobody}}"};
  EXPECT_THAT(objects.findings(), ElementsAre("queue-missing lab/train-u1: its queue default does not exist",
                                              "queue-missing other: its parent nobody does not exist"));
}

TEST(Check, PodGroupsHaveTheirJobs) {
  ClusterManifests objects;
  objects.of["pods"].clear();
  objects.of["jobs"][0] = ClusterManifests::job("Completed", "running: 0");
  EXPECT_THAT(objects.findings(), ElementsAre("group-left-over lab/train-u1: its job train is Completed"));
  objects.of["jobs"].clear();
  EXPECT_THAT(objects.findings(), ElementsAre("group-orphaned lab/train-u1: its job train does not exist"));
}

TEST(Check, PodsHaveTheirJobAndGroup) {
  ClusterManifests objects;
  objects.of["podgroups"].clear();
  objects.of["pods"][1] = PodText{.name = "train-worker-1", .node = "n2", .index = "1", .job_uid = "gone"}.yaml();
  objects.of["jobs"][0] = ClusterManifests::job("Running", "running: 1, terminating: 1");
  objects.of["pods"].push_back(PodText{.name = "train-worker-1b", .index = "1", .terminating = true}.yaml());
  EXPECT_THAT(objects.findings(),
              ElementsAre("group-missing lab/train-worker-0: its PodGroup lab/train-u1 does not exist",
                          "group-missing lab/train-worker-1: its PodGroup lab/train-u1 does not exist",
                          "pod-orphaned lab/train-worker-1: its job train does not exist",
                          "pods-lost lab/train: it is Running, and of 2 pods of task worker 1 are not there: 1"));
}

TEST(Check, AnIndexHasOnePodUnderItsName) {
  ClusterManifests objects;
  objects.of["pods"][1] = PodText{.name = "train-worker-x", .node = "n2"}.yaml();
  EXPECT_THAT(
      objects.findings(),
      ElementsAre("pod-misplaced lab/train-worker-x: its job train has no pod of this name as number 0 of task worker",
                  "pod-twice lab/train-worker-x: pod train-worker-0 is number 0 of task worker of the job train too",
                  "pods-lost lab/train: it is Running, and of 2 pods of task worker 1 are not there: 1"));
}

TEST(Check, ATaskThatWaitsForAnotherNeedNotHavePodsYet) {
  ClusterManifests objects;
  objects.of["jobs"][0] =
      "{metadata: {name: train, namespace: lab, uid: u1}, spec: {tasks: [{name: worker, replicas: 2}, {name: last, "
      "replicas: 9, dependsOn: {name: [worker]}}]}, status: {state: {phase: Running}, running: 2}}";
  EXPECT_THAT(objects.findings(), IsEmpty());
}

TEST(Check, LostPodsOfAHugeTaskAreToldShortly) {
  ClusterManifests objects;
  objects.of["jobs"][0] =
      "{metadata: {name: train, namespace: lab, uid: u1}, spec: {tasks: [{name: worker, replicas: 2000000000}]}, "
      "status: {state: {phase: Running}, running: 2}}";
  EXPECT_THAT(objects.findings(),
              ElementsAre("pods-lost lab/train: it is Running, and of 2000000000 pods of task worker 1999999998 are "
                          "not there: 2, 3, 4, 5, 6, …"));
}

TEST(Check, TheStatusOfAJobCountsItsPods) {
  ClusterManifests objects;
  objects.of["jobs"][0] = ClusterManifests::job("Running", "running: 1, failed: 3");
  EXPECT_THAT(objects.findings(),
              ElementsAre("job-counts lab/train: its status counts 1 running, 3 failed; its pods are 2 running"));
}

TEST(Check, FinishedPodsStayUntilTheirJobIsOver) {
  ClusterManifests objects;
  objects.of["jobs"][0] =
      ClusterManifests::job("Running", "running: 2, controlledResources: {finished-pods-lost: '7'}");
  EXPECT_THAT(objects.findings(), ElementsAre("pods-run-again lab/train: it is not over, and 7 of its finished pods "
                                              "were deleted: their work is done again"));
  objects.of["podgroups"].clear();
  objects.of["pods"].clear();
  objects.of["jobs"][0] =
      ClusterManifests::job("Completed", "succeeded: 2, controlledResources: {finished-pods-lost: '7'}");
  EXPECT_THAT(objects.findings(), IsEmpty()) << "what it counted stays when its pods are collected";
  objects.of["jobs"][0] = ClusterManifests::job("Aborted", "succeeded: 2");
  EXPECT_THAT(objects.findings(),
              ElementsAre("job-counts lab/train: its status counts 2 succeeded; its pods are none"));
}

TEST(Check, NothingLivesOfAJobThatIsOver) {
  ClusterManifests objects;
  objects.of["podgroups"].clear();
  objects.of["jobs"][0] = ClusterManifests::job("Failed", "running: 1, succeeded: 1");
  objects.of["pods"][1] = PodText{.name = "train-worker-1", .node = "n2", .phase = "Succeeded", .index = "1"}.yaml();
  EXPECT_THAT(objects.findings(),
              ElementsAre("group-missing lab/train-worker-0: its PodGroup lab/train-u1 does not exist",
                          "pod-outlives lab/train-worker-0: it lives, its job train is Failed"));
}

TEST(Check, WhatCannotBeReadIsToldAndHarmsNothing) {
  ClusterManifests objects;
  objects.of["nodes"].push_back("{metadata: {name: n3}, status: {allocatable: {cpu: lots}}}");
  objects.of["queues"].push_back("[]");
  objects.of["podgroups"].push_back("{metadata: {name: g, namespace: lab}, spec: {minMember: many}}");
  objects.of["jobs"].push_back("{metadata: 7}");
  objects.of["jobs"].push_back("{metadata: {name: j, namespace: lab}, spec: {tasks: [7, {name: 3, replicas: x}]}}");
  objects.of["pods"].push_back("{metadata: {name: p, namespace: lab, annotations: 3}}");
  const CheckedCluster cluster = objects.cluster();
  EXPECT_EQ(cluster.unreadable.size(), 5U);
  EXPECT_EQ(check_cluster(cluster, {.now = noon()}).size(), 5U);
}

}  // namespace
}  // namespace basalt::cli::checkup
