// Simulated nodes as objects: how they register, are taken over, break and go.
#include <gtest/gtest.h>

#include "kube/api/object_fields.h"
#include "tests/simulated/simulated_nodes_fixture.h"

namespace basalt {
namespace {

node::SimulatedNodesOptions groups(std::initializer_list<std::string_view> texts) {
  node::SimulatedNodesOptions options;
  for (const std::string_view text : texts) {
    auto group = node::parse_simulated_group(text);
    EXPECT_TRUE(group.has_value()) << (group ? "" : group.error().message);
    if (group) options.groups.push_back(std::move(*group));
  }
  return options;
}

TEST(SimulatedNodes, AreReadyAndSchedulableAtOnce) {
  SimulatedNodesFixture fixture(
      groups({"2", "1:cpu=64,nvidia.com/gpu=8,name=gpu,label=zone=a,taint=gpu=yes:NoSchedule"}));
  fixture.settle();
  EXPECT_EQ(fixture.list("nodes").size(), 3U);
  EXPECT_EQ(fixture.at("nodes", "sim-0", "spec.taints"), "");
  EXPECT_EQ(fixture.at("nodes", "sim-0", "status.allocatable.cpu"), "32");
  EXPECT_EQ(fixture.at("nodes", "sim-0", "status.allocatable.memory"), "128Gi");
  EXPECT_EQ(fixture.at("nodes", "sim-0", "status.allocatable.pods"), "110");
  EXPECT_EQ(fixture.at("nodes", "sim-0", "status.allocatable.ephemeral-storage"), "1Ti") << "pods may ask for it";
  EXPECT_EQ(fixture.at("nodes", "gpu-0", "status.capacity"),
            R"({"cpu":"64","ephemeral-storage":"1Ti","memory":"128Gi","nvidia.com/gpu":"8","pods":"110"})");
  EXPECT_EQ(fixture.at("nodes", "gpu-0", "metadata.labels.zone"), "a");
  EXPECT_EQ(fixture.at("nodes", "gpu-0", "spec.taints"), R"([{"key":"gpu","effect":"NoSchedule","value":"yes"}])");
  const client::ObjectPtr node = fixture.get("nodes", "sim-1");
  const text::Object* labels = api::object_at(node->get_object(), {"metadata", "labels"});
  EXPECT_EQ(api::string_at(*labels, "kubernetes.io/hostname"), "sim-1");
  EXPECT_EQ(api::string_at(*labels, "kubernetes.io/os"), "linux");
  EXPECT_EQ(api::string_at(*labels, "basalt.sh/runtime"), "simulated");
}

TEST(SimulatedNodes, CostNothingWhileNothingHappens) {
  SimulatedNodesFixture fixture(0);
  fixture.settle();  // what upkeep does in any new cluster
  fixture.restart_nodes({.groups = {{.count = 20}}});
  EXPECT_EQ(fixture.settle(), 40U) << "made, and the taint of a new node taken off";
  fixture.pass(Duration::seconds(3600));
  EXPECT_EQ(fixture.settle(), 0U);
  for (const client::ObjectPtr& node : fixture.list("nodes")) {
    EXPECT_EQ(api::array_at(node->get_object(), {"spec", "taints"}), nullptr);
  }
}

TEST(SimulatedNodes, AreTakenOverAndBroughtInStep) {
  SimulatedNodesFixture fixture(groups({"2:cpu=8,example.com/old=1,label=zone=a"}));
  fixture.settle();
  fixture.patch("nodes", "sim-0", R"({"metadata":{"labels":{"mine":"yes"}},"spec":{"unschedulable":true}})");
  fixture.settle();
  fixture.restart_nodes(groups({"3:cpu=16,label=zone=b,taint=k=v:NoExecute"}));
  fixture.settle();
  EXPECT_EQ(fixture.list("nodes").size(), 3U);
  EXPECT_EQ(fixture.at("nodes", "sim-0", "status.capacity"),
            R"({"cpu":"16","ephemeral-storage":"1Ti","memory":"128Gi","pods":"110"})");
  EXPECT_EQ(fixture.at("nodes", "sim-0", "status.allocatable.cpu"), "16");
  EXPECT_EQ(fixture.at("nodes", "sim-0", "metadata.labels.zone"), "b");
  EXPECT_EQ(fixture.at("nodes", "sim-0", "metadata.labels.mine"), "yes") << "of others";
  EXPECT_EQ(fixture.at("nodes", "sim-0", "spec.unschedulable"), "true");
  EXPECT_NE(fixture.at("nodes", "sim-0", "spec.taints").find(R"("key":"k")"), std::string::npos);
  EXPECT_NE(fixture.at("nodes", "sim-0", "spec.taints").find("unschedulable"), std::string::npos);
  fixture.patch("nodes", "sim-1", R"({"status":{"capacity":{"cpu":"4"},"allocatable":{"cpu":"4"}}})", "status");
  fixture.settle();
  EXPECT_EQ(fixture.at("nodes", "sim-1", "status.allocatable.cpu"), "4") << "brought in step only once";
}

TEST(SimulatedNodes, OfTheSameNameThatAreNotOursStayAsTheyAre) {
  SimulatedNodesFixture fixture(0);
  fixture.create("nodes", "{apiVersion: v1, kind: Node, metadata: {name: sim-0}}");
  fixture.restart_nodes({.groups = {{.count = 1}}});
  fixture.settle();
  EXPECT_EQ(fixture.at("nodes", "sim-0", "status.capacity"), "");
  fixture.run("");
  fixture.settle();
  EXPECT_EQ(fixture.shown(), "0/1 Pending 0");
}

TEST(SimulatedNodes, ThatAreDeletedStayAwayUntilTheNextStart) {
  SimulatedNodesFixture fixture;
  fixture.settle();
  fixture.remove("nodes", "sim-1");
  fixture.pass(Duration::seconds(600));
  EXPECT_EQ(fixture.list("nodes").size(), 1U);
  fixture.restart_nodes({.groups = {{.count = 2}}});
  fixture.settle();
  EXPECT_EQ(fixture.list("nodes").size(), 2U);
}

TEST(SimulatedNodes, CanBeBroken) {
  SimulatedNodesFixture fixture;
  fixture.settle();
  constexpr std::string_view kBroken = R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})";
  constexpr std::string_view kLost = R"({"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})";
  fixture.patch("nodes", "sim-0", kBroken, "status");
  fixture.patch("nodes", "sim-1", kLost, "status");
  fixture.pass(Duration::seconds(1));
  EXPECT_NE(fixture.at("nodes", "sim-0", "spec.taints").find("not-ready"), std::string::npos);
  EXPECT_EQ(fixture.at("nodes", "sim-1", "spec.taints"), "") << "it says that it is there";
}

