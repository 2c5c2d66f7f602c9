#include "engine/model/topology_spread.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "engine/model/model_fixture.h"

namespace basalt::model {
namespace {

using Answer = SpreadTally::Answer;

struct SpreadWorld : ModelFixture {
  NodeId a1, a2, b1, none;
  SpreadWorld()
      : a1(node({.name = "a1", .labels = {{"zone", "a"}, {"kubernetes.io/hostname", "a1"}}})),
        a2(node({.name = "a2", .labels = {{"zone", "a"}, {"kubernetes.io/hostname", "a2"}}})),
        b1(node({.name = "b1", .labels = {{"zone", "b"}, {"kubernetes.io/hostname", "b1"}}})),
        none(node({.name = "none"})) {}
  PodShape shape(SpreadConstraint constraint) {
    PodShape out;
    out.spread = {std::move(constraint)};
    return out;
  }
  SpreadConstraint by(std::string_view key, bool hard) {
    return {.topology_key = name(key), .hard = hard, .selector = having("app", "web")};
  }
};

TEST(TopologySpread, HardConstraintsKeepTheSkew) {
  SpreadWorld fixture;
  fixture.pod({.name = "1", .labels = {{"app", "web"}}, .node = "a1"});
  fixture.pod({.name = "leaving", .labels = {{"app", "web"}}, .node = "b1", .status = TaskStatus::Releasing});
  fixture.pod({.name = "elsewhere", .ns = "x", .labels = {{"app", "web"}}, .node = "b1"});
  const TaskId pod =
      fixture.pod({.name = "in", .labels = {{"app", "web"}}, .shape = fixture.shape(fixture.by("zone", true))});
  TopologyDomains domains(fixture.state);
  SpreadTally tally(fixture.state, domains, pod, true);
  tally.sync();
  EXPECT_EQ(tally.judge(fixture.a2), Answer::TooSkewed);  // zone a: 1 + self 1 − least 0 = 2 > 1
  EXPECT_EQ(tally.judge(fixture.b1), Answer::Fits);       // 0 + 1 − 0
  EXPECT_EQ(tally.judge(fixture.none), Answer::MissingKey);
  const TaskId stranger = fixture.pod({.name = "s", .shape = fixture.shape(fixture.by("zone", true))});
  SpreadTally of_stranger(fixture.state, domains, stranger, true);
  of_stranger.sync();
  EXPECT_EQ(of_stranger.judge(fixture.a2), Answer::Fits) << "does not count itself: 1 + 0 − 0";
}

TEST(TopologySpread, TooFewDomainsMakeTheLeastZero) {
  SpreadWorld fixture;
  for (const char* node : {"a1", "b1"}) {
    fixture.pod({.name = node, .labels = {{"app", "web"}}, .node = node});
  }
  SpreadConstraint constraint = fixture.by("zone", true);
  const TaskId two = fixture.pod({.name = "2", .labels = {{"app", "web"}}, .shape = fixture.shape(constraint)});
  constraint.min_domains = 3;
  const TaskId three = fixture.pod({.name = "3", .labels = {{"app", "web"}}, .shape = fixture.shape(constraint)});
  TopologyDomains domains(fixture.state);
  SpreadTally fits(fixture.state, domains, two, true);
  SpreadTally refuses(fixture.state, domains, three, true);
  fits.sync();
  refuses.sync();
  EXPECT_EQ(fits.judge(fixture.a1), Answer::Fits);          // 1 + 1 − 1
  EXPECT_EQ(refuses.judge(fixture.a1), Answer::TooSkewed);  // 1 + 1 − 0
}

TEST(TopologySpread, PoliciesDecideWhichNodesTakePart) {
  SpreadWorld fixture;
  fixture.pod({.name = "1", .labels = {{"app", "web"}}, .node = "a1"});
  SpreadConstraint constraint = fixture.by("zone", true);
  PodShape shape = fixture.shape(constraint);
  shape.node_selector = fixture.labels({{"zone", "a"}});
  const TaskId honours = fixture.pod({.name = "h", .labels = {{"app", "web"}}, .shape = shape});
  shape.spread[0].honor_node_affinity = false;
  const TaskId ignores = fixture.pod({.name = "i", .labels = {{"app", "web"}}, .shape = shape});
  TopologyDomains domains(fixture.state);
  SpreadTally narrow(fixture.state, domains, honours, true);
  SpreadTally wide(fixture.state, domains, ignores, true);
  narrow.sync();
  wide.sync();
  EXPECT_EQ(narrow.judge(fixture.a1), Answer::Fits);     // only zone a: 1 + 1 − 1
  EXPECT_EQ(wide.judge(fixture.a1), Answer::TooSkewed);  // zone b is empty: 1 + 1 − 0
}

TEST(TopologySpread, SoftScoresWeighByTheLogarithmOfDomains) {
  SpreadWorld fixture;
  for (int i = 0; i < 3; ++i) {
    fixture.pod({.name = std::to_string(i), .labels = {{"app", "web"}}, .node = i < 2 ? "a1" : "a2"});
  }
  PodShape shape;
  shape.spread = {fixture.by("zone", false), fixture.by("kubernetes.io/hostname", false)};
  shape.spread[0].max_skew = 2;
  const TaskId pod = fixture.pod({.name = "in", .labels = {{"app", "web"}}, .shape = shape});
  TopologyDomains domains(fixture.state);
  SpreadTally tally(fixture.state, domains, pod, false);
  tally.sync();
  const std::vector<NodeId> nodes = {fixture.a1, fixture.a2, fixture.b1, fixture.none};
  std::vector<int64_t> raw(4, 0);
  tally.score(nodes, -1, raw);
  // Zones among the candidates: 2, weight ln 4; hosts: 3, weight ln 5. maxSkew − 1 is added for each constraint.
  EXPECT_EQ(raw[0], std::llround(3 * std::log(4.0) + 1 + 2 * std::log(5.0)));
  EXPECT_EQ(raw[1], std::llround(3 * std::log(4.0) + 1 + 1 * std::log(5.0)));
  EXPECT_EQ(raw[2], 1);
  EXPECT_EQ(raw[3], -1);
}

TEST(TopologySpread, SyncedEqualsRecounted) {
  SpreadWorld fixture;
  Rng rng(11);
  const std::vector<NodeId> nodes = {fixture.a1, fixture.a2, fixture.b1, fixture.none};
  std::vector<TaskId> pods;
  for (int i = 0; i < 10; ++i) pods.push_back(fixture.pod({.name = std::to_string(i), .labels = {{"app", "web"}}}));
  const TaskId in =
      fixture.pod({.name = "in", .labels = {{"app", "web"}}, .shape = fixture.shape(fixture.by("zone", true))});
  TopologyDomains domains(fixture.state);
  SpreadTally kept(fixture.state, domains, in, true);
  for (int step = 0; step < 100; ++step) {
    const TaskId pod = pods[rng.below(pods.size())];
    if (fixture.state.task(pod).node.valid()) {
      fixture.withdraw(pod);
    } else {
      fixture.place(pod, nodes[rng.below(nodes.size())]);
    }
    SpreadTally fresh(fixture.state, domains, in, true);
    kept.sync();
    fresh.sync();
    for (const NodeId node : nodes) ASSERT_EQ(kept.judge(node), fresh.judge(node)) << "step " << step;
  }
}

}  // namespace
}  // namespace basalt::model
