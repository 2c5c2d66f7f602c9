// Lives of jobs on the real API server, with the controller dying after any of its writes.
#include <gtest/gtest.h>

#include <functional>

#include "tests/jobs/job_cluster.h"

namespace basalt {
namespace {

using Step = std::function<void(JobCluster&)>;

constexpr std::string_view kJob = R"(
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: j}
spec:
  schedulerName: volcano
  minAvailable: 3
  plugins: {svc: [], ssh: [], env: []}
  policies:
  - {event: PodFailed, action: RestartJob}
  tasks:
  - name: m
    replicas: 1
    policies:
    - {event: TaskCompleted, action: CompleteJob}
    - {exitCode: 9, action: RestartPod}
    template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}
  - name: w
    replicas: 2
    template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}
)";

Step command(std::string action) {
  return [action](JobCluster& cluster) {
    cluster.create("{apiVersion: bus.volcano.sh/v1alpha1, kind: Command, metadata: {name: c-" +
                   std::string(action == "AbortJob" ? "abort" : "resume") + "}, action: " + action +
                   ", target: {apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: " +
                   cluster.job_at("metadata.uid") + "}}");
  };
}

const std::vector<Step> kStory = {
    [](JobCluster& cluster) { cluster.create(kJob); },
    [](JobCluster& cluster) { cluster.admit(); },
    [](JobCluster& cluster) { cluster.all_pods("Running"); },
    [](JobCluster& cluster) { cluster.fail("j-m-0", 9); },
    [](JobCluster& cluster) { cluster.all_pods("Running"); },
    [](JobCluster& cluster) { cluster.fail("j-w-1", 1); },
    [](JobCluster& cluster) { cluster.admit(); },
    [](JobCluster& cluster) { cluster.all_pods("Running"); },
    command("AbortJob"),
};

// Plays the story; the controller dies after `writes` writes, and another one goes on. Answers all writes.
size_t play(JobCluster& cluster, size_t writes) {
  cluster.stop_after(writes);
  for (const Step& step : kStory) {
    step(cluster);
    cluster.step();
    if (!cluster.is_dead()) continue;
    cluster.restart_controller();
    cluster.step();
  }
  return cluster.sent();
}

TEST(JobServer, WholeLife) {
  SharedServer shared;
  JobCluster cluster(shared, "whole");
  cluster.create(kJob);
  cluster.step();
  EXPECT_EQ(cluster.job_at("status.state.phase"), "Pending");
  EXPECT_EQ(cluster.list("scheduling.volcano.sh", "v1beta1", "podgroups").size(), 1U);
  EXPECT_EQ(cluster.list("", "v1", "configmaps").size(), 1U);
  cluster.admit();
  cluster.step();
  EXPECT_EQ(cluster.job_at("status.pending"), "3");
  cluster.all_pods("Running");
  cluster.step();
  EXPECT_EQ(cluster.job_at("status.state.phase"), "Running");
  cluster.all_pods("Succeeded");
  cluster.step();
  EXPECT_EQ(cluster.job_at("status.state.phase"), "Completed");
  EXPECT_EQ(cluster.job_at("status.succeeded"), "3");
  EXPECT_EQ(cluster.list("scheduling.volcano.sh", "v1beta1", "podgroups").size(), 0U);
  EXPECT_EQ(cluster.list("", "v1", "services").size(), 0U);
  const size_t sent = cluster.sent();
  cluster.restart_controller();
  cluster.step();
  EXPECT_EQ(cluster.sent(), sent) << "a finished job costs nothing, also for a new controller";
}

TEST(JobServer, DyingAnywhereLeadsToTheSameEnd) {
  SharedServer shared;
  JobCluster whole(shared, "whole");
  const size_t writes = play(whole, SIZE_MAX);
  const std::string end = whole.summary();
  EXPECT_EQ(whole.job_at("status.state.phase"), "Aborted") << end;
  EXPECT_EQ(whole.job_at("status.retryCount"), "2") << end;
  ASSERT_GT(writes, 20U);
  for (size_t stop = 1; stop <= writes; ++stop) {
    JobCluster cluster(shared, "dies-after-" + std::to_string(stop));
    play(cluster, stop);
    EXPECT_EQ(cluster.summary(), end) << "died after " << stop << " of " << writes << " writes";
  }
}

}  // namespace
}  // namespace basalt
