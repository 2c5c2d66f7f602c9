#include "control/scheduler/state/planned_pods.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace basalt::state {
namespace {

TEST(PlannedPods, AreWhatTheServerWouldMakeOfTheTemplates) {
  model::ClusterState state;
  const auto job = text::parse_json(R"({"spec":{"tasks":[
      {"name":"master","template":{"spec":{"nodeName":"n1","containers":[{"name":"c"}]}}},
      {"name":"worker","replicas":3,"template":{"metadata":{"labels":{"a":"b"}},"spec":{
        "nodeSelector":{"disk":"ssd"},"hostNetwork":true,"schedulingGates":[{"name":"x"},{"name":"y"}],
        "containers":[{"name":"c","ports":[{"containerPort":80}],
        "resources":{"limits":{"nvidia.com/gpu":"2"}}}]}}}]}})");
  ASSERT_TRUE(job);
  const auto pods = planned_pods(*job, state);
  ASSERT_TRUE(pods) << pods.error().message;
  ASSERT_EQ(pods->size(), 2U);
  EXPECT_EQ((*pods)[0].role, "master");
  EXPECT_EQ((*pods)[0].count, 1);
  EXPECT_EQ((*pods)[0].node_name, "n1");
  EXPECT_EQ((*pods)[1].count, 3);
  EXPECT_EQ((*pods)[1].gates, "x, y");
  const model::PodShape& shape = state.shapes[(*pods)[1].shape];
  EXPECT_EQ(shape.node_selector.size(), 1U);
  ASSERT_EQ(shape.host_ports.size(), 1U);
  EXPECT_EQ(shape.host_ports[0].port, 80);
  const model::ResourceId gpu = state.schema.intern("nvidia.com/gpu");
  EXPECT_TRUE(std::ranges::any_of(shape.request, [&](const auto& entry) { return entry.id == gpu; }));
}

TEST(PlannedPods, ABadTemplateIsAnError) {
  model::ClusterState state;
  const auto job = text::parse_json(R"({"spec":{"tasks":[{"name":"a","replicas":"many"}]}})");
  ASSERT_TRUE(job);
  EXPECT_FALSE(planned_pods(*job, state));
}

}  // namespace
}  // namespace basalt::state
