#include "engine/plugins/predicates/predicates.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/core/node_search.h"
#include "engine/model/pod_world.h"

namespace basalt::plugins {
namespace {

using engine::Fit;
using model::NodeId;
using model::PodShape;
using model::TaskId;

struct PredicatesWorld : model::PodWorld {
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
  PredicatesWorld world;
  const model::HostPort port{.ip = world.name("0.0.0.0"), .protocol = world.name("TCP"), .port = 80};
  PodShape serves;
  serves.host_ports = {port};
  const NodeId full = world.node({.name = "full", .pods = 1});
  const NodeId closed = world.node({.name = "closed", .unschedulable = true, .pods = 0});
  world.pod({.name = "there", .shape = serves, .node = "full"});
  const TaskId pod = world.pod({.name = "in", .shape = serves});
  PodShape bold;
  bold.tolerations = {{.key = world.name("node.kubernetes.io/unschedulable"), .exists = true}};
  const TaskId tolerant = world.pod({.name = "bold", .shape = bold});
  world.open();
  EXPECT_EQ(world.reasons(pod, full),
            (Texts{"node(s) pod number exceeded", "node(s) didn't have free ports for the requested pod ports"}));
  EXPECT_EQ(world.fit(pod, full), Fit::EvictMayHelp);
  EXPECT_EQ(world.reasons(pod, closed), (Texts{"node(s) pod number exceeded", "node(s) were unschedulable"}));
  EXPECT_EQ(world.fit(pod, closed), Fit::Never);
  EXPECT_EQ(world.reasons(tolerant, closed), Texts{"node(s) pod number exceeded"});
}

TEST(Predicates, SwitchesTurnRulesOff) {
  PredicatesWorld world;
  const model::Taint taint{.key = world.name("k"), .value = kEmptyName, .effect = model::TaintEffect::NoSchedule};
  const NodeId node = world.node({.name = "n", .taints = {taint}});
  const TaskId pod = world.pod({.name = "p"});
  world.open();
  EXPECT_EQ(world.reasons(pod, node), Texts{"node(s) had untolerated taint(s)"});
  world.open({{"predicate.TaintTolerationEnable", {false}}});
  EXPECT_EQ(world.reasons(pod, node), Texts{});
  const auto refused = Predicates::make(engine::Arguments({{"predicate.NodePortsEnable", {int64_t{3}}}}));
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("predicate.NodePortsEnable"), std::string::npos);
}

TEST(Predicates, AGroupWithAffinityToItselfMayStart) {
  PredicatesWorld world;
  const NodeId a = world.node({.name = "a", .labels = {{"host", "a"}}});
  const NodeId b = world.node({.name = "b", .labels = {{"host", "b"}}});
  PodShape shape;
  shape.required_affinity = {world.term("app", "db", "host")};
  const TaskId first = world.pod({.name = "first", .labels = {{"app", "db"}}, .shape = shape});
  const TaskId second = world.pod({.name = "second", .labels = {{"app", "db"}, {"index", "1"}}, .shape = shape});
  const TaskId stranger = world.pod({.name = "stranger", .shape = shape});
  world.open();
  EXPECT_EQ(world.reasons(first, a), Texts{});
  EXPECT_EQ(world.reasons(stranger, a), Texts{"node(s) didn't match pod affinity rules"});
  world.place(first, a);
  EXPECT_EQ(world.reasons(second, a), Texts{});
  EXPECT_EQ(world.reasons(second, b), Texts{"node(s) didn't match pod affinity rules"});
  EXPECT_EQ(world.fit(second, b), Fit::Never);
  EXPECT_EQ(world.reasons(stranger, a), Texts{});
  world.withdraw(first);
  EXPECT_EQ(world.reasons(second, b), Texts{});
}

TEST(Predicates, AntiAffinityHoldsFromBothSides) {
  PredicatesWorld world;
  const NodeId a = world.node({.name = "a", .labels = {{"host", "a"}}});
  PodShape shy;
  shy.required_anti_affinity = {world.term("app", "web", "host")};
  const TaskId picky = world.pod({.name = "picky", .labels = {{"app", "db"}}, .shape = shy});
  const TaskId web = world.pod({.name = "web", .labels = {{"app", "web"}}});
  world.open();
  world.place(web, a);
  EXPECT_EQ(world.reasons(picky, a), Texts{"node(s) didn't match pod anti-affinity rules"});
  world.withdraw(web);
  world.place(picky, a);
  EXPECT_EQ(world.reasons(web, a), Texts{"node(s) didn't satisfy existing pods anti-affinity rules"});
  EXPECT_EQ(world.fit(web, a), Fit::EvictMayHelp);
}

TEST(Predicates, TermsThatNobodyMatchesDoNotSplitClasses) {
  PredicatesWorld world;
  PodShape shy;
  shy.required_anti_affinity = {world.term("app", "web", "host")};
  world.pod({.name = "picky", .shape = shy});
  const TaskId one = world.pod({.name = "one", .labels = {{"index", "1"}}});
  const TaskId two = world.pod({.name = "two", .labels = {{"index", "2"}}});
  const TaskId web = world.pod({.name = "web", .labels = {{"app", "web"}}});
  world.open();
  const auto key = [&](TaskId task) {
    engine::ClassKey bytes;
    for (const auto& entry : world.session->hooks.sign.entries) entry.hook(task, bytes);
    return bytes.bytes();
  };
  EXPECT_EQ(key(one), key(two));
  EXPECT_NE(key(one), key(web));
}

TEST(Predicates, SpreadRefusesTheFullerDomain) {
  PredicatesWorld world;
  const NodeId a = world.node({.name = "a", .labels = {{"zone", "a"}}});
  const NodeId b = world.node({.name = "b", .labels = {{"zone", "b"}}});
  const NodeId none = world.node({.name = "none"});
  PodShape shape;
  shape.spread = {{.topology_key = world.name("zone"), .selector = world.having("app", "web")}};
  const TaskId first = world.pod({.name = "1", .labels = {{"app", "web"}}, .shape = shape});
  const TaskId second = world.pod({.name = "2", .labels = {{"app", "web"}}, .shape = shape});
  world.open();
  world.place(first, a);
  EXPECT_EQ(world.reasons(second, a), Texts{"node(s) didn't match pod topology spread constraints"});
  EXPECT_EQ(world.reasons(second, b), Texts{});
  EXPECT_EQ(world.fit(second, none), Fit::Never);
  EXPECT_EQ(world.reasons(second, none),
            Texts{"node(s) didn't match pod topology spread constraints (missing required label)"});
}

}  // namespace
}  // namespace basalt::plugins
