// Pods on simulated nodes, as a user sees them.
#include <gtest/gtest.h>

#include "kube/api/object_fields.h"
#include "tests/simulated/simulated_nodes_fixture.h"

namespace basalt {
namespace {

TEST(SimulatedPods, RunUntilTheyAreDeleted) {
  SimulatedNodesFixture fixture;
  fixture.settle();
  fixture.create("pods",
                 "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: main, image: i}]}}");
  fixture.pass(Duration::seconds(5));
  EXPECT_EQ(fixture.shown(), "0/1 Pending 0");
  fixture.bind("p", "sim-0");
  EXPECT_EQ(fixture.settle(), 1U) << "one write brings a pod to Running";
  EXPECT_EQ(fixture.shown(), "1/1 Running 0");
  EXPECT_EQ(fixture.at("pods", "p", "status.hostIP"), "172.16.0.1");
  EXPECT_EQ(fixture.at("pods", "p", "status.podIP").substr(0, 3), "10.");
  EXPECT_EQ(fixture.at("pods", "p", "status.podIPs.0.ip"), fixture.at("pods", "p", "status.podIP"));
  EXPECT_EQ(fixture.at("pods", "p", "status.startTime"), "2023-11-14T22:13:25Z");
  EXPECT_EQ(fixture.at("pods", "p", "status.qosClass"), "BestEffort");
  fixture.pass(Duration::seconds(3600));
  EXPECT_EQ(fixture.shown(), "1/1 Running 0");
  EXPECT_EQ(fixture.settle(), 0U);
  fixture.remove("pods", "p");
  EXPECT_EQ(fixture.shown(), "1/1 Terminating 0");
  fixture.settle();
  EXPECT_EQ(fixture.shown(), "gone");
}

TEST(SimulatedPods, ConditionsKeepTheTimeOfTheirLastChange) {
  SimulatedNodesFixture fixture;
  fixture.settle();
  fixture.run("basalt.sh/start-seconds: '2', basalt.sh/run-seconds: '10'");
  fixture.settle();
  EXPECT_EQ(fixture.shown(), "0/1 ContainerCreating 0");
  EXPECT_EQ(fixture.condition("PodScheduled"), "True 0");
  EXPECT_EQ(fixture.condition("Initialized"), "True 0");
  EXPECT_EQ(fixture.condition("Ready"), "False 0");
  fixture.pass(Duration::seconds(3));
  EXPECT_EQ(fixture.shown(), "1/1 Running 0");
  EXPECT_EQ(fixture.condition("Ready"), "True 1");
  EXPECT_EQ(fixture.condition("ContainersReady"), "True 1");
  EXPECT_EQ(fixture.condition("PodReadyToStartContainers"), "True 1");
  EXPECT_EQ(fixture.condition("Initialized"), "True 3");
  EXPECT_EQ(fixture.at("pods", "p", "status.conditions").find("ContainersNotReady"), std::string::npos);
  fixture.pass(Duration::seconds(10));
  EXPECT_EQ(fixture.shown(), "0/1 Completed 0");
  EXPECT_EQ(fixture.condition("PodScheduled"), "True 13");
  EXPECT_EQ(fixture.condition("Ready"), "False 1");
  EXPECT_NE(fixture.at("pods", "p", "status.conditions").find("PodCompleted"), std::string::npos);
}

TEST(SimulatedPods, EndAfterTheirTimeWithTheirExitCode) {
  SimulatedNodesFixture fixture;
  fixture.settle();
  fixture.run("basalt.sh/run-seconds: '30', basalt.sh/exit-code: '3'");
  fixture.pass(Duration::seconds(29));
  EXPECT_EQ(fixture.shown(), "1/1 Running 0");
  fixture.pass(Duration::seconds(1));
  EXPECT_EQ(fixture.shown(), "0/1 Error 0");
  EXPECT_EQ(fixture.at("pods", "p", "status.phase"), "Failed");
  EXPECT_EQ(fixture.at("pods", "p", "status.containerStatuses.0.state.terminated.exitCode"), "3");
  EXPECT_EQ(fixture.at("pods", "p", "status.containerStatuses.0.state.terminated.finishedAt"), "2023-11-14T22:13:50Z");
  EXPECT_EQ(fixture.settle(), 0U);
}

TEST(SimulatedPods, RestartWithGrowingPauses) {
  SimulatedNodesFixture fixture;
  fixture.settle();
  fixture.run("basalt.sh/run-seconds: '2', basalt.sh/exit-code: '1'", "restartPolicy: OnFailure");
  fixture.pass(Duration::seconds(3));  // the first restart is at once
  EXPECT_EQ(fixture.shown(), "1/1 Running 1");
  fixture.pass(Duration::seconds(2));
  EXPECT_EQ(fixture.shown(), "0/1 CrashLoopBackOff 1");
  EXPECT_EQ(fixture.at("pods", "p", "status.phase"), "Running");
  EXPECT_EQ(fixture.at("pods", "p", "status.containerStatuses.0.lastState.terminated.exitCode"), "1");
  fixture.pass(Duration::seconds(8));
  EXPECT_EQ(fixture.shown(), "0/1 CrashLoopBackOff 1");
  fixture.pass(Duration::seconds(1));
  EXPECT_EQ(fixture.shown(), "1/1 Running 2");
  fixture.pass(Duration::seconds(2));
  EXPECT_EQ(fixture.shown(), "0/1 CrashLoopBackOff 2");
  fixture.pass(Duration::seconds(20));
  EXPECT_EQ(fixture.shown(), "1/1 Running 3");
}

TEST(SimulatedPods, FailByChanceAndSucceedInTheEnd) {
  SimulatedNodesFixture fixture;
  fixture.settle();
  fixture.run("basalt.sh/run-seconds: '1', basalt.sh/fail-chance: '0.5'", "restartPolicy: OnFailure");
  fixture.pass(Duration::seconds(7200));
  EXPECT_EQ(fixture.at("pods", "p", "status.phase"), "Succeeded");
}

TEST(SimulatedPods, InitContainersCompleteAndSidecarsRunAlong) {
  SimulatedNodesFixture fixture;
  fixture.settle();
  fixture.run("basalt.sh/run-seconds: '5'",
              "restartPolicy: Never, initContainers: [{name: setup, image: a}, {name: proxy, image: b, restartPolicy: "
              "Always}]");
  fixture.settle();
  EXPECT_EQ(fixture.shown(), "2/2 Running 0");
  EXPECT_EQ(fixture.at("pods", "p", "status.initContainerStatuses.0.state.terminated.reason"), "Completed");
  fixture.pass(Duration::seconds(5));
  EXPECT_EQ(fixture.shown(), "0/2 Completed 0");
  EXPECT_EQ(fixture.at("pods", "p", "status.phase"), "Succeeded");
}

TEST(SimulatedPods, StopSlowlyWithinTheirGrace) {
  SimulatedNodesFixture fixture;
  fixture.settle();
  fixture.run("basalt.sh/stop-seconds: '7'", "restartPolicy: Never, terminationGracePeriodSeconds: 20");
  fixture.settle();
  fixture.remove("pods", "p");
  fixture.pass(Duration::seconds(6));
  EXPECT_EQ(fixture.shown(), "1/1 Terminating 0");
  fixture.pass(Duration::seconds(1));
  EXPECT_EQ(fixture.shown(), "gone");
}

TEST(SimulatedPods, WithAFinalizerSayHowTheyEndedAndStay) {
  SimulatedNodesFixture fixture;
  fixture.settle();
  fixture.run("");
  fixture.patch("pods", "p", R"({"metadata":{"finalizers":["example.com/wait"]}})");
  fixture.settle();
  fixture.remove("pods", "p");
  fixture.settle();
  EXPECT_EQ(fixture.at("pods", "p", "status.phase"), "Failed");
  EXPECT_EQ(fixture.at("pods", "p", "metadata.deletionGracePeriodSeconds"), "0");
  EXPECT_EQ(fixture.settle(), 0U);
  fixture.patch("pods", "p", R"({"metadata":{"finalizers":null}})");
  fixture.settle();
  EXPECT_EQ(fixture.shown(), "gone");
}

TEST(SimulatedPods, FailAtTheirDeadline) {
  SimulatedNodesFixture fixture;
  fixture.settle();
  fixture.run("", "restartPolicy: Always, activeDeadlineSeconds: 60");
  fixture.pass(Duration::seconds(59));
  EXPECT_EQ(fixture.shown(), "1/1 Running 0");
  fixture.pass(Duration::seconds(1));
  EXPECT_EQ(fixture.at("pods", "p", "status.phase"), "Failed");
  EXPECT_EQ(fixture.at("pods", "p", "status.reason"), "DeadlineExceeded");
}

TEST(SimulatedPods, TellAboutAnnotationsThatDoNotParse) {
  SimulatedNodesFixture fixture;
  fixture.settle();
  fixture.run("basalt.sh/run-seconds: soon, basalt.sh/exit-code: '-1'");
  fixture.pass(Duration::seconds(100));
  EXPECT_EQ(fixture.shown(), "1/1 Running 0") << "as if there were none";
  const auto events = fixture.list("events");
  ASSERT_EQ(events.size(), 2U);
  for (const client::ObjectPtr& event : events) {
    EXPECT_EQ(api::string_at(event->get_object(), "reason"), "InvalidAnnotation");
    EXPECT_EQ(api::string_at(event->get_object(), {"involvedObject", "name"}), "p");
  }
}

TEST(SimulatedPods, GoOnWhereTheyWereAfterARestart) {
  SimulatedNodesFixture fixture;
  fixture.settle();
  fixture.run("basalt.sh/run-seconds: '30'");
  fixture.pass(Duration::seconds(10));
  fixture.stop_nodes();
  fixture.pass(Duration::seconds(60));
  EXPECT_EQ(fixture.shown(), "1/1 Running 0");
  fixture.restart_nodes({.groups = {{.count = 2}}});
  fixture.settle();
  EXPECT_EQ(fixture.shown(), "0/1 Completed 0");
  EXPECT_EQ(fixture.at("pods", "p", "status.containerStatuses.0.state.terminated.finishedAt"), "2023-11-14T22:13:50Z");
}

TEST(SimulatedPods, OfOtherNodesAreLeftAlone) {
  SimulatedNodesFixture fixture;
  fixture.create("nodes", "{apiVersion: v1, kind: Node, metadata: {name: real}}");
  fixture.create("pods",
                 "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: main, image: i}]}}");
  fixture.bind("p", "real");
  fixture.pass(Duration::seconds(60));
  EXPECT_EQ(fixture.shown(), "0/1 Pending 0");
  // It turns out to be one of ours.
  fixture.patch("nodes", "real", R"({"metadata":{"labels":{"basalt.sh/runtime":"simulated"}}})");
  fixture.settle();
  EXPECT_EQ(fixture.shown(), "1/1 Running 0");
}

}  // namespace
}  // namespace basalt
