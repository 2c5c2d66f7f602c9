// Pods outlive the node where it keeps them: what runs is taken over by the next one, what ended meanwhile is told.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "kube/api/object_fields.h"
#include "tests/local/local_node_fixture.h"

namespace basalt {
namespace {

class LocalRestarts : public testing::Test {
 protected:
  LocalRestarts() {
    fixture.options.keep_pods = true;
    fixture.start_node();
  }
  ~LocalRestarts() override {
    for (const int pid : fixture.marked()) ::kill(pid, SIGKILL);
  }

  // A pod that works until SIGUSR1, and then has succeeded.
  void create(std::string_view name) {
    fixture.create_pod(
        name,
        fmt::format("restartPolicy: Never, volumes: [{{name: v, emptyDir: {{}}}}], containers: [{{name: a, image: "
                    "x, env: [{{name: MARK, value: {}}}], command: [sh, -c, 'trap \"echo trained; exit 0\" USR1; "
                    "echo begun; touch /data/up; while :; do sleep 0.05; done'], volumeMounts: [{{name: v, "
                    "mountPath: /data}}], readinessProbe: {{exec: {{command: [test, -e, /data/up]}}, "
                    "periodSeconds: 1}}}}]",
                    fixture.mark()));
    ASSERT_TRUE(fixture.wait_ready(name));
  }
  void finish() const {
    if (shell() > 0) ::kill(shell(), SIGUSR1);  // what it sleeps by is not asked: the shell would tell of its end
  }
  // The shell; what it sleeps by changes.
  [[nodiscard]] int shell() const { return fixture.marked().empty() ? 0 : fixture.marked().front(); }
  [[nodiscard]] bool all_gone() const {
    const auto deadline = std::chrono::steady_clock::now() + kTestTimeout;
    while (!fixture.marked().empty()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  LocalNodeFixture fixture;
};

TEST_F(LocalRestarts, WhatRunsIsTakenOver) {
  create("p");
  const int before = shell();
  const std::string id = fixture.at("p", "status.containerStatuses.0.containerID");
  const std::string address = fixture.at("p", "status.podIP");
  for (int i = 0; i < 2; ++i) {
    fixture.stop_node();
    EXPECT_EQ(shell(), before);
    fixture.start_node();
    fixture.create_pod(fmt::format("q{}", i),
                       "restartPolicy: Never, containers: [{name: a, image: x, command: ['true']}]");
    ASSERT_TRUE(fixture.wait_phase(fmt::format("q{}", i), "Succeeded"));
    EXPECT_EQ(shell(), before);
    EXPECT_EQ(fixture.at("p", "status.phase"), "Running");
  }
  finish();
  ASSERT_TRUE(fixture.wait_phase("p", "Succeeded"));
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.restartCount"), "0");
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.containerID"), id);
  EXPECT_NE(address, "");
  EXPECT_EQ(fixture.log("p", "a"), "begun|trained");
}

TEST_F(LocalRestarts, WhatEndedMeanwhileIsTold) {
  create("p");
  fixture.stop_node();
  finish();
  ASSERT_TRUE(all_gone());
  fixture.start_node();
  ASSERT_TRUE(fixture.wait_phase("p", "Succeeded"));
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.state.terminated.exitCode"), "0");
  EXPECT_EQ(fixture.log("p", "a"), "begun|trained");
}

TEST_F(LocalRestarts, WhatWasDeletedMeanwhileIsStopped) {
  create("asked");
  create("forced");
  fixture.stop_node();
  fixture.remove_pod("asked", 1);
  fixture.remove_pod("forced", 0);
  fixture.start_node();
  ASSERT_TRUE(fixture.wait_gone("asked"));
  EXPECT_TRUE(all_gone());
}

TEST_F(LocalRestarts, WhatWasKilledMeanwhileIsLost) {
  create("p");
  fixture.stop_node();
  for (const int pid : fixture.marked()) ::kill(pid, SIGKILL);
  ASSERT_TRUE(all_gone());
  fixture.start_node();
  ASSERT_TRUE(fixture.wait_phase("p", "Failed"));
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.state.terminated.exitCode"), "137");
}

TEST_F(LocalRestarts, ANodeThatKeepsNothingStopsWhatItTookOver) {
  create("p");
  fixture.stop_node();
  fixture.options.keep_pods = false;
  fixture.start_node();
  fixture.create_pod("q", "restartPolicy: Never, containers: [{name: a, image: x, command: ['true']}]");
  ASSERT_TRUE(fixture.wait_phase("q", "Succeeded"));
  fixture.stop_node();
  EXPECT_TRUE(fixture.marked().empty());
}

TEST_F(LocalRestarts, AnotherWayThanANodeEndsThem) {
  create("p");
  fixture.stop_node();
  EXPECT_EQ(node::LocalNode::count_detached(fixture.options.directory), 1U);
  EXPECT_EQ(node::LocalNode::end_detached(fixture.options.directory, std::chrono::seconds(5)), 1U);
  EXPECT_EQ(node::LocalNode::count_detached(fixture.options.directory), 0U);
  EXPECT_TRUE(fixture.marked().empty());
}

}  // namespace
}  // namespace basalt
