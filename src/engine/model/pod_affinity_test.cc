#include "engine/model/pod_affinity.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "engine/model/model_fixture.h"

namespace basalt::model {
namespace {

TEST(PodAffinity, NamespacesByNameOrBySelector) {
  ModelFixture fixture;
  const TaskId pod = fixture.pod({.name = "p", .ns = "other", .labels = {{"app", "db"}}});
  const Task& task = fixture.state.task(pod);
  const auto sees = [&](const PodTerm& term) { return matches_pod(term, task.ns, task.labels, fixture.state); };
  PodTerm term = fixture.term("app", "db", "zone");
  EXPECT_FALSE(sees(term)) << "another namespace";
  term.has_namespace_selector = true;
  EXPECT_TRUE(sees(term)) << "the empty selector means every namespace";
  term.namespace_selector = fixture.having("team", "x");
  EXPECT_FALSE(sees(term));
  fixture.state.limits.namespace_labels[task.ns] = fixture.labels({{"team", "x"}});
  EXPECT_TRUE(sees(term));
}

TEST(PodAffinity, OwnTermsCountTogetherOrEach) {
  ModelFixture fixture;
  const NodeId a = fixture.node({.name = "a", .labels = {{"zone", "1"}, {"host", "a"}}});
  const NodeId b = fixture.node({.name = "b", .labels = {{"zone", "1"}, {"host", "b"}}});
  const NodeId c = fixture.node({.name = "c", .labels = {{"zone", "2"}}});
  fixture.pod({.name = "both", .labels = {{"app", "db"}, {"tier", "1"}}, .node = "a"});
  fixture.pod({.name = "one", .labels = {{"app", "db"}}, .node = "c"});
  PodShape shape;
  shape.required_affinity = {fixture.term("app", "db", "zone"), fixture.term("tier", "1", "host")};
  shape.required_anti_affinity = shape.required_affinity;
  const TaskId pod = fixture.pod({.name = "in", .shape = shape});
  TopologyDomains domains(fixture.state);
  TermTally together(fixture.state, domains, pod, required_affinity_terms, TermTally::Own::AllTogether, no_terms);
  together.sync();
  EXPECT_EQ(together.own_presence(a), TermTally::Presence::AllCounted);
  EXPECT_EQ(together.own_presence(b), TermTally::Presence::SomeEmpty) << "zone has one, host has none";
  EXPECT_EQ(together.own_presence(c), TermTally::Presence::Missing) << "no host label";
  TermTally each(fixture.state, domains, pod, required_anti_affinity_terms, TermTally::Own::Each, no_terms);
  each.sync();
  EXPECT_EQ(each.sum(a), 2);  // zone: both; host: both
  EXPECT_EQ(each.sum(b), 1);
  EXPECT_EQ(each.sum(c), 1);
}

TEST(PodAffinity, PreferencesOfBothSidesAddUp) {
  ModelFixture fixture;
  const NodeId a = fixture.node({.name = "a", .labels = {{"host", "a"}}});
  PodShape there;
  there.preferred_affinity = {fixture.term("app", "web", "host", 7)};
  there.preferred_anti_affinity = {fixture.term("app", "web", "host", 2)};
  fixture.pod({.name = "there", .labels = {{"app", "db"}}, .shape = there, .node = "a"});
  PodShape in;
  in.preferred_affinity = {fixture.term("app", "db", "host", 20)};
  const TaskId pod = fixture.pod({.name = "in", .labels = {{"app", "web"}}, .shape = in});
  TopologyDomains domains(fixture.state);
  TermTally tally(fixture.state, domains, pod, preferred_terms, TermTally::Own::Each, preferred_terms);
  tally.sync();
  EXPECT_EQ(tally.sum(a), 20 + 7 - 2);
}

// The incremental way and the reference: after any moves a kept tally equals a new one.
TEST(PodAffinity, SyncedEqualsRecounted) {
  ModelFixture fixture;
  Rng rng(7);
  std::vector<NodeId> nodes;
  for (int i = 0; i < 8; ++i) {
    const std::string host = std::to_string(i);
    nodes.push_back(fixture.node({.name = "n" + host, .labels = {{"zone", std::to_string(i % 3)}, {"host", host}}}));
  }
  PodShape shape;
  shape.preferred_affinity = {fixture.term("app", "0", "zone", 5), fixture.term("app", "1", "host", 3)};
  shape.preferred_anti_affinity = {fixture.term("app", "0", "host", 4)};
  std::vector<TaskId> pods;
  for (int i = 0; i < 20; ++i) {
    pods.push_back(fixture.pod({.name = "p" + std::to_string(i),
                                .labels = {{"app", std::to_string(i % 2)}},
                                .shape = i % 4 == 0 ? shape : PodShape()}));
  }
  const TaskId with_terms = fixture.pod({.name = "x", .labels = {{"app", "0"}}, .shape = shape});
  const TaskId without = fixture.pod({.name = "y", .labels = {{"app", "1"}}});
  TopologyDomains domains(fixture.state);
  const auto fresh = [&](TaskId pod) {
    return TermTally(fixture.state, domains, pod, preferred_terms, TermTally::Own::Each, preferred_terms);
  };
  TermTally kept_own = fresh(with_terms);
  TermTally kept_existing = fresh(without);
  for (int step = 0; step < 200; ++step) {
    const TaskId pod = pods[rng.below(pods.size())];
    if (fixture.state.task(pod).node.valid()) {
      fixture.withdraw(pod);
    } else {
      fixture.place(pod, nodes[rng.below(nodes.size())]);
    }
    if (rng.chance(0.4)) continue;
    TermTally own = fresh(with_terms);
    TermTally existing = fresh(without);
    for (TermTally* tally : {&kept_own, &kept_existing, &own, &existing}) tally->sync();
    for (const NodeId node : nodes) {
      ASSERT_EQ(kept_own.sum(node), own.sum(node)) << "step " << step;
      ASSERT_EQ(kept_existing.sum(node), existing.sum(node)) << "step " << step;
    }
  }
}

}  // namespace
}  // namespace basalt::model
