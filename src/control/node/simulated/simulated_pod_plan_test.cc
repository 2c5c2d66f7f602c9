#include "control/node/simulated/simulated_pod_plan.h"

#include <gtest/gtest.h>

#include "control/node/node_test_time.h"
#include "kube/api/object_fields.h"

namespace basalt::node {
namespace {

constexpr SimulatedPodContext kAround{.host_ip = "172.16.0.1", .seed = 1};

text::Object bound_pod(std::string_view run) {
  return text::parse_json(R"({"metadata":{"name":"p","namespace":"s","uid":"u","resourceVersion":"5","generation":3,
      "annotations":{"basalt.sh/run-seconds":")" +
                          std::string(run) + R"("}},
      "spec":{"nodeName":"sim-0","restartPolicy":"Never","containers":[{"name":"a","image":"i"},{"name":"b"}]},
      "status":{"phase":"Pending"}})")
      .value()
      .get_object();
}

const text::Object& status_in(const loop::WritePlan& plan) {
  return *api::object_at(plan.stages.at(0).at(0).body.get_object(), {"status"});
}

// The pod after the plan's write, and as exactly timed as the one who wrote it knows.
SimulatedPod after(text::Object pod, const loop::WritePlan& plan, Instant now) {
  for (const auto& member : status_in(plan)) api::object_in(pod, "status")[member.key()] = member.value();
  SimulatedPod view = read_simulated_pod(pod, {});
  view.exact = now;
  return view;
}

TEST(PodPlan, OneWriteBringsAPodToRunning) {
  const loop::WritePlan plan = plan_pod(read_simulated_pod(bound_pod("30"), {}), kAround, kNow);
  ASSERT_EQ(plan.stages.size(), 1U);
  ASSERT_EQ(plan.stages[0].size(), 1U);
  const text::Object& status = status_in(plan);
  EXPECT_EQ(api::string_at(status, "phase"), "Running");
  EXPECT_EQ(api::string_at(status, "hostIP"), "172.16.0.1");
  EXPECT_EQ(api::int_at(status, {"observedGeneration"}), 3);
  EXPECT_EQ(api::array_at(status, {"containerStatuses"})->size(), 2U);
  EXPECT_EQ(plan.again, kNow + Duration::seconds(30));
}

TEST(PodPlan, NothingIsDoneBeforeItsTime) {
  const Instant start = kNow + Duration::millis(700);
  const text::Object pod = bound_pod("0.5");
  const SimulatedPod running = after(pod, plan_pod(read_simulated_pod(pod, {}), kAround, start), start);
  const loop::WritePlan early = plan_pod(running, kAround, start + Duration::millis(499));
  EXPECT_TRUE(early.stages.empty());
  EXPECT_EQ(early.again, start + Duration::millis(500)) << "finer than the seconds of the object";
  const loop::WritePlan due = plan_pod(running, kAround, start + Duration::millis(500));
  EXPECT_EQ(api::string_at(status_in(due), "phase"), "Succeeded");
  SimulatedPod restarted = running;
  restarted.exact = kNever;
  EXPECT_EQ(api::string_at(status_in(plan_pod(restarted, kAround, start)), "phase"), "Succeeded")
      << "after a restart the seconds of the object count";
}

TEST(PodPlan, WhatHasEndedStaysSo) {
  const text::Object pod = bound_pod("0");
  const SimulatedPod running = after(pod, plan_pod(read_simulated_pod(pod, {}), kAround, kNow), kNow);
  SimulatedPod ended = running;
  ended.phase = PodPhase::Succeeded;
  const loop::WritePlan plan = plan_pod(ended, kAround, kNow + Duration::seconds(1'000));
  EXPECT_TRUE(plan.stages.empty());
  EXPECT_FALSE(plan.again.is_set());
}

TEST(PodPlan, NonsenseIsReadAsAbsent) {
  for (const std::string_view json :
       {R"({})", R"({"metadata":5,"spec":[],"status":"x"})",
        R"({"metadata":{"annotations":[],"deletionTimestamp":7},"spec":{"containers":{},"initContainers":[1,null]}})",
        R"({"metadata":{"deletionTimestamp":"2261-01-01T00:00:00Z","deletionGracePeriodSeconds":9223372036854775807},
            "spec":{"activeDeadlineSeconds":-9223372036854775808,"containers":[{"name":7},{}]},
            "status":{"phase":"Running","startTime":"1678-01-01T00:00:00Z"}})",
        R"({"metadata":{"annotations":{"basalt.sh/run-seconds":"1000000000"}},
            "spec":{"activeDeadlineSeconds":9223372036854775807,"containers":[{"name":"a"}]},
            "status":{"phase":"Running","startTime":"2261-01-01T00:00:00Z","containerStatuses":[{"name":"a",
            "restartCount":9223372036854775807,"state":{"running":{"startedAt":"2261-12-31T00:00:00Z"}},
            "lastState":{"terminated":{"startedAt":"1678-01-01T00:00:00Z","finishedAt":"2261-01-01T00:00:00Z"}}}]}})",
        R"({"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Running","containerStatuses":[{"name":"a",
            "restartCount":-5,"state":{"waiting":{}},"lastState":{"terminated":{"startedAt":"2261-01-01T00:00:00Z",
            "finishedAt":"1678-01-01T00:00:00Z"}}}]}})"}) {
    const text::Value value = text::parse_json(json).value();
    const SimulatedPod view = read_simulated_pod(value.get_object(), {});
    for (const int64_t seconds : {0, 1'000'000}) {
      EXPECT_LE(plan_pod(view, kAround, kNow + Duration::seconds(seconds)).stages.size(), 2U) << json;
    }
  }
}

TEST(PodPlan, AddressesAreUsable) {
  for (int i = 0; i < 1'000; ++i) {
    const std::string address = pod_address(std::to_string(i));
    EXPECT_TRUE(address.starts_with("10."));
    EXPECT_FALSE(address.ends_with(".0") || address.ends_with(".255")) << address;
  }
}

}  // namespace
}  // namespace basalt::node
