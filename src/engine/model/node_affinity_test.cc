#include "engine/model/node_affinity.h"

#include <gtest/gtest.h>

#include "engine/model/host_ports.h"
#include "engine/model/model_fixture.h"

namespace basalt::model {
namespace {

TEST(NodeAffinity, TermsAreAlternativesAndRequirementsAddUp) {
  ModelFixture fixture;
  const NodeId small = fixture.node({.name = "small", .labels = {{"disk", "ssd"}, {"cores", "8"}}});
  const NodeId large = fixture.node({.name = "large", .labels = {{"disk", "ssd"}, {"cores", "64"}}});
  const NodeId plain = fixture.node({.name = "plain"});
  PodShape shape;
  shape.has_required_node_terms = true;
  const auto fits = [&](NodeId node) {
    return matches_required_nodes(shape, fixture.state.node(node), fixture.state.names);
  };
  EXPECT_FALSE(fits(small)) << "given without terms: nowhere";
  shape.required_node_terms = {NodeTerm()};
  EXPECT_FALSE(fits(small)) << "an empty term matches nothing";
  Requirement many = fixture.require("cores", SelectorOp::Gt);
  many.bound = 16;
  shape.required_node_terms = {{.labels = {fixture.require("disk", SelectorOp::In, {"ssd"}), many}},
                               {.fields = {fixture.require("metadata.name", SelectorOp::In, {"plain"})}}};
  EXPECT_FALSE(fits(small));
  EXPECT_TRUE(fits(large));
  EXPECT_TRUE(fits(plain));
  shape.node_selector = fixture.labels({{"disk", "ssd"}});
  EXPECT_FALSE(fits(plain)) << "the node selector holds besides";
}

TEST(NodeAffinity, PreferredWeightsAddUp) {
  ModelFixture fixture;
  const NodeId node = fixture.node({.name = "n", .labels = {{"disk", "ssd"}}});
  PodShape shape;
  shape.preferred_node_terms = {
      {.weight = 10, .term = {.labels = {fixture.require("disk", SelectorOp::Exists)}}},
      {.weight = 5, .term = {.labels = {fixture.require("arch", SelectorOp::NotIn, {"arm"})}}},
      {.weight = 3, .term = {.labels = {fixture.require("arch", SelectorOp::Exists)}}}};
  EXPECT_EQ(preferred_node_weight(shape, fixture.state.node(node), fixture.state.names), 15);
}

TEST(NodeAffinity, NamesConflictOnlyIfNoTermIsLeft) {
  ModelFixture fixture;
  const Requirement a = fixture.require("metadata.name", SelectorOp::In, {"a"});
  const Requirement b = fixture.require("metadata.name", SelectorOp::In, {"b"});
  PodShape shape;
  EXPECT_FALSE(node_names_conflict(shape));
  shape.required_node_terms = {{.fields = {a, b}}};
  EXPECT_TRUE(node_names_conflict(shape));
  shape.required_node_terms.push_back({.fields = {b}});
  EXPECT_FALSE(node_names_conflict(shape));
}

TEST(NodeAffinity, OnlyHardTaintsRepel) {
  ModelFixture fixture;
  const Taint hard{.key = fixture.name("k"), .value = fixture.name("v"), .effect = TaintEffect::NoExecute};
  const Taint soft{.key = fixture.name("k"), .value = fixture.name("v"), .effect = TaintEffect::PreferNoSchedule};
  const Node& node = fixture.state.node(fixture.node({.name = "n", .taints = {hard, soft, soft}}));
  PodShape shape;
  EXPECT_TRUE(repelled_by_taint(shape, node));
  EXPECT_EQ(disliked_taints(shape, node), 2);
  shape.tolerations = {{.key = fixture.name("k"), .exists = true, .effect = TaintEffect::NoExecute}};
  EXPECT_FALSE(repelled_by_taint(shape, node));
  EXPECT_EQ(disliked_taints(shape, node), 2) << "the toleration is of another effect";
  shape.tolerations[0].effect = TaintEffect::Any;
  EXPECT_EQ(disliked_taints(shape, node), 0);
}

TEST(HostPorts, TheWildcardAddressTakesThePortEverywhere) {
  ModelFixture fixture;
  const NameId any = fixture.name("0.0.0.0");
  const NameId tcp = fixture.name("TCP");
  const HostPort all{.ip = any, .protocol = tcp, .port = 80};
  const HostPort one{.ip = fixture.name("10.0.0.1"), .protocol = tcp, .port = 80};
  const HostPort two{.ip = fixture.name("10.0.0.2"), .protocol = tcp, .port = 80};
  const HostPort udp{.ip = any, .protocol = fixture.name("UDP"), .port = 80};
  EXPECT_TRUE(ports_collide(all, one, any));
  EXPECT_TRUE(ports_collide(one, all, any));
  EXPECT_TRUE(ports_collide(one, one, any));
  EXPECT_FALSE(ports_collide(one, two, any));
  EXPECT_FALSE(ports_collide(all, udp, any));
}

}  // namespace
}  // namespace basalt::model
