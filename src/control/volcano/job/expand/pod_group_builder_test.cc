#include "control/volcano/job/expand/pod_group_builder.h"

#include <gtest/gtest.h>

#include "control/volcano/job/expand/expand_job_builders.h"
#include "kube/api/object_fields.h"
#include "kube/text/patch.h"

namespace basalt::volcano {
namespace {

using tests::job_with;
using tests::parsed;
using tests::to_text;

int64_t no_classes(std::string_view) { return 0; }
int64_t by_length(std::string_view name) { return static_cast<int64_t>(name.size()); }

const std::string_view kSpecWithTopology =
    R"({"queue": "q", "minAvailable": 3, "priorityClassName": "high",
        "networkTopology": {"mode": "hard", "highestTierAllowed": 2, "highestTierName": "spine"},
        "tasks": [{"name": "a", "replicas": 1, "minAvailable": 1,
                   "template": {"spec": {"containers": [{"resources": {"requests": {"cpu": "1500m"}}}]}}},
                  {"name": "b", "replicas": 4,
                   "partitionPolicy": {"totalPartitions": 2, "partitionSize": 2, "minPartitions": 1,
                                       "networkTopology": {"highestTierAllowed": 1}},
                   "template": {"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 2},
                                                                       "requests": {"nvidia.com/gpu": 2}}}]}}}]})";

text::Object labelled_job(std::string_view spec = kSpecWithTopology) {
  text::Object job = job_with(spec);
  job["metadata"].get_object()["labels"] = parsed(R"({"team": "x"})");
  job["metadata"].get_object()["annotations"] =
      parsed(R"({"note": "1", "kubectl.kubernetes.io/last-applied-configuration": "{}"})");
  return job;
}

TEST(PodGroup, HasWhatTheJobSays) {
  const text::Object job = labelled_job();
  const text::Object group = make_pod_group(JobView(job), no_classes);
  EXPECT_EQ(api::name_of(group), "train-u-1");
  EXPECT_EQ(api::string_at(group, {"metadata", "labels", "team"}), "x");
  EXPECT_EQ(api::string_at(group, {"metadata", "annotations", "note"}), "1");
  const text::Object& spec = *api::object_at(group, {"spec"});
  EXPECT_EQ(api::int_at(spec, {"minMember"}), 3);
  EXPECT_EQ(to_text(*api::object_at(spec, {"minTaskMember"})), R"({"a":1,"b":2})");
  EXPECT_EQ(to_text(*api::object_at(spec, {"networkTopology"})), R"({"mode":"hard","highestTierAllowed":2})");
  EXPECT_EQ(to_text(api::array_at(spec, {"subGroupPolicy"})->at(0).get_object()),
            R"({"name":"b","subGroupSize":2,"minSubGroups":1,)"
            R"("labelSelector":{"matchLabels":{"volcano.sh/task-spec":"b"}},)"
            R"("matchLabelKeys":["volcano.sh/partition-id"],"networkTopology":{"highestTierAllowed":1}})");
  EXPECT_EQ(group.if_contains("status"), nullptr);
}

TEST(PodGroup, MinResourcesCountExtendedResourcesUnderBothNames) {
  const text::Object job = labelled_job();
  // 3 < 1 + 4: the first three pods.
  EXPECT_EQ(api::resource_list_text(min_resources(JobView(job), no_classes)),
            "count/pods=3,cpu=1500m,nvidia.com/gpu=4,pods=3,requests.cpu=1500m,requests.nvidia.com/gpu=4");
}

TEST(PodGroup, HigherClassesComeFirst) {
  const text::Object job = job_with(
      R"({"minAvailable": 2, "tasks": [
          {"name": "a", "replicas": 2, "template": {"spec": {"priorityClassName": "low",
            "containers": [{"resources": {"requests": {"cpu": "1"}}}]}}},
          {"name": "b", "replicas": 2, "template": {"spec": {"priorityClassName": "highest",
            "containers": [{"resources": {"requests": {"cpu": "8"}}}]}}}]})");
  EXPECT_EQ(min_resources(JobView(job), by_length).at("cpu").value(), 16);
  EXPECT_EQ(min_resources(JobView(job), no_classes).at("cpu").value(), 2);
}

