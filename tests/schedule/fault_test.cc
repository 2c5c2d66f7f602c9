// What goes wrong between the scheduler and the API, and that nothing is lost or done twice by it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "base/rng.h"
#include "kube/api/object_fields.h"
#include "tests/schedule/schedule_fixture.h"

namespace basalt {
namespace {

using Fault = FaultyClient::Fault;
using testing::HasSubstr;

bool is_bind(const api::Call& call) { return call.subresource == "binding"; }

struct Faults : testing::Test {
  Faults() {
    fixture.create_node("n1", "4");
    fixture.create_node("n2", "4");
  }
  ScheduleFixture fixture;
};

TEST_F(Faults, ARefusedBindIsToldAndTriedAgain) {
  size_t refused = 0;
  fixture.wire().judge = [&](const api::Call& call) {
    return is_bind(call) && refused++ < 2 ? Fault::Refuse : Fault::None;
  };
  fixture.create_job("j", 2, "1");
  fixture.advance(Duration::millis(500));
  EXPECT_EQ(fixture.bound("j"), 0U);
  EXPECT_THAT(text::to_json(*fixture.get("v1", "pods", "j-t-0")), HasSubstr(R"("reason":"SchedulerError")"));
  EXPECT_THAT(fixture.events_about("j-t-0"), HasSubstr("FailedScheduling: failed to bind to node n"));
  fixture.advance(Duration::seconds(5));
  EXPECT_EQ(fixture.bound("j"), 2U) << fixture.places();
  fixture.expect_sound();
}

TEST_F(Faults, AnAnswerThatIsLostChangesNothing) {
  std::map<std::string, int> binds;
  fixture.wire().on_write = [&](const api::Call& call) {
    if (is_bind(call)) ++binds[call.name];
  };
  fixture.wire().judge = [&](const api::Call& call) { return is_bind(call) ? Fault::LoseAnswer : Fault::None; };
  fixture.create_job("j", 4, "1");
  fixture.advance(Duration::seconds(5));
  EXPECT_EQ(fixture.bound("j"), 4U) << fixture.places();
  for (const auto& [name, count] : binds) EXPECT_EQ(count, 1) << name;
  fixture.expect_sound();
}

TEST_F(Faults, ACallThatIsLostIsMadeAgain) {
  size_t lost = 0;
  fixture.wire().judge = [&](const api::Call& call) {
    return is_bind(call) && lost++ < 3 ? Fault::LoseCall : Fault::None;
  };
  fixture.create_job("j", 4, "1");
  fixture.advance(Duration::seconds(10));
  EXPECT_EQ(fixture.bound("j"), 4U) << fixture.places();
  fixture.expect_sound();
}

TEST_F(Faults, ABindThatNoWatchConfirmsIsRead) {
  fixture.create_job("j", 2, "1");
  fixture.wire().judge = [&](const api::Call& call) {
    if (is_bind(call)) fixture.wire().deaf = true;  // from here on nothing is told
    return Fault::None;
  };
  fixture.advance(Duration::seconds(1));
  EXPECT_EQ(fixture.bound("j"), 2U);
  const model::ClusterState& state = fixture.scheduler().state();
  const auto status = [&](std::string_view pod) {
    const client::ObjectPtr object = fixture.get("v1", "pods", pod);
    return state.task(state.find_task(api::string_at(object->get_object(), {"metadata", "uid"}))).status;
  };
  EXPECT_EQ(status("j-t-0"), model::TaskStatus::Binding);
  fixture.advance(Duration::seconds(6));
  EXPECT_EQ(status("j-t-0"), model::TaskStatus::Running);
  EXPECT_EQ(status("j-t-1"), model::TaskStatus::Running);
}

TEST_F(Faults, ABrokenWatchIsMendedByTheDifference) {
  fixture.create_job("a", 2, "1");
  fixture.create_job("b", 2, "1");
  fixture.advance(Duration::seconds(3));
  fixture.wire().deaf = true;
  fixture.remove("batch.volcano.sh/v1alpha1", "jobs", "a");
  fixture.create_job("c", 2, "3");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("c"), 0U);
  fixture.wire().deaf = false;
  for (const char* plural : {"pods", "podgroups", "queues", "nodes"}) fixture.wire().break_watches(plural);
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("c"), 2U) << fixture.places();
  fixture.expect_sound();
}

TEST_F(Faults, APodThatIsReplacedWhileTheWatchIsBrokenIsPlaced) {
  const auto pod = [&] {
    fixture.create(R"({apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {scheduling.k8s.io/group-name: g}},
        spec: {schedulerName: volcano, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}})");
  };
  fixture.create(R"({apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g},
      spec: {minMember: 1, queue: default}})");
  pod();
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("p"), 1U);
  fixture.wire().deaf = true;
  fixture.remove("v1", "pods", "p");
  fixture.advance(Duration::seconds(1));
  pod();
  fixture.advance(Duration::seconds(1));
  fixture.wire().deaf = false;
  fixture.wire().break_watches("pods");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("p"), 1U) << fixture.places();
  fixture.expect_sound();
}

TEST_F(Faults, AStatusThatCouldNotBeWrittenIsWrittenLater) {
  size_t lost = 0;
  fixture.wire().judge = [&](const api::Call& call) {
    return call.resource.plural == "podgroups" && call.verb == api::Verb::Patch && lost++ < 3 ? Fault::LoseCall
                                                                                              : Fault::None;
  };
  fixture.create_job("j", 2, "1");
  fixture.advance(Duration::seconds(10));
  EXPECT_GE(lost, 3U);
  EXPECT_EQ(fixture.group_at("j", "status.phase"), "Running");
  EXPECT_EQ(fixture.bound("j"), 2U);
  fixture.expect_sound();
}

// A scheduler that dies after any number of writes: the next one goes on, nothing is bound twice, nothing is lost.
TEST(Crash, AnywhereLosesNothing) {
  for (size_t writes = 1; writes <= 30; ++writes) {
    ScheduleFixture fixture;
    std::map<std::string, int> binds;
    const auto watch_binds = [&] {
      fixture.wire().on_write = [&](const api::Call& call) {
        if (is_bind(call)) ++binds[call.name];
      };
    };
    watch_binds();
    fixture.create_node("n1", "8");  // room enough that no order of the survivors matters
    fixture.create_node("n2", "8");
    fixture.wire().die_after(writes);
    fixture.create_job("a", 3, "2");
    fixture.create_job("b", 2, "1");
    fixture.advance(Duration::seconds(8));
    EXPECT_EQ(fixture.bound("a"), 3U) << "dead after " << writes << ": " << fixture.places();
    EXPECT_EQ(fixture.bound("b"), 2U) << "dead after " << writes << ": " << fixture.places();
    for (const auto& [name, count] : binds) EXPECT_LE(count, 1) << name << " dead after " << writes;
    EXPECT_EQ(fixture.group_at("a", "status.phase"), "Running") << "dead after " << writes;
    fixture.expect_sound();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace basalt
