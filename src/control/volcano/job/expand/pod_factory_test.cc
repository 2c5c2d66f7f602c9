#include "control/volcano/job/expand/pod_factory.h"

#include <gtest/gtest.h>

#include "control/volcano/job/expand/expand_job_builders.h"
#include "control/volcano/job/expand/job_claims.h"
#include "kube/api/object_fields.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {

namespace keys = api::keys;
using api::string_at;
using tests::job_with;
using tests::pod_of;
using tests::to_text;

std::string_view label(const text::Object& pod, std::string_view key) {
  return string_at(pod, {"metadata", "labels", key});
}
std::string_view annotation(const text::Object& pod, std::string_view key) {
  return string_at(pod, {"metadata", "annotations", key});
}

TEST(PodFactory, NamesLabelsAndOwner) {
  const text::Object job = job_with(
      R"({"queue": "q", "schedulerName": "volcano", "priorityClassName": "high",
          "tasks": [{"name": "w", "replicas": 9, "topologyPolicy": "restricted",
                     "partitionPolicy": {"totalPartitions": 3, "partitionSize": 3},
                     "template": {"metadata": {"labels": {"app": "x", "volcano.sh/job-name": "forged"},
                                               "name": "ignored", "finalizers": ["a/b"]},
                                  "spec": {"containers": [{"name": "c"}]}}}]})",
      R"({"version": 3, "retryCount": 2})");
  const text::Object pod = pod_of(job, "w", 7);
  EXPECT_EQ(api::name_of(pod), "train-w-7");
  EXPECT_EQ(api::namespace_of(pod), "lab");
  EXPECT_EQ(label(pod, "app"), "x");
  EXPECT_EQ(label(pod, keys::kJobName), "train");
  EXPECT_EQ(label(pod, keys::kJobNamespace), "lab");
  EXPECT_EQ(label(pod, keys::kTaskIndex), "7");
  EXPECT_EQ(label(pod, keys::kPartitionId), "2");
  EXPECT_EQ(annotation(pod, keys::kTaskIndex), "7");
  EXPECT_EQ(annotation(pod, keys::kGroupName), "train-u-1");
  EXPECT_EQ(annotation(pod, keys::kJobVersion), "3");
  EXPECT_EQ(annotation(pod, keys::kJobRetryCount), "2");
  EXPECT_EQ(annotation(pod, keys::kTemplateUid), "train-w");
  EXPECT_EQ(annotation(pod, keys::kNumaPolicy), "restricted");
  EXPECT_EQ(string_at(pod, {"spec", "schedulerName"}), "volcano");
  EXPECT_EQ(string_at(pod, {"spec", "priorityClassName"}), "high");
  EXPECT_EQ(api::value_at(pod, {"metadata", "finalizers"}), nullptr);
  EXPECT_EQ(api::array_at(pod, {"metadata", "ownerReferences"})->at(0), owner_reference(JobView(job)));
}

TEST(PodFactory, HintsOfTheJobAreInherited) {
  text::Object job = job_with(R"({"tasks": [{"name": "w", "template": {"spec": {"containers": [{}]}}}]})");
  text::Object& metadata = job["metadata"].get_object();
  metadata["annotations"] = tests::parsed(
      R"({"volcano.sh/preemptable": "true", "volcano.sh/cooldown-time": "5m", "volcano.sh/revocable-zone": "z",
          "volcano.sh/jdb-min-available": "2", "volcano.sh/jdb-max-unavailable": "1", "other": "no"})");
  metadata["labels"] = tests::parsed(R"({"volcano.sh/preemptable": "false", "other": "no"})");
  const text::Object pod = pod_of(job, "w", 0, true);
  EXPECT_EQ(annotation(pod, keys::kPreemptable), "true");
  EXPECT_EQ(annotation(pod, keys::kCooldownTime), "5m");
  EXPECT_EQ(annotation(pod, keys::kRevocableZone), "z");
  EXPECT_EQ(annotation(pod, keys::kMinAvailable), "2");
  EXPECT_EQ(annotation(pod, keys::kMaxUnavailable), "");  // only one of the two counts
  EXPECT_EQ(annotation(pod, "other"), "");
  EXPECT_EQ(label(pod, keys::kPreemptable), "false");
  EXPECT_EQ(label(pod, "other"), "");
  EXPECT_EQ(label(pod, keys::kJobForwarding), "true");
  EXPECT_EQ(annotation(pod, keys::kJobForwarding), "true");
}

TEST(PodFactory, PodsOfATaskDifferOnlyByIndex) {
  const text::Object job = job_with(
      R"({"plugins": {"svc": [], "env": [], "pytorch": [], "hcclrank": []},
          "volumes": [{"mountPath": "/d", "volumeClaim": {}}, {"mountPath": "/e", "volumeClaimName": "c"},
                      {"mountPath": "/f", "volumeClaimName": "c"}],
          "tasks": [{"name": "master", "replicas": 1}, {"name": "worker", "replicas": 30,
            "template": {"spec": {"containers": [{"name": "a"}, {"name": "b"}],
                                  "initContainers": [{"name": "i"}]}}}]})");
  std::string text = to_text(pod_of(job, "worker", 17));
  // Index 17 and rank 18 are the only numbers that tell this pod from pod 28 with rank 29.
  for (const auto& [from, to] : {std::pair("\"18\"", "\"29\""), {"\"17\"", "\"28\""}, {"worker-17", "worker-28"}}) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from)) {
      text.replace(at, std::string_view(from).size(), to);
    }
  }
  EXPECT_EQ(text, to_text(pod_of(job, "worker", 28)));
  const text::Object pod = pod_of(job, "worker", 17);
  EXPECT_EQ(api::array_at(pod, {"spec", "volumes"})->size(), 3U);  // two claims and the hosts
  EXPECT_EQ(api::array_at(pod, {"spec", "volumes"})->at(0).at("name"),
            pod_volume_name(JobView(job), job_claims(JobView(job))[0].name).c_str());
}

TEST(PodFactory, HostileTemplatesGiveSomePod) {
  for (const std::string_view spec :
       {R"({"containers": [null, 3, {"env": 5, "volumeMounts": {}, "ports": "x", "command": [1]}]})", R"("text")",
        R"({"containers": {}, "initContainers": 4, "volumes": "v"})", "null"}) {
    const text::Object job = job_with(
        R"({"plugins": {"svc": ["--inject-host-env"], "ssh": [], "env": ["--task-num"], "pytorch": [], "mpi": [],
                        "tensorflow": [], "ray": ["--head=w"], "hcclrank": []},
            "volumes": [{"mountPath": "/d"}],
            "tasks": [{"name": "master"}, {"name": "worker"}, {"name": "w", "replicas": 1, "template": {"spec": )" +
        std::string(spec) + "}}]}");
    EXPECT_EQ(api::name_of(pod_of(job, "w", 1)), "train-w-1") << spec;
  }
}

TEST(TaskPodDraft, ALaterTextReplacesASlot) {
  TaskPodDraft draft(text::Object{});
  draft.set_label("k", IndexText{.before = "a"});
  draft.set_label("k", "fixed");
  draft.set_annotation("k", "fixed");
  draft.set_annotation("k", IndexText{.before = "a", .after = "z", .divisor = 2, .add = 10});
  const text::Object pod = draft.make(5);
  EXPECT_EQ(label(pod, "k"), "fixed");
  EXPECT_EQ(annotation(pod, "k"), "a12z");
}

}  // namespace
}  // namespace basalt::volcano
