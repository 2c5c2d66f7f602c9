// Jobs through the whole system: all of a gang or nothing, room that comes free, why something waits.
#include <gmock/gmock.h>

#include "kube/api/object_fields.h"
#include "tests/schedule/schedule_fixture.h"

namespace basalt {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kSchedulingApi = "scheduling.volcano.sh/v1beta1";

TEST(Gang, IsBoundAllAtOnce) {
  ScheduleFixture fixture;
  fixture.create_node("n1", "4");
  fixture.create_node("n2", "4");
  fixture.create_job("j", 3, "2");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("j"), 3U) << fixture.places();
  EXPECT_EQ(fixture.group_at("j", "status.phase"), "Running");
  EXPECT_EQ(fixture.group_at("j", "status.running"), "3");
  EXPECT_THAT(fixture.events_about("j-t-0"),
              HasSubstr("Normal Pod Scheduled: Successfully assigned default/j-t-0 to n"));
  EXPECT_EQ(fixture.scheduler().counters().binds, 3U);
  EXPECT_EQ(fixture.scheduler().counters().refused, 0U);
  fixture.expect_sound();
}

TEST(Gang, WaitsHoldingNothingAndSaysWhy) {
  ScheduleFixture fixture;
  fixture.create_node("n1", "4");
  fixture.create_node("n2", "2");
  fixture.create_job("small", 1, "1");
  fixture.advance(Duration::seconds(3));
  fixture.create_job("big", 4, "1500m", "default", 4);  // 6 of 6 asked, 5 free
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("big"), 0U) << fixture.places();
  EXPECT_EQ(fixture.bound("small"), 1U);
  fixture.create_job("other", 1, "1500m");  // what the gang does not hold, another one takes
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("other"), 1U) << fixture.places();
  EXPECT_THAT(fixture.events_about("big"), HasSubstr("Unschedulable: "));
  fixture.expect_sound();
}

TEST(Gang, TheConditionOfAGangThatDoesNotFit) {
  ScheduleFixture fixture;
  fixture.create_node("n1", "4");
  fixture.create_node("n2", "2");
  fixture.create_job("j", 2, "3");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("j"), 0U);
  EXPECT_EQ(fixture.group_at("j", "status.phase"), "Inqueue");
  EXPECT_THAT(fixture.group_at("j", "status.conditions"),
              HasSubstr(R"("type":"Unschedulable","status":"True","transitionID":")"));
  EXPECT_THAT(fixture.group_at("j", "status.conditions"), HasSubstr("1/2 tasks in gang unschedulable: pod group is not "
                                                                    "ready, 2 Pending, 2 minAvailable"));
  const client::ObjectPtr pod = fixture.get("v1", "pods", "j-t-0");
  ASSERT_NE(pod, nullptr);
  EXPECT_THAT(text::to_json(*pod), HasSubstr(R"("type":"PodScheduled","status":"False")"));
  EXPECT_THAT(fixture.events_about("j-t-1"), HasSubstr("Warning Pod FailedScheduling: "));

  // An idle cluster is left alone: once all is told (numbers that moved are, after some seconds) there are no writes,
  // and no cycle that does anything.
  fixture.advance(Duration::seconds(10));
  const size_t writes = fixture.wire().writes();
  fixture.advance(Duration::seconds(60));
  EXPECT_EQ(fixture.wire().writes(), writes);
  fixture.expect_sound();
}

TEST(Gang, StartsInOneCycleWhenRoomComesFree) {
  ScheduleFixture fixture;
  fixture.create_node("n1", "4");
  fixture.create_node("n2", "4");
  fixture.create_job("first", 2, "3");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("first"), 2U);
  fixture.create_job("second", 2, "2");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("second"), 0U);
  fixture.finish("first-t-0");
  fixture.advance(Duration::millis(100));
  EXPECT_EQ(fixture.bound("second"), 2U) << fixture.places();
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.group_at("second", "status.phase"), "Running");
  fixture.expect_sound();
}

TEST(Gang, AJobThatIsDeletedFreesItsRoom) {
  ScheduleFixture fixture;
  fixture.create_node("n1", "4");
  fixture.create_job("a", 2, "2");
  fixture.advance(Duration::seconds(3));
  fixture.create_job("b", 2, "2");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("b"), 0U);
  fixture.remove("batch.volcano.sh/v1alpha1", "jobs", "a");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("b"), 2U) << fixture.places();
  fixture.expect_sound();
}

TEST(Gang, ABarePodOfOurSchedulerGetsAGroupAndANode) {
  ScheduleFixture fixture;
  fixture.create_node("n1", "4");
  fixture.create(R"({apiVersion: v1, kind: Pod, metadata: {name: bare}, spec: {schedulerName: volcano,
      containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}})");
  fixture.create(R"({apiVersion: v1, kind: Pod, metadata: {name: theirs}, spec: {
      containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}})");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.places(), "bare=n1 theirs=-");
}

TEST(Gang, QueuesSayWhatIsAllocated) {
  ScheduleFixture fixture;
  fixture.create_node("n1", "4");
  fixture.create_job("j", 2, "1");
  fixture.advance(Duration::seconds(5));
  const auto allocated = [&](std::string_view queue) {
    const client::ObjectPtr object = fixture.get(kSchedulingApi, "queues", queue);
    const text::Object* status = api::object_at(object->get_object(), {"status", "allocated"});
    return status == nullptr ? "" : text::to_json(*status);
  };
  EXPECT_EQ(allocated("default"), R"({"cpu":"2","memory":"0","pods":"2"})");
  EXPECT_EQ(allocated("root"), R"({"cpu":"2","memory":"0","pods":"2"})");
  EXPECT_EQ(api::int_at(fixture.get(kSchedulingApi, "queues", "default")->get_object(), {"status", "running"}), 1);
  fixture.finish("j-t-0");
  fixture.finish("j-t-1");
  fixture.advance(Duration::seconds(5));
  EXPECT_EQ(allocated("default"), R"({"cpu":"0","memory":"0"})");
}

TEST(Gang, TheQueueGateIsOpenedWhenThereIsRoomInTheQueue) {
  ScheduleFixture fixture("default/conf");
  fixture.set_conf(R"(
actions: "enqueue, allocate"
tiers:
- plugins: [{name: gang}, {name: predicates}, {name: proportion}]
configurations:
- name: allocate
  arguments: {schedulingGatesQueueAdmission: true}
)");
  fixture.create_node("n1", "4");
  fixture.create(R"({apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g},
      spec: {minMember: 1, queue: default}})");
  fixture.create(R"({apiVersion: v1, kind: Pod, metadata: {name: gated, annotations: {
        scheduling.k8s.io/group-name: g, scheduling.volcano.sh/queue-allocation-gate: "true"}},
      spec: {schedulerName: volcano, schedulingGates: [{name: scheduling.volcano.sh/queue-allocation-gate}],
        containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}})");
  fixture.advance(Duration::seconds(5));
  EXPECT_EQ(fixture.places(), "gated=n1") << text::to_json(*fixture.get("v1", "pods", "gated"));
  fixture.expect_sound();
}

}  // namespace
}  // namespace basalt
