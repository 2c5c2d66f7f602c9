#include "control/volcano/hyper_node/hyper_node_controller.h"

#include <gmock/gmock.h>

#include "control/volcano/controllers_fixture.h"
#include "control/volcano/hyper_node/hyper_node_discovery_config.h"

namespace basalt::volcano {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string node(const std::string& name, const std::string& labels = "") {
  return fmt::format(R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{}","labels":{{{}}}}}}})", name, labels);
}
std::string hyper_node(const std::string& name, const std::string& members, const std::string& labels = "") {
  return fmt::format(
      R"({{"apiVersion":"topology.volcano.sh/v1alpha1","kind":"HyperNode","metadata":{{"name":"{}","labels":{{{}}}}},
          "spec":{{"tier":1,"members":[{}]}}}})",
      name, labels, members);
}
std::string member(const std::string& selector) {
  return fmt::format(R"({{"type":"Node","selector":{{{}}}}})", selector);
}
constexpr std::string_view kConfig =
    "networkTopologyDiscovery:\n"
    "- source: ufm\n"
    "  enabled: true\n"
    "- source: label\n"
    "  enabled: true\n"
    "  config:\n"
    "    networkTopologyTypes:\n"
    "      topologyA3:\n"
    "      - nodeLabel: spine\n"
    "      - nodeLabel: tor\n"
    "      - nodeLabel: kubernetes.io/hostname\n";

class HyperNodeController : public ::testing::Test {
 protected:
  Lines run(std::string_view item) { return fixture.run(controller, std::string(item)); }
  void configure(std::string_view yaml) {
    text::Object config{
        {"apiVersion", "v1"},
        {"kind", "ConfigMap"},
        {"metadata", text::Object{{"namespace", "volcano-system"}, {"name", "volcano-controller-configmap"}}},
        {"data", text::Object{{kDiscoveryKey, yaml}}}};
    fixture.see(text::to_json(config));
  }
  std::vector<std::string> names() const { return fixture.seen().keys(VolcanoKind::HyperNode); }
  std::string members(const std::string& name) {
    std::string out;
    const text::Array* list = api::array_at(*fixture.seen().find(VolcanoKind::HyperNode, name), {"spec", "members"});
    for (const text::Value& one : *list) {
      out += fmt::format("{} {} ", api::string_at(one.get_object(), "type"),
                         api::string_at(one.get_object(), {"selector", "exactMatch", "name"}));
    }
    return out;
  }

  ControllersFixture fixture;
  const VolcanoController controller = hyper_node_controller();
};

TEST_F(HyperNodeController, CountsWhatMembersSelect) {
  fixture.see(node("n1", R"("rack":"a")"));
  fixture.see(node("n2", R"("rack":"b")"));
  fixture.see(node("m1", R"("rack":"a")"));
  const auto count = [&](const std::string& selectors) {
    fixture.see(hyper_node("h", selectors));
    run("h");
    return fixture.json(VolcanoKind::HyperNode, "h", {"status", "nodeCount"});
  };
  EXPECT_EQ(count(member(R"("exactMatch":{"name":"absent"})")), "1");
  EXPECT_EQ(count(member(R"("regexMatch":{"pattern":"1"})")), "2");  // anywhere in the name
  EXPECT_EQ(count(member(R"("regexMatch":{"pattern":"^n"})")), "2");
  EXPECT_EQ(count(member(R"("labelMatch":{"matchLabels":{"rack":"a"}})")), "2");
  EXPECT_EQ(count(member(R"("labelMatch":{"matchExpressions":[{"key":"rack","operator":"Exists"}]})")), "3");
  EXPECT_EQ(count(member(R"("exactMatch":{"name":"n1"})") + "," + member(R"("regexMatch":{"pattern":"^n"})")), "2");
  fixture.see(hyper_node("h", member(R"("labelMatch":{})")));
  EXPECT_THAT(run("h"), IsEmpty());  // 0, which is what it says
  EXPECT_THAT(fixture.json(VolcanoKind::HyperNode, "h", {"status", "nodeCount"}), "");
}

