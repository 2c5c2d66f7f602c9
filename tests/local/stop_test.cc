// How pods end: nothing of them is left, whatever they do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kube/api/object_fields.h"
#include "tests/local/local_node_fixture.h"

namespace basalt {
namespace {

class LocalStops : public testing::Test {
 protected:
  LocalStops() { fixture.start_node(); }

  // A pod that says "ready" by its readiness probe once `script` has made /data/up.
  void create(std::string_view name, std::string_view script, std::string_view more = "") {
    fixture.create_pod(
        name, fmt::format("{} volumes: [{{name: v, emptyDir: {{}}}}], containers: [{{name: a, image: x, env: [{{name: "
                          "MARK, value: {}}}], command: [sh, -c, '{}'], volumeMounts: [{{name: v, mountPath: /data}}], "
                          "readinessProbe: {{exec: {{command: [test, -e, /data/up]}}, periodSeconds: 1}}}}]",
                          more, fixture.mark(), script));
  }

  LocalNodeFixture fixture;
};

TEST_F(LocalStops, DeletionWithGraceKillsWhatIgnoresTheSignal) {
  create("p", "trap \"\" TERM; touch /data/up; while true; do sleep 0.1; done");
  ASSERT_TRUE(fixture.wait_ready("p"));
  EXPECT_FALSE(fixture.marked().empty());
  fixture.remove_pod("p", 1);
  ASSERT_TRUE(fixture.wait_gone("p"));
  EXPECT_TRUE(fixture.marked().empty());
  EXPECT_EQ(fixture.wait_event("p", "Killing"), "Stopping container a");
}

TEST_F(LocalStops, GrandchildrenDieToo) {
  create("p", "setsid sh -c \"trap : TERM; (sleep 1000 & sleep 1000)\" & touch /data/up; exec sleep 1000");
  ASSERT_TRUE(fixture.wait_ready("p"));
  EXPECT_GE(fixture.marked().size(), 3U);
  fixture.remove_pod("p", 5);
  ASSERT_TRUE(fixture.wait_gone("p"));
  EXPECT_TRUE(fixture.marked().empty());
}

TEST_F(LocalStops, WhatIsLeftWhenTheFirstProcessEnds) {
  create("p", "sleep 1000 & echo done", "restartPolicy: Never,");
  ASSERT_TRUE(fixture.wait_phase("p", "Succeeded"));
  EXPECT_TRUE(fixture.marked().empty());
  EXPECT_EQ(fixture.log("p", "a"), "done");
}

TEST_F(LocalStops, AForcedDeletion) {
  create("p", "trap \"\" TERM; touch /data/up; while true; do sleep 0.1; done");
  ASSERT_TRUE(fixture.wait_ready("p"));
  fixture.remove_pod("p", 0);
  ASSERT_TRUE(fixture.wait_gone("p"));
  // The object is gone at once; the next pod tells when the processes are.
  fixture.stop_node();
  EXPECT_TRUE(fixture.marked().empty());
}

TEST_F(LocalStops, TheActiveDeadline) {
  create("p", "touch /data/up; exec sleep 1000", "activeDeadlineSeconds: 2, terminationGracePeriodSeconds: 1,");
  ASSERT_TRUE(fixture.wait_phase("p", "Failed"));
  EXPECT_EQ(fixture.at("p", "status.reason"), "DeadlineExceeded");
  EXPECT_TRUE(fixture.marked().empty());
}

TEST_F(LocalStops, ASidecarServesUntilTheEnd) {
  fixture.create_pod(
      "p",
      fmt::format("restartPolicy: Never, initContainers: [{{name: s, image: x, restartPolicy: Always, env: [{{name: "
                  "MARK, value: {}}}], command: [sleep, '1000']}}], containers: [{{name: a, image: x, command: "
                  "[echo, done]}}]",
                  fixture.mark()));
  ASSERT_TRUE(fixture.wait_phase("p", "Succeeded"));
  EXPECT_TRUE(fixture.marked().empty());
  EXPECT_EQ(fixture.at("p", "status.initContainerStatuses.0.state.terminated.exitCode"), "143");
}

TEST_F(LocalStops, TheNodeStopsAndNothingIsReported) {
  create("p", "touch /data/up; exec sleep 1000");
  ASSERT_TRUE(fixture.wait_ready("p"));
  fixture.stop_node();
  EXPECT_TRUE(fixture.marked().empty());
  EXPECT_EQ(fixture.at("p", "status.phase"), "Running");
}

TEST_F(LocalStops, ANodeThatComesBackRunsOrFailsWhatItLost) {
  create("always", "touch /data/up; exec sleep 1000");
  create("never", "touch /data/up; exec sleep 1000", "restartPolicy: Never,");
  fixture.create_pod("done", "restartPolicy: Never, containers: [{name: a, image: x, command: ['true']}]");
  ASSERT_TRUE(fixture.wait_ready("always"));
  ASSERT_TRUE(fixture.wait_ready("never"));
  ASSERT_TRUE(fixture.wait_phase("done", "Succeeded"));
  const std::string version = fixture.at("done", "metadata.resourceVersion");
  const std::string address = fixture.at("always", "status.podIP");
  fixture.stop_node();
  fixture.start_node();
  ASSERT_TRUE(fixture.wait_phase("never", "Failed"));
  EXPECT_EQ(fixture.at("never", "status.reason"), "NodeRestarted");
  EXPECT_NE(fixture.at("never", "status.message"), "");
  ASSERT_TRUE(fixture.wait("always", [](const text::Object& pod) {
    const text::Array* list = api::array_at(pod, {"status", "containerStatuses"});
    const text::Object& a = list->at(0).get_object();
    return api::int_at(a, {"restartCount"}) == 1 && api::object_at(a, {"state", "running"}) != nullptr;
  }));
  EXPECT_EQ(fixture.at("always", "status.containerStatuses.0.lastState.terminated.reason"), "NodeRestarted");
  EXPECT_EQ(fixture.at("always", "status.podIP"), address);
  EXPECT_EQ(fixture.at("done", "metadata.resourceVersion"), version);
}

TEST_F(LocalStops, WhatHappenedWhileTheNodeWasAway) {
  create("p", "touch /data/up; exec sleep 1000");
  ASSERT_TRUE(fixture.wait_ready("p"));
  fixture.stop_node();
  fixture.remove_pod("p", 30);
  fixture.create_pod("q", "restartPolicy: Never, containers: [{name: a, image: x, command: ['true']}]");
  fixture.start_node();
  ASSERT_TRUE(fixture.wait_gone("p"));
  ASSERT_TRUE(fixture.wait_phase("q", "Succeeded"));
}

}  // namespace
}  // namespace basalt
