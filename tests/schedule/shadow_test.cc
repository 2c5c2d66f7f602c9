// Our scheduler as a shadow of another one: it decides, the cluster does not notice, and what differs is told.
#include "control/scheduler/shadow.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "kube/api/object_fields.h"
#include "tests/schedule/schedule_fixture.h"

namespace basalt {
namespace {

using testing::Contains;
using testing::HasSubstr;
using enum scheduler::ShadowVerdict;

// A cluster whose own scheduler is played by the test; ours looks on.
class ShadowedCluster {
 public:
  ShadowedCluster() : client_(fixture.user()), shadow(client_, options()) {
    client_.on_write = [this](const api::Call& call) { writes.push_back(call.resource.plural + "/" + call.name); };
    // The scheduler that lives in the fixture stands still: nothing reaches it.
    fixture.wire().deaf = true;
    fixture.wire().judge = [](const api::Call&) { return FaultyClient::Fault::LoseCall; };
    auto made = scheduler::Scheduler::make(shadow, {.self_check = Duration{}, .conf_map = ""});
    EXPECT_TRUE(made.has_value());
    ours_ = std::move(*made);
  }

  void pass(Duration length) {
    const Instant end = fixture.now() + length;
    while (fixture.now() < end) {
      fixture.advance(Duration::millis(100));
      ours_->step(fixture.now());
      shadow.step(fixture.now());
    }
  }
  void they_bind(const std::string& pod, const std::string& node) {
    api::Call call{.verb = api::Verb::Create, .resource = {.group = "", .version = "v1", .plural = "pods"}};
    call.namespace_name = "default";
    call.name = pod;
    call.subresource = "binding";
    call.body = text::Object{{"apiVersion", "v1"},
                             {"kind", "Binding"},
                             {"metadata", text::Object{{"name", pod}, {"namespace", "default"}}},
                             {"target", text::Object{{"kind", "Node"}, {"name", node}}}};
    EXPECT_TRUE(fixture.user().call(std::move(call)).has_value()) << pod;
  }
  // A gang of bare pods; controllers would wait until it is let in.
  void create_gang(const std::string& name, int pods, const std::string& cpu) {
    fixture.create(fmt::format(R"({{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup,
        metadata: {{name: {}, namespace: default}}, spec: {{minMember: {}, queue: default}}}})",
                               name, pods));
    for (int i = 0; i < pods; ++i) {
      fixture.create(fmt::format(R"({{apiVersion: v1, kind: Pod, metadata: {{name: {0}-{1}, namespace: default,
          annotations: {{scheduling.k8s.io/group-name: {0}}}}}, spec: {{schedulerName: volcano, containers: [
          {{name: c, image: busybox, resources: {{requests: {{cpu: "{2}"}}}}}}]}}}})",
                                 name, i, cpu));
    }
  }

  ScheduleFixture fixture;
  std::vector<std::string> writes;  // of ours that reached the server: there must be none
  std::vector<std::string> told;

 private:
  scheduler::ShadowOptions options() {
    scheduler::ShadowOptions options;
    options.clock = [this] { return fixture.now(); };
    options.tell = [this](const std::string& line) { told.push_back(line); };
    return options;
  }
  FaultyClient client_;

 public:
  scheduler::Shadow shadow;

 private:
  std::unique_ptr<scheduler::Scheduler> ours_;
};

TEST(Shadow, SeesTheSameAndOtherNodes) {
  ShadowedCluster cluster;
  cluster.fixture.create_node("n1", "2");
  cluster.fixture.create_node("n2", "4");
  cluster.pass(Duration::seconds(1));
  cluster.create_gang("only-n2", 1, "3");  // fits on one node only
  cluster.create_gang("small", 1, "1");
  cluster.pass(Duration::seconds(2));
  EXPECT_EQ(cluster.shadow.summary().waiting, 2U);
  EXPECT_EQ(cluster.fixture.bound(), 0U) << "a shadow binds nothing";

  cluster.they_bind("only-n2-0", "n2");
  cluster.they_bind("small-0", "n2");
  cluster.pass(Duration::seconds(1));
  const scheduler::ShadowSummary summary = cluster.shadow.summary();
  EXPECT_EQ(summary.of(SameNode), 1U);
  EXPECT_EQ(summary.of(OtherNode), 1U);
  EXPECT_EQ(summary.waiting, 0U);
  EXPECT_GE(summary.ahead_p10, 1.5) << "we had decided in the first second";
  EXPECT_THAT(cluster.told, Contains(HasSubstr("pod default/small-0: they chose node n2, we would have chosen n1")));
  EXPECT_TRUE(cluster.writes.empty()) << cluster.writes.front();
}

TEST(Shadow, FollowsTheClusterNotItsWishes) {
  ShadowedCluster cluster;
  cluster.fixture.create_node("n1", "4");
  cluster.pass(Duration::seconds(1));
  cluster.create_gang("first", 1, "3");
  cluster.pass(Duration::seconds(1));
  cluster.create_gang("second", 1, "3");  // we gave the room to the first, they give it to the second
  cluster.pass(Duration::seconds(2));
  cluster.they_bind("second-0", "n1");
  cluster.pass(Duration::seconds(40));
  EXPECT_EQ(cluster.shadow.summary().of(TheyFirst), 1U);
  EXPECT_EQ(cluster.shadow.summary().of(OnlyWe), 1U);
  EXPECT_THAT(cluster.told, Contains("pod default/first-0: they let it wait, we would have chosen node n1"));

  cluster.fixture.finish("second-0");
  cluster.they_bind("first-0", "n1");
  cluster.pass(Duration::seconds(1));
  EXPECT_EQ(cluster.shadow.summary().of(OnlyWe), 0U);
  EXPECT_EQ(cluster.shadow.summary().of(SameNode), 1U);
  EXPECT_TRUE(cluster.writes.empty()) << cluster.writes.front();
}

TEST(Shadow, SeesAGangThatWasPlacedInPart) {
  ShadowedCluster cluster;
  cluster.fixture.create_node("n1", "4");
  cluster.pass(Duration::seconds(1));
  cluster.create_gang("g", 3, "2");  // two fit, three are needed
  cluster.pass(Duration::seconds(6));
  cluster.they_bind("g-0", "n1");
  cluster.pass(Duration::seconds(35));
  EXPECT_THAT(cluster.told, Contains("group default/g: they placed 1 of at least 3 pods and no more since"));
  EXPECT_THAT(cluster.told, Contains("pod default/g-0: they chose node n1, we would have let it wait"));
  EXPECT_TRUE(cluster.writes.empty()) << cluster.writes.front();
}

}  // namespace
}  // namespace basalt