TEST(SimulatedNodes, RunPodsByTheOptionsAndTheSeed) {
  const auto ends = [](uint64_t seed) {
    node::SimulatedNodesOptions options{.groups = {{.count = 1}}, .seed = seed, .run_seconds = "10..1000"};
    SimulatedNodesFixture fixture(std::move(options));
    fixture.settle();
    fixture.run("");
    fixture.pass(Duration::seconds(1000));
    EXPECT_EQ(fixture.at("pods", "p", "status.phase"), "Succeeded");
    return fixture.at("pods", "p", "status.containerStatuses.0.state.terminated.finishedAt");
  };
  EXPECT_EQ(ends(1), ends(1));
  EXPECT_NE(ends(1), ends(2));
}

TEST(SimulatedNodes, RefuseOptionsThatCannotBe) {
  SimulatedNodesFixture fixture;
  const auto refusal = [&](node::SimulatedNodesOptions options) {
    const auto made = node::SimulatedNodes::make(fixture.client(), std::move(options));
    return made ? std::string() : made.error().message;
  };
  EXPECT_NE(refusal({.groups = {{.count = 1}, {.count = 2}}}).find("two groups"), std::string::npos);
  EXPECT_NE(refusal({.groups = {{.name = "a", .count = 60'000}, {.name = "b", .count = 60'000}}}).find("at most"),
            std::string::npos);
  EXPECT_NE(refusal({.groups = {{.name = "A_b", .count = 1}}}), "");
  EXPECT_NE(refusal({.groups = {{.count = 1, .taints = {"x"}}}}).find("key=value:Effect"), std::string::npos);
  EXPECT_NE(refusal({.groups = {{.count = 1}}, .run_seconds = "soon"}).find("10..60"), std::string::npos);
}

}  // namespace
}  // namespace basalt
