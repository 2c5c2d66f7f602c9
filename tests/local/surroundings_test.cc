// What a container finds around it: names, services, devices, files that change.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kube/api/object_fields.h"
#include "tests/local/local_node_fixture.h"

namespace basalt {
namespace {

TEST(LocalSurroundings, MembersOfAJobFindEachOther) {
  LocalNodeFixture fixture;
  fixture.start_node();
  fixture.create(
      "{apiVersion: v1, kind: Service, metadata: {name: job}, spec: {clusterIP: None, selector: {of: job}}}");
  // The first waits for the name of the second, which is bound later.
  const auto member = [&](int index, std::string_view script) {
    fixture.create(
        fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: job-{0}, labels: {{of: job}}}}, spec: "
                    "{{nodeName: here, hostname: job-{0}, subdomain: job, restartPolicy: Never, "
                    "terminationGracePeriodSeconds: 0, containers: [{{name: a, image: x, command: [sh, -c, "
                    "'{1}']}}]}}}}",
                    index, script));
  };
  member(0, "until found=$(getent hosts job-1.job); do :; done; hostname; echo $found | cut -d\" \" -f1");
  member(1, "exec sleep 1000");
  ASSERT_TRUE(fixture.wait_phase("job-0", "Succeeded"));
  EXPECT_EQ(fixture.log("job-0", "a"), "job-0|" + fixture.at("job-1", "status.podIP"));
}

TEST(LocalSurroundings, DevicesAreSharedOut) {
  LocalNodeFixture fixture;
  fixture.options.capacity["nvidia.com/gpu"] = text::Quantity::from_units(3);
  fixture.start_node();
  for (const char* name : {"p", "q"}) {
    fixture.create_pod(name,
                       "terminationGracePeriodSeconds: 0, containers: [{name: a, image: x, command: [sh, -c, 'echo "
                       "$CUDA_VISIBLE_DEVICES; exec sleep 1000'], resources: {limits: {nvidia.com/gpu: 1}}}]");
    ASSERT_TRUE(fixture.wait_ready(name));
  }
  fixture.create_pod(
      "r",
      "restartPolicy: Never, containers: [{name: a, image: x, command: [sh, -c, 'echo "
      "got:$CUDA_VISIBLE_DEVICES'], resources: {limits: {nvidia.com/gpu: 1}}}, {name: b, image: x, command: "
      "[sh, -c, 'echo got:$CUDA_VISIBLE_DEVICES']}]");
  ASSERT_TRUE(fixture.wait_phase("r", "Succeeded"));
  EXPECT_EQ(fixture.log("r", "a"), "got:2");
  EXPECT_EQ(fixture.log("r", "b"), "got:");
  const client::ObjectPtr node = fixture.get("nodes", LocalNodeFixture::kNode);
  EXPECT_EQ(api::string_at(node->get_object(), {"status", "allocatable", "nvidia.com/gpu"}), "3");
}

TEST(LocalSurroundings, WhatHasEndedHoldsNoDevices) {
  LocalNodeFixture fixture;
  fixture.options.capacity["nvidia.com/gpu"] = text::Quantity::from_units(1);
  fixture.start_node();
  const char* spec =
      "restartPolicy: Never, containers: [{name: a, image: x, command: [sh, -c, 'echo got:$CUDA_VISIBLE_DEVICES'], "
      "resources: {limits: {nvidia.com/gpu: 1}}}]";
  fixture.create_pod("first", spec);
  ASSERT_TRUE(fixture.wait_phase("first", "Succeeded"));
  fixture.create_pod("second", spec);
  ASSERT_TRUE(fixture.wait_phase("second", "Succeeded"));
  fixture.stop_node();
  fixture.start_node();  // both are still there
  fixture.create_pod("third", spec);
  ASSERT_TRUE(fixture.wait_phase("third", "Succeeded"));
  EXPECT_EQ(fixture.log("third", "a"), "got:0");
}

TEST(LocalSurroundings, AConfigMapThatChangesReachesTheFiles) {
  LocalNodeFixture fixture;
  fixture.start_node();
  fixture.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: files}, data: {f: old}}");
  fixture.create_pod(
      "p",
      "restartPolicy: Never, volumes: [{name: v, configMap: {name: files}}, {name: w, emptyDir: {}}], "
      "containers: [{name: a, image: x, command: [sh, -c, 'cat /etc/files/f; echo; touch /data/up; until "
      "grep -q new /etc/files/f; do sleep 0.05; done; cat /etc/files/f'], volumeMounts: [{name: v, "
      "mountPath: /etc/files}, {name: w, mountPath: /data}], readinessProbe: {exec: {command: [test, -e, "
      "/data/up]}, periodSeconds: 1}}]");
  ASSERT_TRUE(fixture.wait_ready("p"));
  fixture.patch("configmaps", "files", R"({"data":{"f":"new"}})");
  ASSERT_TRUE(fixture.wait_phase("p", "Succeeded"));
  EXPECT_EQ(fixture.log("p", "a"), "old|new");
}

TEST(LocalSurroundings, AWrongImagesFileIsAnErrorOfTheNode) {
  LocalNodeFixture fixture;
  fixture.options.images_file = fixture.directory() / "no-such-file";
  const auto made = node::LocalNode::make(fixture.client(), fixture.options);
  ASSERT_FALSE(made.has_value());
  EXPECT_NE(made.error().message.find("no-such-file"), std::string::npos);
}

TEST(LocalSurroundings, ManyShortPods) {
  LocalNodeFixture fixture;
  fixture.start_node();
  constexpr int kPods = 40;
  for (int i = 0; i < kPods; ++i) {
    fixture.create_pod(fmt::format("p{}", i),
                       fmt::format("restartPolicy: Never, containers: [{{name: a, image: x, env: [{{name: MARK, value: "
                                   "{}}}], command: [sh, -c, 'echo {}']}}]",
                                   fixture.mark(), i));
  }
  for (int i = 0; i < kPods; ++i) {
    const std::string name = fmt::format("p{}", i);
    ASSERT_TRUE(fixture.wait_phase(name, "Succeeded"));
    EXPECT_EQ(fixture.log(name, "a"), std::to_string(i));
  }
  EXPECT_TRUE(fixture.marked().empty());
}

}  // namespace
}  // namespace basalt
