#include "engine/plugins/predicates/predicates.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/core/node_search.h"
#include "engine/model/model_fixture.h"

namespace basalt::plugins {
namespace {

using engine::Fit;
using model::NodeId;
using model::PodShape;
using model::TaskId;

struct PredicatesWorld : model::ModelFixture {
  engine::CycleMemory memory;
  engine::Policy policy;
  Rng rng{1};
  std::unique_ptr<engine::Session> session;

  void open(engine::ArgumentMap arguments = {}) {
    policy = {};
    engine::Policy::Plugin plugin{.name = "predicates"};
    plugin.flags.fill(true);
    plugin.make = *engine::plugin_entry<Predicates>().configure(engine::Arguments(std::move(arguments)));
    policy.plugins.push_back(std::move(plugin));
    session = std::make_unique<engine::Session>(state, policy, Instant(), rng, memory);
    session->open();
  }
  std::vector<std::string> reasons(TaskId task, NodeId node) {
    std::vector<std::string> texts;
    const engine::VerdictId verdict = engine::filter_node(*session, task, node);
    if (verdict == engine::kFits) return texts;
    for (const auto reason : memory.verdicts[verdict].reasons) texts.emplace_back(memory.verdicts.text(reason));
    return texts;
  }
  Fit fit(TaskId task, NodeId node) { return memory.verdicts.fit(engine::filter_node(*session, task, node)); }
};

using Texts = std::vector<std::string>;

TEST(Predicates, CurableReasonsAreCollectedAndAFinalOneEnds) {
  PredicatesWorld fixture;
  const model::HostPort port{.ip = fixture.name("0.0.0.0"), .protocol = fixture.name("TCP"), .port = 80};
  PodShape serves;
  serves.host_ports = {port};
  const NodeId full = fixture.node({.name = "full", .pods = 1});
  const NodeId closed = fixture.node({.name = "closed", .unschedulable = true, .pods = 0});
  fixture.pod({.name = "there", .shape = serves, .node = "full"});
  const TaskId pod = fixture.pod({.name = "in", .shape = serves});
  PodShape bold;
  bold.tolerations = {{.key = fixture.name("node.kubernetes.io/unschedulable"), .exists = true}};
  const TaskId tolerant = fixture.pod({.name = "bold", .shape = bold});
  fixture.open();
  EXPECT_EQ(fixture.reasons(pod, full),
            (Texts{"node(s) pod number exceeded", "node(s) didn't have free ports for the requested pod ports"}));
  EXPECT_EQ(fixture.fit(pod, full), Fit::EvictMayHelp);
  EXPECT_EQ(fixture.reasons(pod, closed), (Texts{"node(s) pod number exceeded", "node(s) were unschedulable"}));
  EXPECT_EQ(fixture.fit(pod, closed), Fit::Never);
  EXPECT_EQ(fixture.reasons(tolerant, closed), Texts{"node(s) pod number exceeded"});
}

TEST(Predicates, SwitchesTurnRulesOff) {
  PredicatesWorld fixture;
  const model::Taint taint{.key = fixture.name("k"), .value = kEmptyName, .effect = model::TaintEffect::NoSchedule};
  const NodeId node = fixture.node({.name = "n", .taints = {taint}});
  const TaskId pod = fixture.pod({.name = "p"});
  fixture.open();
  EXPECT_EQ(fixture.reasons(pod, node), Texts{"node(s) had untolerated taint(s)"});
  fixture.open({{"predicate.TaintTolerationEnable", {false}}});
  EXPECT_EQ(fixture.reasons(pod, node), Texts{});
  const auto refused = Predicates::make(engine::Arguments({{"predicate.NodePortsEnable", {int64_t{3}}}}));
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("predicate.NodePortsEnable"), std::string::npos);
}

TEST(Predicates, AGroupWithAffinityToItselfMayStart) {
  PredicatesWorld fixture;
  const NodeId a = fixture.node({.name = "a", .labels = {{"host", "a"}}});
  const NodeId b = fixture.node({.name = "b", .labels = {{"host", "b"}}});
  PodShape shape;
  shape.required_affinity = {fixture.term("app", "db", "host")};
  const TaskId first = fixture.pod({.name = "first", .labels = {{"app", "db"}}, .shape = shape});
  const TaskId second = fixture.pod({.name = "second", .labels = {{"app", "db"}, {"index", "1"}}, .shape = shape});
  const TaskId stranger = fixture.pod({.name = "stranger", .shape = shape});
  fixture.open();
  EXPECT_EQ(fixture.reasons(first, a), Texts{});
  EXPECT_EQ(fixture.reasons(stranger, a), Texts{"node(s) didn't match pod affinity rules"});
  fixture.place(first, a);
  EXPECT_EQ(fixture.reasons(second, a), Texts{});
  EXPECT_EQ(fixture.reasons(second, b), Texts{"node(s) didn't match pod affinity rules"});
  EXPECT_EQ(fixture.fit(second, b), Fit::Never);
  EXPECT_EQ(fixture.reasons(stranger, a), Texts{});
  fixture.withdraw(first);
  EXPECT_EQ(fixture.reasons(second, b), Texts{});
}

TEST(Predicates, AntiAffinityHoldsFromBothSides) {
  PredicatesWorld fixture;
  const NodeId a = fixture.node({.name = "a", .labels = {{"host", "a"}}});
  PodShape shy;
  shy.required_anti_affinity = {fixture.term("app", "web", "host")};
  const TaskId picky = fixture.pod({.name = "picky", .labels = {{"app", "db"}}, .shape = shy});
  const TaskId web = fixture.pod({.name = "web", .labels = {{"app", "web"}}});
  fixture.open();
  fixture.place(web, a);
  EXPECT_EQ(fixture.reasons(picky, a), Texts{"node(s) didn't match pod anti-affinity rules"});
  fixture.withdraw(web);
  fixture.place(picky, a);
  EXPECT_EQ(fixture.reasons(web, a), Texts{"node(s) didn't satisfy existing pods anti-affinity rules"});
  EXPECT_EQ(fixture.fit(web, a), Fit::EvictMayHelp);
}

TEST(Predicates, TermsThatNobodyMatchesDoNotSplitClasses) {
  PredicatesWorld fixture;
  PodShape shy;
  shy.required_anti_affinity = {fixture.term("app", "web", "host")};
  fixture.pod({.name = "picky", .shape = shy});
  const TaskId one = fixture.pod({.name = "one", .labels = {{"index", "1"}}});
  const TaskId two = fixture.pod({.name = "two", .labels = {{"index", "2"}}});
  const TaskId web = fixture.pod({.name = "web", .labels = {{"app", "web"}}});
  fixture.open();
  const auto key = [&](TaskId task) {
    engine::ClassKey bytes;
    for (const auto& entry : fixture.session->hooks.sign.entries) entry.hook(task, bytes);
    return bytes.bytes();
  };
  EXPECT_EQ(key(one), key(two));
  EXPECT_NE(key(one), key(web));
}

TEST(Predicates, SpreadRefusesTheFullerDomain) {
  PredicatesWorld fixture;
  const NodeId a = fixture.node({.name = "a", .labels = {{"zone", "a"}}});
  const NodeId b = fixture.node({.name = "b", .labels = {{"zone", "b"}}});
  const NodeId none = fixture.node({.name = "none"});
  PodShape shape;
  shape.spread = {{.topology_key = fixture.name("zone"), .selector = fixture.having("app", "web")}};
  const TaskId first = fixture.pod({.name = "1", .labels = {{"app", "web"}}, .shape = shape});
  const TaskId second = fixture.pod({.name = "2", .labels = {{"app", "web"}}, .shape = shape});
  fixture.open();
  fixture.place(first, a);
  EXPECT_EQ(fixture.reasons(second, a), Texts{"node(s) didn't match pod topology spread constraints"});
  EXPECT_EQ(fixture.reasons(second, b), Texts{});
  EXPECT_EQ(fixture.fit(second, none), Fit::Never);
  EXPECT_EQ(fixture.reasons(second, none),
            Texts{"node(s) didn't match pod topology spread constraints (missing required label)"});
}

}  // namespace
}  // namespace basalt::plugins
