// Pods on simulated nodes, as a user sees them.
#include <gtest/gtest.h>

#include "kube/api/object_fields.h"
#include "tests/simulated/fleet_world.h"

namespace basalt {
namespace {

TEST(SimulatedPods, RunUntilTheyAreDeleted) {
  FleetWorld world;
  world.settle();
  world.create("pods",
               "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: main, image: i}]}}");
  world.pass(Duration::seconds(5));
  EXPECT_EQ(world.shown(), "0/1 Pending 0");
  world.bind("p", "sim-0");
  EXPECT_EQ(world.settle(), 1U) << "one write brings a pod to Running";
  EXPECT_EQ(world.shown(), "1/1 Running 0");
  EXPECT_EQ(world.at("pods", "p", "status.hostIP"), "172.16.0.1");
  EXPECT_EQ(world.at("pods", "p", "status.podIP").substr(0, 3), "10.");
  EXPECT_EQ(world.at("pods", "p", "status.podIPs.0.ip"), world.at("pods", "p", "status.podIP"));
  EXPECT_EQ(world.at("pods", "p", "status.startTime"), "2023-11-14T22:13:25Z");
  EXPECT_EQ(world.at("pods", "p", "status.qosClass"), "BestEffort");
  world.pass(Duration::seconds(3600));
  EXPECT_EQ(world.shown(), "1/1 Running 0");
  EXPECT_EQ(world.settle(), 0U);
  world.remove("pods", "p");
  EXPECT_EQ(world.shown(), "1/1 Terminating 0");
  world.settle();
  EXPECT_EQ(world.shown(), "gone");
}

TEST(SimulatedPods, ConditionsKeepTheTimeOfTheirLastChange) {
  FleetWorld world;
  world.settle();
  world.run("basalt.sh/start-seconds: '2', basalt.sh/run-seconds: '10'");
  world.settle();
  EXPECT_EQ(world.shown(), "0/1 ContainerCreating 0");
  EXPECT_EQ(world.condition("PodScheduled"), "True 0");
  EXPECT_EQ(world.condition("Initialized"), "True 0");
  EXPECT_EQ(world.condition("Ready"), "False 0");
  world.pass(Duration::seconds(3));
  EXPECT_EQ(world.shown(), "1/1 Running 0");
  EXPECT_EQ(world.condition("Ready"), "True 1");
  EXPECT_EQ(world.condition("ContainersReady"), "True 1");
  EXPECT_EQ(world.condition("PodReadyToStartContainers"), "True 1");
  EXPECT_EQ(world.condition("Initialized"), "True 3");
  EXPECT_EQ(world.at("pods", "p", "status.conditions").find("ContainersNotReady"), std::string::npos);
  world.pass(Duration::seconds(10));
  EXPECT_EQ(world.shown(), "0/1 Completed 0");
  EXPECT_EQ(world.condition("PodScheduled"), "True 13");
  EXPECT_EQ(world.condition("Ready"), "False 1");
  EXPECT_NE(world.at("pods", "p", "status.conditions").find("PodCompleted"), std::string::npos);
}

TEST(SimulatedPods, EndAfterTheirTimeWithTheirExitCode) {
  FleetWorld world;
  world.settle();
  world.run("basalt.sh/run-seconds: '30', basalt.sh/exit-code: '3'");
  world.pass(Duration::seconds(29));
  EXPECT_EQ(world.shown(), "1/1 Running 0");
  world.pass(Duration::seconds(1));
  EXPECT_EQ(world.shown(), "0/1 Error 0");
  EXPECT_EQ(world.at("pods", "p", "status.phase"), "Failed");
  EXPECT_EQ(world.at("pods", "p", "status.containerStatuses.0.state.terminated.exitCode"), "3");
  EXPECT_EQ(world.at("pods", "p", "status.containerStatuses.0.state.terminated.finishedAt"), "2023-11-14T22:13:50Z");
  EXPECT_EQ(world.settle(), 0U);
}

TEST(SimulatedPods, RestartWithGrowingPauses) {
  FleetWorld world;
  world.settle();
  world.run("basalt.sh/run-seconds: '2', basalt.sh/exit-code: '1'", "restartPolicy: OnFailure");
  world.pass(Duration::seconds(3));  // the first restart is at once
  EXPECT_EQ(world.shown(), "1/1 Running 1");
  world.pass(Duration::seconds(2));
  EXPECT_EQ(world.shown(), "0/1 CrashLoopBackOff 1");
  EXPECT_EQ(world.at("pods", "p", "status.phase"), "Running");
  EXPECT_EQ(world.at("pods", "p", "status.containerStatuses.0.lastState.terminated.exitCode"), "1");
  world.pass(Duration::seconds(8));
  EXPECT_EQ(world.shown(), "0/1 CrashLoopBackOff 1");
  world.pass(Duration::seconds(1));
  EXPECT_EQ(world.shown(), "1/1 Running 2");
  world.pass(Duration::seconds(2));
  EXPECT_EQ(world.shown(), "0/1 CrashLoopBackOff 2");
  world.pass(Duration::seconds(20));
  EXPECT_EQ(world.shown(), "1/1 Running 3");
}

TEST(SimulatedPods, FailByChanceAndSucceedInTheEnd) {
  FleetWorld world;
  world.settle();
  world.run("basalt.sh/run-seconds: '1', basalt.sh/fail-chance: '0.5'", "restartPolicy: OnFailure");
  world.pass(Duration::seconds(7200));
  EXPECT_EQ(world.at("pods", "p", "status.phase"), "Succeeded");
}

TEST(SimulatedPods, InitContainersCompleteAndSidecarsRunAlong) {
  FleetWorld world;
  world.settle();
  world.run("basalt.sh/run-seconds: '5'",
            "restartPolicy: Never, initContainers: [{name: setup, image: a}, {name: proxy, image: b, restartPolicy: "
            "Always}]");
  world.settle();
  EXPECT_EQ(world.shown(), "2/2 Running 0");
  EXPECT_EQ(world.at("pods", "p", "status.initContainerStatuses.0.state.terminated.reason"), "Completed");
  world.pass(Duration::seconds(5));
  EXPECT_EQ(world.shown(), "0/2 Completed 0");
  EXPECT_EQ(world.at("pods", "p", "status.phase"), "Succeeded");
}

TEST(SimulatedPods, StopSlowlyWithinTheirGrace) {
  FleetWorld world;
  world.settle();
  world.run("basalt.sh/stop-seconds: '7'", "restartPolicy: Never, terminationGracePeriodSeconds: 20");
  world.settle();
  world.remove("pods", "p");
  world.pass(Duration::seconds(6));
  EXPECT_EQ(world.shown(), "1/1 Terminating 0");
  world.pass(Duration::seconds(1));
  EXPECT_EQ(world.shown(), "gone");
}

TEST(SimulatedPods, WithAFinalizerSayHowTheyEndedAndStay) {
  FleetWorld world;
  world.settle();
  world.run("");
  world.patch("pods", "p", R"({"metadata":{"finalizers":["example.com/wait"]}})");
  world.settle();
  world.remove("pods", "p");
  world.settle();
  EXPECT_EQ(world.at("pods", "p", "status.phase"), "Failed");
  EXPECT_EQ(world.at("pods", "p", "metadata.deletionGracePeriodSeconds"), "0");
  EXPECT_EQ(world.settle(), 0U);
  world.patch("pods", "p", R"({"metadata":{"finalizers":null}})");
  world.settle();
  EXPECT_EQ(world.shown(), "gone");
}

TEST(SimulatedPods, FailAtTheirDeadline) {
  FleetWorld world;
  world.settle();
  world.run("", "restartPolicy: Always, activeDeadlineSeconds: 60");
  world.pass(Duration::seconds(59));
  EXPECT_EQ(world.shown(), "1/1 Running 0");
  world.pass(Duration::seconds(1));
  EXPECT_EQ(world.at("pods", "p", "status.phase"), "Failed");
  EXPECT_EQ(world.at("pods", "p", "status.reason"), "DeadlineExceeded");
}

TEST(SimulatedPods, TellAboutAnnotationsThatDoNotParse) {
  FleetWorld world;
  world.settle();
  world.run("basalt.sh/run-seconds: soon, basalt.sh/exit-code: '-1'");
  world.pass(Duration::seconds(100));
  EXPECT_EQ(world.shown(), "1/1 Running 0") << "as if there were none";
  const auto events = world.list("events");
  ASSERT_EQ(events.size(), 2U);
  for (const client::ObjectPtr& event : events) {
    EXPECT_EQ(api::string_at(event->get_object(), "reason"), "InvalidAnnotation");
    EXPECT_EQ(api::string_at(event->get_object(), {"involvedObject", "name"}), "p");
  }
}

TEST(SimulatedPods, GoOnWhereTheyWereAfterARestart) {
  FleetWorld world;
  world.settle();
  world.run("basalt.sh/run-seconds: '30'");
  world.pass(Duration::seconds(10));
  world.stop_nodes();
  world.pass(Duration::seconds(60));
  EXPECT_EQ(world.shown(), "1/1 Running 0");
  world.restart_nodes({.groups = {{.count = 2}}});
  world.settle();
  EXPECT_EQ(world.shown(), "0/1 Completed 0");
  EXPECT_EQ(world.at("pods", "p", "status.containerStatuses.0.state.terminated.finishedAt"), "2023-11-14T22:13:50Z");
}

TEST(SimulatedPods, OfOtherNodesAreLeftAlone) {
  FleetWorld world;
  world.create("nodes", "{apiVersion: v1, kind: Node, metadata: {name: real}}");
  world.create("pods",
               "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: main, image: i}]}}");
  world.bind("p", "real");
  world.pass(Duration::seconds(60));
  EXPECT_EQ(world.shown(), "0/1 Pending 0");
  // It turns out to be one of ours.
  world.patch("nodes", "real", R"({"metadata":{"labels":{"basalt.sh/runtime":"simulated"}}})");
  world.settle();
  EXPECT_EQ(world.shown(), "1/1 Running 0");
}

}  // namespace
}  // namespace basalt
