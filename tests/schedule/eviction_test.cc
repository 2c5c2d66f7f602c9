// Preemption and reclaim through the whole system.
#include <gmock/gmock.h>

#include "tests/schedule/schedule_world.h"

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
    world.set_conf(kConf);
    world.create("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}");
    world.create("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: 1}");
    world.create_node("n1", "4");
  }
  ScheduleWorld world{std::string(kMap)};
};

TEST_F(Eviction, AHigherPriorityTakesItsRoom) {
  world.create_job("dev", 4, "1", "default", 1, "low");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("dev"), 4U) << world.places();
  world.ends_pods = false;
  world.create_job("prod", 2, "1", "default", 2, "high");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.scheduler().figures().evictions, 2U) << world.places();
  EXPECT_THAT(world.events_about("dev-t-"), HasSubstr("Warning Pod Evict: Pod is evicted, because of preempt"));
  size_t marked = 0;
  for (const client::ObjectPtr& pod : world.pods()) {
    const std::string json = text::to_json(*pod);
    if (json.find("deletionTimestamp") == std::string::npos) continue;
    ++marked;
    EXPECT_THAT(json, HasSubstr(R"("type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler")"));
  }
  EXPECT_EQ(marked, 2U);
  // While the victims take their time, nobody else is evicted.
  world.advance(Duration::seconds(20));
  EXPECT_EQ(world.scheduler().figures().evictions, 2U);
  world.expect_sound();
  world.ends_pods = true;
  world.advance(Duration::seconds(5));
  EXPECT_EQ(world.bound("prod"), 2U) << world.places();
  world.expect_sound();
}

TEST_F(Eviction, AVictimThatMayNotBeDeletedIsTriedAgainLater) {
  world.create_job("dev", 4, "1", "default", 1, "low");
  world.advance(Duration::seconds(3));
  size_t refused = 0;
  world.wire().judge = [&](const api::Call& call) {
    if (call.verb != api::Verb::Delete) return FaultyClient::Fault::None;
    ++refused;
    return FaultyClient::Fault::Refuse;
  };
  world.create_job("prod", 1, "1", "default", 1, "high");
  world.advance(Duration::seconds(30));
  EXPECT_GE(refused, 2U);
  EXPECT_LE(refused, 40U);  // it is not asked at every cycle
  EXPECT_EQ(world.bound("dev"), 4U);
  world.wire().judge = nullptr;
  world.advance(Duration::seconds(70));
  EXPECT_EQ(world.bound("prod"), 1U) << world.places();
  world.expect_sound();
}

TEST_F(Eviction, AQueueReclaimsWhatItLent) {
  world.create("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: a}, spec: {weight: 1}}");
  world.create("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: b}, spec: {weight: 1}}");
  world.advance(Duration::seconds(1));
  world.create_job("lent", 4, "1", "a", 1);
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("lent"), 4U) << world.places();
  world.create_job("owner", 2, "1", "b", 2);
  world.advance(Duration::seconds(10));
  EXPECT_EQ(world.bound("owner"), 2U) << world.places();
  EXPECT_THAT(world.events_about("lent-"), HasSubstr("because of reclaim"));
  world.expect_sound();
}

TEST_F(Eviction, AConfThatChangesIsFollowed) {
  world.set_conf("actions: \"enqueue\"\n");
  world.create_job("j", 1, "1");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("j"), 0U);
  world.set_conf("actions: \"enqueue, nonsense\"\n");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("j"), 0U);
  EXPECT_FALSE(world.log.empty());
  world.set_conf(kConf);
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("j"), 1U);
}

}  // namespace
}  // namespace basalt
