#include "engine/plugins/nodegroup.h"

#include <gtest/gtest.h>

#include "engine/core/node_search.h"
#include "engine/core/statement.h"
#include "engine/plugins/plugin_fixture.h"

namespace basalt::plugins {
namespace {

using engine::Argument;
using model::NodeId;
using model::TaskId;

class NodeGroupTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* group : {"g1", "g2", "g3", "g4"}) {
      nodes_.push_back(world_.node(
          {.name = std::string("n-") + group, .cpu = 8000, .labels = {{"volcano.sh/nodegroup-name", group}}}));
    }
    nodes_.push_back(world_.node({.name = "plain", .cpu = 8000}));
    world_.job({.name = "j"});
    task_ = world_.task({.name = "t", .group = "j"}, 1000);
  }
  // "" where the node takes the task, else why not.
  std::vector<std::string> refusals() {
    std::vector<std::string> texts;
    for (const NodeId node : nodes_) {
      const auto& verdict = world_.session().memory.verdicts[engine::filter_node(world_.session(), task_, node)];
      texts.emplace_back(verdict.reasons.empty() ? "" : world_.session().memory.verdicts.text(verdict.reasons[0]));
    }
    return texts;
  }
  std::vector<double> scores() { return engine::score_nodes(world_.session(), task_, nodes_); }

  const std::string unwanted_ = "node does not satisfy the node group affinity";
  const std::string no_label_ = "node group label not found";
  const std::string over_ = "node group resource limit exceeded";
  PluginFixture world_;
  std::vector<NodeId> nodes_;
  TaskId task_;
};

TEST_F(NodeGroupTest, wanted_avoided_and_preferably_avoided_groups) {
  world_.queue({.name = "q",
                .has_affinity = true,
                .group_affinity = {.required = {"g1", "g3"}, .preferred = {"g3"}},
                .group_anti_affinity = {.required = {"g2", "g4"}, .preferred = {"g4"}}});
  world_.open<NodeGroup>();
  EXPECT_EQ(refusals(), (std::vector<std::string>{"", unwanted_, "", "", no_label_}));
  EXPECT_EQ(scores(), (std::vector<double>{100, 0, 150, -1, 0}));
}

TEST_F(NodeGroupTest, a_queue_that_only_avoids_may_use_all_other_groups) {
  world_.queue({.name = "q", .has_affinity = true, .group_anti_affinity = {.required = {"g2"}, .preferred = {}}});
  world_.open<NodeGroup>();
  EXPECT_EQ(refusals(), (std::vector<std::string>{"", unwanted_, "", "", no_label_}));
}

TEST_F(NodeGroupTest, queue_without_rules_gets_unlabelled_nodes_if_not_strict) {
  world_.queue({.name = "q"});
  world_.open<NodeGroup>();
  const std::string unruled = "node group affinity not specified";
  EXPECT_EQ(refusals(), (std::vector<std::string>{unruled, unruled, unruled, unruled, no_label_}));
  world_.open<NodeGroup>({{"strict", Argument{false}}});
  EXPECT_EQ(refusals().back(), "");
}

TEST_F(NodeGroupTest, order_of_preference_and_inheritance) {
  world_.queue({.name = "root"});
  world_.queue({.name = "top", .has_affinity = true, .group_affinity = {.required = {}, .preferred = {"g1", "g3"}}});
  world_.queue({.name = "mid", .parent = "top"});
  world_.queue({.name = "q", .parent = "mid"});
  world_.open<NodeGroup>({{"enablePreferredOrder", Argument{true}}});
  EXPECT_EQ(scores(), (std::vector<double>{50, 0, 25, 0, 0}));  // 50·2/2 and 50·1/2
  EXPECT_EQ(refusals(), (std::vector<std::string>{"", unwanted_, "", unwanted_, no_label_}));
}

TEST_F(NodeGroupTest, limits_follow_every_placement_and_every_undo) {
  model::Quota limit;
  limit.set(model::kCpu, 2000);
  world_.queue({.name = "q",
                .has_affinity = true,
                .group_affinity = {.required = {"g1", "g2"}, .preferred = {}},
                .group_limits = {{"g1", limit}}});
  world_.task({.name = "running", .group = "j", .node_name = "n-g1"}, 500);
  const TaskId other = world_.task({.name = "u", .group = "j"}, 1000);
  world_.open<NodeGroup>();
  EXPECT_EQ(refusals()[0], "");  // 500 + 1000 ≤ 2000
  engine::Statement statement(world_.session());
  statement.allocate(other, nodes_[0]);
  EXPECT_EQ(refusals()[0], over_);  // 1500 + 1000
  EXPECT_EQ(refusals()[1], "");
  statement.evict(world_.state.find_task("running"), task_, "preempt");
  EXPECT_EQ(refusals()[0], "");  // 1000 + 1000
  statement.rollback(1);
  EXPECT_EQ(refusals()[0], over_);
  statement.rollback(0);
  EXPECT_EQ(refusals()[0], "");
}

TEST_F(NodeGroupTest, unreadable_limits_refuse_everything) {
  world_.queue({.name = "q",
                .has_affinity = true,
                .group_affinity = {.required = {"g1"}, .preferred = {}},
                .group_limits_malformed = true});
  world_.open<NodeGroup>();
  EXPECT_EQ(refusals()[0], "node group resource limit annotation invalid");
}

TEST_F(NodeGroupTest, tasks_that_change_queue_change_class) {
  world_.queue({.name = "q", .has_affinity = true, .group_affinity = {.required = {"g1"}, .preferred = {}}});
  world_.queue({.name = "r", .has_affinity = true, .group_affinity = {.required = {"g2"}, .preferred = {}}});
  world_.open<NodeGroup>();
  EXPECT_EQ(engine::best_node(world_.session(), task_)->node, nodes_[0]);
  world_.job({.name = "j", .queue = "r"});
  world_.open<NodeGroup>();
  EXPECT_EQ(engine::best_node(world_.session(), task_)->node, nodes_[1]);
}

}  // namespace
}  // namespace basalt::plugins
