// What goes wrong between the scheduler and the API, and that nothing is lost or done twice by it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "base/rng.h"
#include "kube/api/object_fields.h"
#include "tests/schedule/schedule_world.h"

namespace basalt {
namespace {

using Fault = FaultyClient::Fault;
using testing::HasSubstr;

bool is_bind(const api::Call& call) { return call.subresource == "binding"; }

struct Faults : testing::Test {
  Faults() {
    world.create_node("n1", "4");
    world.create_node("n2", "4");
  }
  ScheduleWorld world;
};

TEST_F(Faults, ARefusedBindIsToldAndTriedAgain) {
  size_t refused = 0;
  world.wire().judge = [&](const api::Call& call) {
    return is_bind(call) && refused++ < 2 ? Fault::Refuse : Fault::None;
  };
  world.create_job("j", 2, "1");
  world.advance(Duration::millis(500));
  EXPECT_EQ(world.bound("j"), 0U);
  EXPECT_THAT(text::to_json(*world.get("v1", "pods", "j-t-0")), HasSubstr(R"("reason":"SchedulerError")"));
  EXPECT_THAT(world.events_about("j-t-0"), HasSubstr("FailedScheduling: failed to bind to node n"));
  world.advance(Duration::seconds(5));
  EXPECT_EQ(world.bound("j"), 2U) << world.places();
  world.expect_sound();
}

TEST_F(Faults, AnAnswerThatIsLostChangesNothing) {
  std::map<std::string, int> binds;
  world.wire().on_write = [&](const api::Call& call) {
    if (is_bind(call)) ++binds[call.name];
  };
  world.wire().judge = [&](const api::Call& call) { return is_bind(call) ? Fault::LoseAnswer : Fault::None; };
  world.create_job("j", 4, "1");
  world.advance(Duration::seconds(5));
  EXPECT_EQ(world.bound("j"), 4U) << world.places();
  for (const auto& [name, count] : binds) EXPECT_EQ(count, 1) << name;
  world.expect_sound();
}

TEST_F(Faults, ACallThatIsLostIsMadeAgain) {
  size_t lost = 0;
  world.wire().judge = [&](const api::Call& call) {
    return is_bind(call) && lost++ < 3 ? Fault::LoseCall : Fault::None;
  };
  world.create_job("j", 4, "1");
  world.advance(Duration::seconds(10));
  EXPECT_EQ(world.bound("j"), 4U) << world.places();
  world.expect_sound();
}

TEST_F(Faults, ABindThatNoWatchConfirmsIsRead) {
  world.create_job("j", 2, "1");
  world.wire().judge = [&](const api::Call& call) {
    if (is_bind(call)) world.wire().deaf = true;  // from here on nothing is told
    return Fault::None;
  };
  world.advance(Duration::seconds(1));
  EXPECT_EQ(world.bound("j"), 2U);
  const model::ClusterState& state = world.scheduler().state();
  const auto status = [&](std::string_view pod) {
    const client::ObjectPtr object = world.get("v1", "pods", pod);
    return state.task(state.find_task(api::string_at(object->get_object(), {"metadata", "uid"}))).status;
  };
  EXPECT_EQ(status("j-t-0"), model::TaskStatus::Binding);
  world.advance(Duration::seconds(6));
  EXPECT_EQ(status("j-t-0"), model::TaskStatus::Running);
  EXPECT_EQ(status("j-t-1"), model::TaskStatus::Running);
}

TEST_F(Faults, ABrokenWatchIsMendedByTheDifference) {
  world.create_job("a", 2, "1");
  world.create_job("b", 2, "1");
  world.advance(Duration::seconds(3));
  world.wire().deaf = true;
  world.remove("batch.volcano.sh/v1alpha1", "jobs", "a");
  world.create_job("c", 2, "3");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("c"), 0U);
  world.wire().deaf = false;
  for (const char* plural : {"pods", "podgroups", "queues", "nodes"}) world.wire().break_watches(plural);
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("c"), 2U) << world.places();
  world.expect_sound();
}

TEST_F(Faults, APodThatIsReplacedWhileTheWatchIsBrokenIsPlaced) {
  const auto pod = [&] {
    world.create(R"({apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {scheduling.k8s.io/group-name: g}},
        spec: {schedulerName: volcano, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}})");
  };
  world.create(R"({apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g},
      spec: {minMember: 1, queue: default}})");
  pod();
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("p"), 1U);
  world.wire().deaf = true;
  world.remove("v1", "pods", "p");
  world.advance(Duration::seconds(1));
  pod();
  world.advance(Duration::seconds(1));
  world.wire().deaf = false;
  world.wire().break_watches("pods");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("p"), 1U) << world.places();
  world.expect_sound();
}

TEST_F(Faults, AStatusThatCouldNotBeWrittenIsWrittenLater) {
  size_t lost = 0;
  world.wire().judge = [&](const api::Call& call) {
    return call.resource.plural == "podgroups" && call.verb == api::Verb::Patch && lost++ < 3 ? Fault::LoseCall
                                                                                              : Fault::None;
  };
  world.create_job("j", 2, "1");
  world.advance(Duration::seconds(10));
  EXPECT_GE(lost, 3U);
  EXPECT_EQ(world.group_at("j", "status.phase"), "Running");
  EXPECT_EQ(world.bound("j"), 2U);
  world.expect_sound();
}

// A scheduler that dies after any number of writes: the next one goes on, nothing is bound twice, nothing is lost.
TEST(Crash, AnywhereLosesNothing) {
  for (size_t writes = 1; writes <= 30; ++writes) {
    ScheduleWorld world;
    std::map<std::string, int> binds;
    const auto watch_binds = [&] {
      world.wire().on_write = [&](const api::Call& call) {
        if (is_bind(call)) ++binds[call.name];
      };
    };
    watch_binds();
    world.create_node("n1", "8");  // room enough that no order of the survivors matters
    world.create_node("n2", "8");
    world.wire().die_after(writes);
    world.create_job("a", 3, "2");
    world.create_job("b", 2, "1");
    world.advance(Duration::seconds(8));
    EXPECT_EQ(world.bound("a"), 3U) << "dead after " << writes << ": " << world.places();
    EXPECT_EQ(world.bound("b"), 2U) << "dead after " << writes << ": " << world.places();
    for (const auto& [name, count] : binds) EXPECT_LE(count, 1) << name << " dead after " << writes;
    EXPECT_EQ(world.group_at("a", "status.phase"), "Running") << "dead after " << writes;
    world.expect_sound();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace basalt
