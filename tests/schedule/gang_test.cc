// Jobs through the whole system: all of a gang or nothing, room that comes free, why something waits.
#include <gmock/gmock.h>

#include "kube/api/object_fields.h"
#include "tests/schedule/schedule_world.h"

namespace basalt {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kSchedulingApi = "scheduling.volcano.sh/v1beta1";

TEST(Gang, IsBoundAllAtOnce) {
  ScheduleWorld world;
  world.create_node("n1", "4");
  world.create_node("n2", "4");
  world.create_job("j", 3, "2");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("j"), 3U) << world.places();
  EXPECT_EQ(world.group_at("j", "status.phase"), "Running");
  EXPECT_EQ(world.group_at("j", "status.running"), "3");
  EXPECT_THAT(world.events_about("j-t-0"), HasSubstr("Normal Pod Scheduled: Successfully assigned default/j-t-0 to n"));
  EXPECT_EQ(world.scheduler().figures().binds, 3U);
  EXPECT_EQ(world.scheduler().figures().refused, 0U);
  world.expect_sound();
}

TEST(Gang, WaitsHoldingNothingAndSaysWhy) {
  ScheduleWorld world;
  world.create_node("n1", "4");
  world.create_node("n2", "2");
  world.create_job("small", 1, "1");
  world.advance(Duration::seconds(3));
  world.create_job("big", 4, "1500m", "default", 4);  // 6 of 6 asked, 5 free
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("big"), 0U) << world.places();
  EXPECT_EQ(world.bound("small"), 1U);
  world.create_job("other", 1, "1500m");  // what the gang does not hold, another one takes
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("other"), 1U) << world.places();
  EXPECT_THAT(world.events_about("big"), HasSubstr("Unschedulable: "));
  world.expect_sound();
}

TEST(Gang, TheConditionOfAGangThatDoesNotFit) {
  ScheduleWorld world;
  world.create_node("n1", "4");
  world.create_node("n2", "2");
  world.create_job("j", 2, "3");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("j"), 0U);
  EXPECT_EQ(world.group_at("j", "status.phase"), "Inqueue");
  EXPECT_THAT(world.group_at("j", "status.conditions"),
              HasSubstr(R"("type":"Unschedulable","status":"True","transitionID":")"));
  EXPECT_THAT(world.group_at("j", "status.conditions"), HasSubstr("1/2 tasks in gang unschedulable: pod group is not "
                                                                  "ready, 2 Pending, 2 minAvailable"));
  const client::ObjectPtr pod = world.get("v1", "pods", "j-t-0");
  ASSERT_NE(pod, nullptr);
  EXPECT_THAT(text::to_json(*pod), HasSubstr(R"("type":"PodScheduled","status":"False")"));
  EXPECT_THAT(world.events_about("j-t-1"), HasSubstr("Warning Pod FailedScheduling: "));

  // An idle cluster is left alone: once all is told (numbers that moved are, after some seconds) there are no writes,
  // and no cycle that does anything.
  world.advance(Duration::seconds(10));
  const size_t writes = world.wire().writes();
  world.advance(Duration::seconds(60));
  EXPECT_EQ(world.wire().writes(), writes);
  world.expect_sound();
}

TEST(Gang, StartsInOneCycleWhenRoomComesFree) {
  ScheduleWorld world;
  world.create_node("n1", "4");
  world.create_node("n2", "4");
  world.create_job("first", 2, "3");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("first"), 2U);
  world.create_job("second", 2, "2");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("second"), 0U);
  world.finish("first-t-0");
  world.advance(Duration::millis(100));
  EXPECT_EQ(world.bound("second"), 2U) << world.places();
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.group_at("second", "status.phase"), "Running");
  world.expect_sound();
}

TEST(Gang, AJobThatIsDeletedFreesItsRoom) {
  ScheduleWorld world;
  world.create_node("n1", "4");
  world.create_job("a", 2, "2");
  world.advance(Duration::seconds(3));
  world.create_job("b", 2, "2");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("b"), 0U);
  world.remove("batch.volcano.sh/v1alpha1", "jobs", "a");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("b"), 2U) << world.places();
  world.expect_sound();
}

TEST(Gang, ABarePodOfOurSchedulerGetsAGroupAndANode) {
  ScheduleWorld world;
  world.create_node("n1", "4");
  world.create(R"({apiVersion: v1, kind: Pod, metadata: {name: bare}, spec: {schedulerName: volcano,
      containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}})");
  world.create(R"({apiVersion: v1, kind: Pod, metadata: {name: theirs}, spec: {
      containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}})");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.places(), "bare=n1 theirs=-");
}

TEST(Gang, QueuesSayWhatIsAllocated) {
  ScheduleWorld world;
  world.create_node("n1", "4");
  world.create_job("j", 2, "1");
  world.advance(Duration::seconds(5));
  const auto allocated = [&](std::string_view queue) {
    const client::ObjectPtr object = world.get(kSchedulingApi, "queues", queue);
    const text::Object* status = api::object_at(object->get_object(), {"status", "allocated"});
    return status == nullptr ? "" : text::to_json(*status);
  };
  EXPECT_EQ(allocated("default"), R"({"cpu":"2","memory":"0","pods":"2"})");
  EXPECT_EQ(allocated("root"), R"({"cpu":"2","memory":"0","pods":"2"})");
  EXPECT_EQ(api::int_at(world.get(kSchedulingApi, "queues", "default")->get_object(), {"status", "running"}), 1);
  world.finish("j-t-0");
  world.finish("j-t-1");
  world.advance(Duration::seconds(5));
  EXPECT_EQ(allocated("default"), R"({"cpu":"0","memory":"0"})");
}

TEST(Gang, TheQueueGateIsOpenedWhenThereIsRoomInTheQueue) {
  ScheduleWorld world("default/conf");
  world.set_conf(R"(
actions: "enqueue, allocate"
tiers:
- plugins: [{name: gang}, {name: predicates}, {name: proportion}]
configurations:
- name: allocate
  arguments: {schedulingGatesQueueAdmission: true}
)");
  world.create_node("n1", "4");
  world.create(R"({apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g},
      spec: {minMember: 1, queue: default}})");
  world.create(R"({apiVersion: v1, kind: Pod, metadata: {name: gated, annotations: {
        scheduling.k8s.io/group-name: g, scheduling.volcano.sh/queue-allocation-gate: "true"}},
      spec: {schedulerName: volcano, schedulingGates: [{name: scheduling.volcano.sh/queue-allocation-gate}],
        containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}})");
  world.advance(Duration::seconds(5));
  EXPECT_EQ(world.places(), "gated=n1") << text::to_json(*world.get("v1", "pods", "gated"));
  world.expect_sound();
}

}  // namespace
}  // namespace basalt