TEST_F(HyperNodeController, SelectorsThatCannotBeReadSelectNothing) {
  fixture.see(node("n1", R"("rack":"a")"));
  for (const std::string selector :
       {R"("regexMatch":{"pattern":"("})", R"("regexMatch":{"pattern":7})", R"("regexMatch":[])",
        R"("exactMatch":null)", R"("labelMatch":{"matchExpressions":[{"key":"rack","operator":"Near"}]})",
        R"("labelMatch":"rack")"}) {
    fixture.see(hyper_node("h", member(selector)));
    EXPECT_THAT(run("h"), IsEmpty()) << selector;
  }
  fixture.see(hyper_node("h", R"(1,null,{"selector":7})"));
  EXPECT_THAT(run("h"), IsEmpty());
}

TEST_F(HyperNodeController, CountsAgainWhenNodesChange) {
  fixture.see(hyper_node("by-label", member(R"("labelMatch":{"matchLabels":{"rack":"a"}})")));
  fixture.see(hyper_node("by-name", member(R"("exactMatch":{"name":"n1"})")));
  EXPECT_THAT(fixture.see(node("n1", R"("rack":"a")"), controller), ElementsAre("*nodes", "*label"));
  EXPECT_THAT(run("*nodes"), ElementsAre(R"(patch hypernodes/by-label/status {"status":{"nodeCount":1}})"));
  EXPECT_THAT(run("*nodes"), IsEmpty());
  EXPECT_THAT(fixture.see(node("n1", R"("rack":"a")"), controller), IsEmpty());  // a heartbeat
  fixture.see(node("n1", R"("rack":"b")"));
  EXPECT_THAT(run("*nodes"), ElementsAre(R"(patch hypernodes/by-label/status {"status":{"nodeCount":0}})"));
  EXPECT_THAT(fixture.lose(VolcanoKind::Node, "n1", controller), ElementsAre("*nodes", "*label"));
}

TEST_F(HyperNodeController, DiscoversTiersFromLabels) {
  configure(kConfig);
  fixture.see(node("n1", R"("tor":"t1","spine":"s1")"));
  fixture.see(node("n2", R"("tor":"t1","spine":"s1")"));
  fixture.see(node("n3", R"("tor":"t2","spine":"s1")"));
  fixture.see(node("n4", R"("tor":"t3")"));    // no spine
  fixture.see(node("n5", R"("spine":"s2")"));  // without the lower label it is nowhere
  run(kDiscoveryItem);
  ASSERT_THAT(names(), SizeIs(4));
  std::vector<std::string> all;
  std::string spine;
  for (const std::string& name : names()) {
    if (name.starts_with("hypernode-topologya3-tier2-")) spine = name;
    if (name.starts_with("hypernode-topologya3-tier1-")) all.push_back(members(name));
  }
  EXPECT_THAT(all, ::testing::UnorderedElementsAre("Node n1 Node n2 ", "Node n3 ", "Node n4 "));
  EXPECT_EQ(fixture.json(VolcanoKind::HyperNode, spine, {"spec", "tier"}), "2");
  EXPECT_EQ(fixture.json(VolcanoKind::HyperNode, spine, {"spec", "tierName"}), R"("spine")");
  EXPECT_EQ(fixture.json(VolcanoKind::HyperNode, spine, {"metadata", "labels"}),
            R"({"spine":"s1","volcano.sh/network-topology-source":"label"})");
  EXPECT_THAT(members(spine), HasSubstr("HyperNode hypernode-topologya3-tier1-"));
  EXPECT_THAT(run(kDiscoveryItem), IsEmpty());
}

TEST_F(HyperNodeController, NamesDoNotDependOnTheOrderOfThings) {
  configure(kConfig);
  fixture.see(node("n1", R"("tor":"t1")"));
  fixture.see(node("n2", R"("tor":"t2")"));
  run(kDiscoveryItem);
  const std::vector<std::string> first = names();
  for (const std::string& name : first) fixture.lose(VolcanoKind::HyperNode, name);
  fixture.lose(VolcanoKind::Node, "n1");
  run(kDiscoveryItem);
  fixture.see(node("n0", R"("tor":"t1")"));
  run(kDiscoveryItem);
  EXPECT_EQ(names(), first);
}

TEST_F(HyperNodeController, UsesNamesThatVolcanoChose) {
  configure(kConfig);
  const std::string labels = R"("tor":"t1","volcano.sh/network-topology-source":"label")";
  fixture.see(hyper_node("hypernode-topologya3-tier1-x7k2p", member(R"("exactMatch":{"name":"old"})"), labels));
  fixture.see(hyper_node("hypernode-topologya3-tier10-x7k2p", member(R"("exactMatch":{"name":"old"})"), labels));
  fixture.see(node("n1", R"("tor":"t1")"));
  EXPECT_THAT(run(kDiscoveryItem),
              ElementsAre(R"(patch hypernodes/hypernode-topologya3-tier1-x7k2p {"spec":{"tierName":"tor","members":)"
                          R"([{"type":"Node","selector":{"exactMatch":{"name":"n1"}}}]}})",
                          "then", "delete hypernodes/hypernode-topologya3-tier10-x7k2p Background"));
  EXPECT_THAT(run(kDiscoveryItem), IsEmpty());
}

TEST_F(HyperNodeController, OthersAreLeftAlone) {
  configure(kConfig);
  fixture.see(hyper_node("mine", member(R"("exactMatch":{"name":"n1"})")));
  fixture.see(
      hyper_node("ufm", member(R"("exactMatch":{"name":"n1"})"), R"("volcano.sh/network-topology-source":"ufm")"));
  fixture.see(node("n1", R"("tor":"t1")"));
  run(kDiscoveryItem);
  EXPECT_THAT(names(), SizeIs(3));
  fixture.see(node("n1"));
  run(kDiscoveryItem);
  EXPECT_THAT(names(), ElementsAre("mine", "ufm"));
}

TEST_F(HyperNodeController, SwitchedOffTheyStay) {
  configure(kConfig);
  fixture.see(node("n1", R"("tor":"t1")"));
  run(kDiscoveryItem);
  configure("networkTopologyDiscovery:\n- source: label\n  enabled: false\n");
  fixture.see(node("n1"));
  EXPECT_THAT(run(kDiscoveryItem), IsEmpty());
  EXPECT_THAT(names(), SizeIs(1));
  fixture.lose(VolcanoKind::ConfigMap, "volcano-system/volcano-controller-configmap");
  EXPECT_THAT(run(kDiscoveryItem), IsEmpty());
}

TEST_F(HyperNodeController, AConfigurationThatCannotBeReadChangesNothing) {
  configure(kConfig);
  fixture.see(node("n1", R"("tor":"t1")"));
  run(kDiscoveryItem);
  for (const std::string yaml : {"a: [", "networkTopologyDiscovery: 7", "networkTopologyDiscovery: [7]",
                                 "networkTopologyDiscovery: [{source: label, enabled: maybe}]",
                                 "networkTopologyDiscovery: [{source: label, enabled: true, config: 7}]"}) {
    configure(yaml);
    const Lines lines = run(kDiscoveryItem);
    ASSERT_THAT(lines, SizeIs(1)) << yaml;
    EXPECT_THAT(lines[0], HasSubstr("event Warning InvalidTopologyDiscovery: volcano-controller.conf: ")) << yaml;
  }
}

TEST(DiscoveryConfig, LeavesOutWhatIsWrongAndSaysSo) {
  const auto config = read_label_discovery(R"(
networkTopologyDiscovery:
- source: label
  enabled: true
  config:
    networkTopologyTypes:
      a-name-of-more-than-twenty: [{nodeLabel: a}]
      twice: [{nodeLabel: a}, {nodeLabel: a}]
      empty: [{nodeLabel: ""}]
      typed: [{nodeLabel: [a]}]
      .dot: [{nodeLabel: a}]
      Good_1: [{nodeLabel: top}, {nodeLabel: bottom}]
      host: [{nodeLabel: kubernetes.io/hostname}]
)");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_THAT(config->complaints, SizeIs(5));
  ASSERT_THAT(config->topologies, SizeIs(2));
  EXPECT_THAT(config->topologies[0].labels, ElementsAre("bottom", "top"));
  EXPECT_EQ(hyper_node_prefix(config->topologies[0], 2), "hypernode-good-1-tier2-");
  EXPECT_THAT(config->topologies[1].labels, IsEmpty());
}

TEST(DiscoveryConfig, NothingIsOff) {
  for (const std::string_view yaml : {"", "{}", "networkTopologyDiscovery:", "networkTopologyDiscovery: []"}) {
    const auto config = read_label_discovery(yaml);
    ASSERT_TRUE(config) << yaml;
    EXPECT_FALSE(config->enabled);
  }
}

}  // namespace
}  // namespace basalt::volcano
