// Preemption and reclaim through the whole system.
#include <gmock/gmock.h>

#include "tests/schedule/schedule_fixture.h"

namespace basalt {
namespace {

using testing::HasSubstr;

constexpr std::string_view kMap = "default/conf";
constexpr std::string_view kConf = R"(
actions: "enqueue, allocate, preempt, reclaim, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: drf
    enablePreemptable: false
  - name: predicates
  - name: proportion
  - name: nodeorder
)";

struct Eviction : testing::Test {
  Eviction() {
    fixture.set_conf(kConf);
    fixture.create("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}");
    fixture.create("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: 1}");
    fixture.create_node("n1", "4");
  }
  ScheduleFixture fixture{std::string(kMap)};
};

TEST_F(Eviction, AHigherPriorityTakesItsRoom) {
  fixture.create_job("dev", 4, "1", "default", 1, "low");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("dev"), 4U) << fixture.places();
  fixture.ends_pods = false;
  fixture.create_job("prod", 2, "1", "default", 2, "high");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.scheduler().counters().evictions, 2U) << fixture.places();
  EXPECT_THAT(fixture.events_about("dev-t-"), HasSubstr("Warning Pod Evict: Pod is evicted, because of preempt"));
  size_t marked = 0;
  for (const client::ObjectPtr& pod : fixture.pods()) {
    const std::string json = text::to_json(*pod);
    if (json.find("deletionTimestamp") == std::string::npos) continue;
    ++marked;
    EXPECT_THAT(json, HasSubstr(R"("type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler")"));
  }
  EXPECT_EQ(marked, 2U);
  // While the victims take their time, nobody else is evicted.
  fixture.advance(Duration::seconds(20));
  EXPECT_EQ(fixture.scheduler().counters().evictions, 2U);
  fixture.expect_sound();
  fixture.ends_pods = true;
  fixture.advance(Duration::seconds(5));
  EXPECT_EQ(fixture.bound("prod"), 2U) << fixture.places();
  fixture.expect_sound();
}

TEST_F(Eviction, EverybodyLearnsWhoItWasFor) {
  fixture.create_job("dev", 4, "1", "default", 1, "low");
  fixture.advance(Duration::seconds(3));
  fixture.create_job("prod", 2, "1", "default", 2, "high");
  fixture.advance(Duration::seconds(30));
  const std::string for_whom = "preempted by job default/prod (priority 1000) in queue default";
  EXPECT_THAT(fixture.events_about("dev-t-"), HasSubstr("Warning Pod Preempted: " + for_whom));
  EXPECT_THAT(fixture.events_about("dev"), HasSubstr("Warning Job Preempted: 2 pods " + for_whom));
  EXPECT_THAT(fixture.events_about("prod"),
              HasSubstr("Normal Job Preempting: 2 pods of job default/dev (priority 1) in queue default preempted to "
                        "make room"));
}

TEST_F(Eviction, AVictimThatMayNotBeDeletedIsTriedAgainLater) {
  fixture.create_job("dev", 4, "1", "default", 1, "low");
  fixture.advance(Duration::seconds(3));
  size_t refused = 0;
  fixture.wire().judge = [&](const api::Call& call) {
    if (call.verb != api::Verb::Delete) return FaultyClient::Fault::None;
    ++refused;
    return FaultyClient::Fault::Refuse;
  };
  fixture.create_job("prod", 1, "1", "default", 1, "high");
  fixture.advance(Duration::seconds(30));
  EXPECT_GE(refused, 2U);
  EXPECT_LE(refused, 40U);  // it is not asked at every cycle
  EXPECT_EQ(fixture.bound("dev"), 4U);
  fixture.wire().judge = nullptr;
  fixture.advance(Duration::seconds(70));
  EXPECT_EQ(fixture.bound("prod"), 1U) << fixture.places();
  fixture.expect_sound();
}

TEST_F(Eviction, AQueueReclaimsWhatItLent) {
  fixture.create("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: a}, spec: {weight: 1}}");
  fixture.create("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: b}, spec: {weight: 1}}");
  fixture.advance(Duration::seconds(1));
  fixture.create_job("lent", 4, "1", "a", 1);
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("lent"), 4U) << fixture.places();
  fixture.ends_pods = false;
  fixture.create_job("owner", 2, "1", "b", 2);
  fixture.advance(Duration::seconds(3));
  std::string victims;
  for (const client::ObjectPtr& pod : fixture.pods()) victims += text::to_json(*pod);
  EXPECT_THAT(victims, HasSubstr("volcano: reclaiming to accommodate a pod of a queue that is owed the room"));
  fixture.ends_pods = true;
  fixture.advance(Duration::seconds(10));
  EXPECT_EQ(fixture.bound("owner"), 2U) << fixture.places();
  EXPECT_THAT(fixture.events_about("lent-"), HasSubstr("because of reclaim"));
  fixture.expect_sound();
}

TEST_F(Eviction, AConfThatChangesIsFollowed) {
  fixture.set_conf("actions: \"enqueue\"\n");
  fixture.create_job("j", 1, "1");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("j"), 0U);
  fixture.set_conf("actions: \"enqueue, nonsense\"\n");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("j"), 0U);
  EXPECT_FALSE(fixture.log.empty());
  fixture.set_conf(kConf);
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("j"), 1U);
}

}  // namespace
}  // namespace basalt
