#include "control/volcano/job/expand/job_view.h"

#include <gtest/gtest.h>

#include "control/volcano/job/expand/expand_job_builders.h"

namespace basalt::volcano {
namespace {

using tests::job_with;
using tests::parsed;

TEST(JobView, ReadsSpecAndStatus) {
  const text::Object object = job_with(
      R"({"queue": "q", "schedulerName": "volcano", "minAvailable": 2, "maxRetry": 5, "minSuccess": 1,
          "ttlSecondsAfterFinished": 60, "priorityClassName": "high", "policies": [{}],
          "networkTopology": {"mode": "soft"}, "plugins": {"svc": ["--a", "b"], "env": null},
          "volumes": [{"mountPath": "/d", "volumeClaimName": "c"}, {"mountPath": "/e", "volumeClaim": {}}],
          "tasks": [{"name": "ps", "replicas": 1, "minAvailable": 1, "maxRetry": -1, "policies": [{}, {}],
                     "topologyPolicy": "restricted",
                     "template": {"spec": {"hostname": "h", "subdomain": "s", "priorityClassName": "low"}}},
                    {"replicas": 6, "dependsOn": {"name": ["ps"], "iteration": "any"},
                     "partitionPolicy": {"totalPartitions": 3, "partitionSize": 2, "minPartitions": 2}}]})",
      R"({"state": {"phase": "Running"}, "version": 4, "retryCount": 2, "minAvailable": 3,
          "controlledResources": {"plugin-svc": "svc"}})");
  const JobView job(object);
  EXPECT_EQ(job.name, "train");
  EXPECT_EQ(job.namespace_name, "lab");
  EXPECT_EQ(job.group_name(), "train-u-1");
  EXPECT_EQ(job.queue, "q");
  EXPECT_EQ(job.min_available, 2);
  EXPECT_EQ(job.max_retry, 5);
  EXPECT_EQ(job.min_success, 1);
  EXPECT_EQ(job.ttl_seconds, 60);
  EXPECT_EQ(job.policies->size(), 1U);
  EXPECT_EQ(job.phase, "Running");
  EXPECT_EQ(job.version, 4);
  EXPECT_EQ(job.retry_count, 2);
  EXPECT_EQ(job.status_min_available, 3);
  EXPECT_EQ(job.controlled_resources->size(), 1U);
  EXPECT_EQ(job.total_replicas(), 7);
  ASSERT_EQ(job.plugins.size(), 2U);
  EXPECT_EQ(job.plugins[0].arguments, (std::vector<std::string_view>{"--a", "b"}));
  EXPECT_TRUE(job.plugins[1].arguments.empty());
  ASSERT_EQ(job.volumes.size(), 2U);
  EXPECT_EQ(job.volumes[0].claim, nullptr);
  EXPECT_NE(job.volumes[1].claim, nullptr);

  ASSERT_EQ(job.tasks.size(), 2U);
  const TaskView& ps = job.tasks[0];
  EXPECT_EQ(ps.max_retry, -1);
  EXPECT_EQ(ps.policies->size(), 2U);
  EXPECT_EQ(host_name(job, ps, 7), "h.s");
  const TaskView& other = job.tasks[1];
  EXPECT_EQ(other.key(), "default");
  EXPECT_EQ(job.find_task("default"), &other);
  EXPECT_TRUE(other.depends_on_any);
  EXPECT_EQ(other.min_members(), 4);  // two whole partitions
  TaskView vast;
  vast.partition = PartitionPolicy{.total = 1, .size = 2147483647, .min = 2147483647};
  EXPECT_EQ(vast.min_members(), 2147483647) << "what an int32 of the API can say";
  EXPECT_EQ(other.partition->of(5), 2);
  EXPECT_EQ(host_name(job, other, 7), "train--7.train");
}

TEST(JobView, TakesAnythingForNothing) {
  for (const std::string_view json :
       {"{}", R"({"metadata": 1, "spec": [], "status": "x"})",
        R"({"spec": {"tasks": [1, null, {"replicas": -4, "template": 3, "dependsOn": [], "partitionPolicy": 1}],
            "plugins": [], "volumes": {}, "minAvailable": "2", "policies": {}}, "status": {"version": -1}})"}) {
    const text::Object object = parsed(json);
    const JobView job(object);
    EXPECT_EQ(job.total_replicas(), 0) << json;
    EXPECT_EQ(job.min_available, 0) << json;
    EXPECT_EQ(job.version, 0) << json;
    for (const TaskView& task : job.tasks) EXPECT_NE(task.template_spec, nullptr);
  }
}

TEST(JobView, CountsStayWhatTheApiCanHold) {
  const text::Object object =
      job_with(R"({"tasks": [{"replicas": 9000000000000000000}, {"replicas": 9000000000000000000}]})");
  EXPECT_EQ(JobView(object).total_replicas(), 2 * int64_t{2147483647});
}

}  // namespace
}  // namespace basalt::volcano