TEST(PodGroup, MinResourcesOfMillionsOfPodsAreExactAndInstant) {
  const text::Object job = job_with(
      R"({"minAvailable": 2000000000, "tasks": [{"name": "a", "replicas": 2000000001, "minAvailable": 3,
          "template": {"spec": {"containers": [{"resources": {"requests": {"cpu": "3m"}}}]}}}]})");
  EXPECT_EQ(min_resources(JobView(job), no_classes).at("cpu").value(), 6000000);
}

TEST(PodGroup, NothingChangesWhenNothingChanged) {
  const text::Object job = labelled_job();
  text::Object group = make_pod_group(JobView(job), no_classes);
  EXPECT_FALSE(pod_group_change(JobView(job), group, no_classes).has_value());
  // What servers, schedulers and other people add is theirs.
  group["status"] = parsed(R"({"phase": "Inqueue"})");
  group["metadata"].get_object()["labels"].get_object()["mine"] = "too";
  group["metadata"].get_object()["annotations"].get_object()["mine"] = "too";
  group["metadata"].get_object()["annotations"].get_object()["kubectl.kubernetes.io/last-applied-configuration"] = "";
  text::Object& spec = group["spec"].get_object();
  spec["minResources"].get_object()["cpu"] = "1.5";  // the same amount
  spec["subGroupPolicy"].get_array()[0].get_object()["networkTopology"].get_object()["mode"] = "hard";
  spec["subGroupPolicy"].get_array().push_back(parsed(R"({"name": "foreign"})"));
  EXPECT_FALSE(pod_group_change(JobView(job), group, no_classes).has_value());
}

TEST(PodGroup, FollowsTheJob) {
  const text::Object before = labelled_job();
  text::Object group = make_pod_group(JobView(before), no_classes);
  group["metadata"].get_object()["labels"].get_object()["mine"] = "too";
  group["spec"].get_object()["minTaskMember"].get_object()["gone"] = 3;
  text::Object after = labelled_job(
      R"({"queue": "p", "minAvailable": 1, "networkTopology": {"mode": "soft", "highestTierName": "spine"},
          "tasks": [{"name": "b", "replicas": 6}]})");
  after["metadata"].get_object()["labels"].get_object()["team"] = "y";
  const auto change = pod_group_change(JobView(after), group, no_classes);
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(to_text(*change),
            R"({"metadata":{"labels":{"team":"y"}},"spec":{"minMember":1,)"
            R"("minTaskMember":{"b":6,"a":null,"gone":null},)"
            R"("minResources":{"count/pods":"1","pods":"1","cpu":null,"nvidia.com/gpu":null,"requests.cpu":null,)"
            R"("requests.nvidia.com/gpu":null},"queue":"p","priorityClassName":null,)"
            R"("networkTopology":{"mode":"soft","highestTierName":"spine","highestTierAllowed":null},)"
            R"("subGroupPolicy":[]}})");
  group = text::merge_patch(group, *change).get_object();
  EXPECT_FALSE(pod_group_change(JobView(after), group, no_classes).has_value());
  EXPECT_EQ(api::string_at(group, {"metadata", "labels", "mine"}), "too");
}

TEST(PodGroup, TheNamespacesQueueIsNotTakenBack) {
  const text::Object job = job_with(R"({"queue": "default"})");
  text::Object group = make_pod_group(JobView(job), no_classes);
  group["spec"].get_object()["queue"] = "of-the-namespace";
  EXPECT_FALSE(pod_group_change(JobView(job), group, no_classes).has_value());
}

}  // namespace
}  // namespace basalt::volcano
