#include "control/node/node_object.h"

#include <gtest/gtest.h>

#include "control/node/node_test_time.h"
#include "kube/api/object_fields.h"

namespace basalt::node {
namespace {

NodeDescription some_node() {
  NodeDescription node{.name = "n1", .runtime = "local", .labels = {{"zone", "a"}}, .address = "10.0.0.1"};
  node.taints = {{.key = "k", .value = "v", .effect = "NoSchedule"}};
  node.capacity = {{"cpu", text::Quantity::from_units(4)}, {"memory", text::Quantity::parse("8Gi").value()}};
  node.reserved = {{"memory", text::Quantity::parse("1Gi").value()}, {"cpu", text::Quantity::from_units(100)}};
  return node;
}

bool holds(const text::Array* conditions, std::string_view type) {
  for (size_t i = 0; conditions != nullptr && i < conditions->size(); ++i) {
    const text::Object& one = (*conditions)[i].get_object();
    if (api::string_at(one, "type") == type) return api::string_at(one, "status") == "True";
  }
  return false;
}

TEST(NodeObject, IsReadyFromTheStart) {
  const text::Object node = node_object(some_node(), kNow);
  EXPECT_TRUE(holds(api::array_at(node, {"status", "conditions"}), "Ready"));
  EXPECT_FALSE(holds(api::array_at(node, {"status", "conditions"}), "MemoryPressure"));
  EXPECT_EQ(api::string_at(node, {"status", "allocatable", "memory"}), "7Gi");
  EXPECT_EQ(api::string_at(node, {"status", "allocatable", "cpu"}), "0") << "never below zero";
  EXPECT_EQ(api::string_at(node, {"status", "capacity", "cpu"}), "4");
  EXPECT_EQ(api::string_at(node, {"metadata", "labels", "kubernetes.io/hostname"}), "n1");
  EXPECT_EQ(api::string_at(node, {"metadata", "labels", "zone"}), "a");
  EXPECT_FALSE(api::object_at(node, {"status"})->contains("daemonEndpoints"));
  const text::Array unready = node_conditions(kNow, "no");
  EXPECT_FALSE(holds(&unready, "Ready"));
}

TEST(NodeObject, NothingChangesWhatIsInStep) {
  const NodeDescription described = some_node();
  const text::Object node = node_object(described, kNow);
  EXPECT_TRUE(node_change(described, node).empty());
  EXPECT_TRUE(node_status_change(described, node, kNow).empty());
}

TEST(NodeObject, IsBroughtInStep) {
  NodeDescription described = some_node();
  const text::Object node = node_object(described, kNow);
  described.labels["zone"] = "b";
  described.annotations["note"] = "x";
  described.taints[0].value = "w";
  described.capacity.erase("memory");
  EXPECT_EQ(text::to_json(node_change(described, node)),
            R"({"metadata":{"labels":{"zone":"b"},"annotations":{"note":"x"}},)"
            R"("spec":{"taints":[{"key":"k","effect":"NoSchedule","value":"w"}]}})");
  EXPECT_EQ(text::to_json(node_status_change(described, node, kNow)),
            R"({"capacity":{"cpu":"4","memory":null},"allocatable":{"cpu":"0","memory":null}})");
  const text::Object strange{{"metadata", 1}, {"spec", "x"}, {"status", text::Object{{"capacity", text::Array()}}}};
  EXPECT_TRUE(node_change(described, strange).contains("metadata"));
  EXPECT_TRUE(node_status_change(described, strange, kNow).contains("conditions"));
}

TEST(NodeObject, ReadsTaints) {
  EXPECT_EQ(parse_taint("a=b:NoSchedule").value(), (NodeTaint{"a", "b", "NoSchedule"}));
  EXPECT_EQ(parse_taint("a:NoExecute").value(), (NodeTaint{"a", "", "NoExecute"}));
  for (const std::string_view wrong : {"", "a", "a=b", ":NoSchedule", "=b:NoSchedule", "a=b:", "a=b:Never"}) {
    EXPECT_FALSE(parse_taint(wrong).has_value()) << wrong;
  }
}

TEST(NodeObject, HasAHeartbeat) {
  const text::Object lease = node_lease("n1", "uid", kNow);
  EXPECT_EQ(api::key_of(lease), "kube-node-lease/n1");
  EXPECT_EQ(api::int_at(lease, {"spec", "leaseDurationSeconds"}), 40);
  EXPECT_EQ(api::string_at(lease, {"spec", "renewTime"}), "2023-11-14T22:13:20.000000Z");
  EXPECT_EQ(text::to_json(lease_renewal(kNow)), R"({"spec":{"renewTime":"2023-11-14T22:13:20.000000Z"}})");
}

}  // namespace
}  // namespace basalt::node
