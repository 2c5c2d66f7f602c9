// How pods end: nothing of them is left, whatever they do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kube/api/object_fields.h"
#include "tests/local/local_world.h"

namespace basalt {
namespace {

class LocalStops : public testing::Test {
 protected:
  LocalStops() { world.start_node(); }

  // A pod that says "ready" by its readiness probe once `script` has made /data/up.
  void create(std::string_view name, std::string_view script, std::string_view more = "") {
    world.create_pod(
        name, fmt::format("{} volumes: [{{name: v, emptyDir: {{}}}}], containers: [{{name: a, image: x, env: [{{name: "
                          "MARK, value: {}}}], command: [sh, -c, '{}'], volumeMounts: [{{name: v, mountPath: /data}}], "
                          "readinessProbe: {{exec: {{command: [test, -e, /data/up]}}, periodSeconds: 1}}}}]",
                          more, world.mark(), script));
  }

  LocalWorld world;
};

TEST_F(LocalStops, DeletionWithGraceKillsWhatIgnoresTheSignal) {
  create("p", "trap \"\" TERM; touch /data/up; while true; do sleep 0.1; done");
  ASSERT_TRUE(world.wait_ready("p"));
  EXPECT_FALSE(world.marked().empty());
  world.remove_pod("p", 1);
  ASSERT_TRUE(world.wait_gone("p"));
  EXPECT_TRUE(world.marked().empty());
  EXPECT_EQ(world.wait_event("p", "Killing"), "Stopping container a");
}

TEST_F(LocalStops, GrandchildrenDieToo) {
  create("p", "setsid sh -c \"trap : TERM; (sleep 1000 & sleep 1000)\" & touch /data/up; exec sleep 1000");
  ASSERT_TRUE(world.wait_ready("p"));
  EXPECT_GE(world.marked().size(), 3U);
  world.remove_pod("p", 5);
  ASSERT_TRUE(world.wait_gone("p"));
  EXPECT_TRUE(world.marked().empty());
}

TEST_F(LocalStops, WhatIsLeftWhenTheFirstProcessEnds) {
  create("p", "sleep 1000 & echo done", "restartPolicy: Never,");
  ASSERT_TRUE(world.wait_phase("p", "Succeeded"));
  EXPECT_TRUE(world.marked().empty());
  EXPECT_EQ(world.log("p", "a"), "done");
}

TEST_F(LocalStops, AForcedDeletion) {
  create("p", "trap \"\" TERM; touch /data/up; while true; do sleep 0.1; done");
  ASSERT_TRUE(world.wait_ready("p"));
  world.remove_pod("p", 0);
  ASSERT_TRUE(world.wait_gone("p"));
  // The object is gone at once; the next pod tells when the processes are.
  world.stop_node();
  EXPECT_TRUE(world.marked().empty());
}

TEST_F(LocalStops, TheActiveDeadline) {
  create("p", "touch /data/up; exec sleep 1000", "activeDeadlineSeconds: 2, terminationGracePeriodSeconds: 1,");
  ASSERT_TRUE(world.wait_phase("p", "Failed"));
  EXPECT_EQ(world.at("p", "status.reason"), "DeadlineExceeded");
  EXPECT_TRUE(world.marked().empty());
}

TEST_F(LocalStops, ASidecarServesUntilTheEnd) {
  world.create_pod(
      "p",
      fmt::format("restartPolicy: Never, initContainers: [{{name: s, image: x, restartPolicy: Always, env: [{{name: "
                  "MARK, value: {}}}], command: [sleep, '1000']}}], containers: [{{name: a, image: x, command: "
                  "[echo, done]}}]",
                  world.mark()));
  ASSERT_TRUE(world.wait_phase("p", "Succeeded"));
  EXPECT_TRUE(world.marked().empty());
  EXPECT_EQ(world.at("p", "status.initContainerStatuses.0.state.terminated.exitCode"), "143");
}

TEST_F(LocalStops, TheNodeStopsAndNothingIsReported) {
  create("p", "touch /data/up; exec sleep 1000");
  ASSERT_TRUE(world.wait_ready("p"));
  world.stop_node();
  EXPECT_TRUE(world.marked().empty());
  EXPECT_EQ(world.at("p", "status.phase"), "Running");
}

TEST_F(LocalStops, ANodeThatComesBackRunsOrFailsWhatItLost) {
  create("always", "touch /data/up; exec sleep 1000");
  create("never", "touch /data/up; exec sleep 1000", "restartPolicy: Never,");
  world.create_pod("done", "restartPolicy: Never, containers: [{name: a, image: x, command: ['true']}]");
  ASSERT_TRUE(world.wait_ready("always"));
  ASSERT_TRUE(world.wait_ready("never"));
  ASSERT_TRUE(world.wait_phase("done", "Succeeded"));
  const std::string version = world.at("done", "metadata.resourceVersion");
  const std::string address = world.at("always", "status.podIP");
  world.stop_node();
  world.start_node();
  ASSERT_TRUE(world.wait_phase("never", "Failed"));
  EXPECT_EQ(world.at("never", "status.reason"), "NodeRestarted");
  EXPECT_NE(world.at("never", "status.message"), "");
  ASSERT_TRUE(world.wait("always", [](const text::Object& pod) {
    const text::Array* list = api::array_at(pod, {"status", "containerStatuses"});
    const text::Object& a = list->at(0).get_object();
    return api::int_at(a, {"restartCount"}) == 1 && api::object_at(a, {"state", "running"}) != nullptr;
  }));
  EXPECT_EQ(world.at("always", "status.containerStatuses.0.lastState.terminated.reason"), "NodeRestarted");
  EXPECT_EQ(world.at("always", "status.podIP"), address);
  EXPECT_EQ(world.at("done", "metadata.resourceVersion"), version);
}

TEST_F(LocalStops, WhatHappenedWhileTheNodeWasAway) {
  create("p", "touch /data/up; exec sleep 1000");
  ASSERT_TRUE(world.wait_ready("p"));
  world.stop_node();
  world.remove_pod("p", 30);
  world.create_pod("q", "restartPolicy: Never, containers: [{name: a, image: x, command: ['true']}]");
  world.start_node();
  ASSERT_TRUE(world.wait_gone("p"));
  ASSERT_TRUE(world.wait_phase("q", "Succeeded"));
}

}  // namespace
}  // namespace basalt
