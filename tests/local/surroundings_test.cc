// What a container finds around it: names, services, devices, files that change.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kube/api/object_fields.h"
#include "tests/local/local_world.h"

namespace basalt {
namespace {

TEST(LocalSurroundings, MembersOfAJobFindEachOther) {
  LocalWorld world;
  world.start_node();
  world.create("{apiVersion: v1, kind: Service, metadata: {name: job}, spec: {clusterIP: None, selector: {of: job}}}");
  // The first waits for the name of the second, which is bound later.
  const auto member = [&](int index, std::string_view script) {
    world.create(
        fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: job-{0}, labels: {{of: job}}}}, spec: "
                    "{{nodeName: here, hostname: job-{0}, subdomain: job, restartPolicy: Never, "
                    "terminationGracePeriodSeconds: 0, containers: [{{name: a, image: x, command: [sh, -c, "
                    "'{1}']}}]}}}}",
                    index, script));
  };
  member(0, "until found=$(getent hosts job-1.job); do :; done; hostname; echo $found | cut -d\" \" -f1");
  member(1, "exec sleep 1000");
  ASSERT_TRUE(world.wait_phase("job-0", "Succeeded"));
  EXPECT_EQ(world.log("job-0", "a"), "job-0|" + world.at("job-1", "status.podIP"));
}

TEST(LocalSurroundings, DevicesAreSharedOut) {
  LocalWorld world;
  world.options.capacity["nvidia.com/gpu"] = text::Quantity::from_units(3);
  world.start_node();
  for (const char* name : {"p", "q"}) {
    world.create_pod(name,
                     "terminationGracePeriodSeconds: 0, containers: [{name: a, image: x, command: [sh, -c, 'echo "
                     "$CUDA_VISIBLE_DEVICES; exec sleep 1000'], resources: {limits: {nvidia.com/gpu: 1}}}]");
    ASSERT_TRUE(world.wait_ready(name));
  }
  world.create_pod(
      "r",
      "restartPolicy: Never, containers: [{name: a, image: x, command: [sh, -c, 'echo "
      "got:$CUDA_VISIBLE_DEVICES'], resources: {limits: {nvidia.com/gpu: 1}}}, {name: b, image: x, command: "
      "[sh, -c, 'echo got:$CUDA_VISIBLE_DEVICES']}]");
  ASSERT_TRUE(world.wait_phase("r", "Succeeded"));
  EXPECT_EQ(world.log("r", "a"), "got:2");
  EXPECT_EQ(world.log("r", "b"), "got:");
  const client::ObjectPtr node = world.get("nodes", LocalWorld::kNode);
  EXPECT_EQ(api::string_at(node->get_object(), {"status", "allocatable", "nvidia.com/gpu"}), "3");
}

TEST(LocalSurroundings, WhatHasEndedHoldsNoDevices) {
  LocalWorld world;
  world.options.capacity["nvidia.com/gpu"] = text::Quantity::from_units(1);
  world.start_node();
  const char* spec =
      "restartPolicy: Never, containers: [{name: a, image: x, command: [sh, -c, 'echo got:$CUDA_VISIBLE_DEVICES'], "
      "resources: {limits: {nvidia.com/gpu: 1}}}]";
  world.create_pod("first", spec);
  ASSERT_TRUE(world.wait_phase("first", "Succeeded"));
  world.create_pod("second", spec);
  ASSERT_TRUE(world.wait_phase("second", "Succeeded"));
  world.stop_node();
  world.start_node();  // both are still there
  world.create_pod("third", spec);
  ASSERT_TRUE(world.wait_phase("third", "Succeeded"));
  EXPECT_EQ(world.log("third", "a"), "got:0");
}

TEST(LocalSurroundings, AConfigMapThatChangesReachesTheFiles) {
  LocalWorld world;
  world.start_node();
  world.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: files}, data: {f: old}}");
  world.create_pod("p",
                   "restartPolicy: Never, volumes: [{name: v, configMap: {name: files}}, {name: w, emptyDir: {}}], "
                   "containers: [{name: a, image: x, command: [sh, -c, 'cat /etc/files/f; echo; touch /data/up; until "
                   "grep -q new /etc/files/f; do sleep 0.05; done; cat /etc/files/f'], volumeMounts: [{name: v, "
                   "mountPath: /etc/files}, {name: w, mountPath: /data}], readinessProbe: {exec: {command: [test, -e, "
                   "/data/up]}, periodSeconds: 1}}]");
  ASSERT_TRUE(world.wait_ready("p"));
  world.patch("configmaps", "files", R"({"data":{"f":"new"}})");
  ASSERT_TRUE(world.wait_phase("p", "Succeeded"));
  EXPECT_EQ(world.log("p", "a"), "old|new");
}

TEST(LocalSurroundings, AWrongImagesFileIsAnErrorOfTheNode) {
  LocalWorld world;
  world.options.images_file = world.directory() / "no-such-file";
  const auto made = node::LocalNode::make(world.client(), world.options);
  ASSERT_FALSE(made.has_value());
  EXPECT_NE(made.error().message.find("no-such-file"), std::string::npos);
}

TEST(LocalSurroundings, ManyShortPods) {
  LocalWorld world;
  world.start_node();
  constexpr int kPods = 40;
  for (int i = 0; i < kPods; ++i) {
    world.create_pod(fmt::format("p{}", i),
                     fmt::format("restartPolicy: Never, containers: [{{name: a, image: x, env: [{{name: MARK, value: "
                                 "{}}}], command: [sh, -c, 'echo {}']}}]",
                                 world.mark(), i));
  }
  for (int i = 0; i < kPods; ++i) {
    const std::string name = fmt::format("p{}", i);
    ASSERT_TRUE(world.wait_phase(name, "Succeeded"));
    EXPECT_EQ(world.log(name, "a"), std::to_string(i));
  }
  EXPECT_TRUE(world.marked().empty());
}

}  // namespace
}  // namespace basalt
