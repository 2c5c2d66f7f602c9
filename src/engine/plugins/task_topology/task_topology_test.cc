#include "engine/plugins/task_topology/task_topology.h"

#include <gtest/gtest.h>

#include "engine/core/node_search.h"
#include "engine/core/statement.h"
#include "engine/plugins/plugin_fixture.h"

namespace basalt::plugins {
namespace {

using engine::Statement;
using model::JobId;
using model::NodeId;
using model::TaskId;

class TaskTopologyTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.queue({.name = "q"});
    for (const char* name : {"n1", "n2", "n3"}) nodes_.push_back(world_.node({.name = name, .cpu = 4000}));
  }
  TaskId task(const std::string& name, const char* role, model::Amount cpu, const char* node = "") {
    return world_.task({.name = name, .group = "j", .node_name = node, .role = world_.state.names.intern(role)}, cpu);
  }
  std::vector<double> scores(TaskId id) { return engine::score_nodes(world_.session(), id, nodes_); }
  JobBuckets buckets(JobId job) {
    return JobBuckets(world_.state, job, *read_relations(world_.state.job(job), world_.state.names));
  }

  PluginFixture world_;
  std::vector<NodeId> nodes_;
};

// Two ps that repel each other, four workers drawn to a ps: two buckets of one ps and two workers.
TEST_F(TaskTopologyTest, spreads_the_repelled_and_shares_out_the_drawn) {
  const JobId job = world_.job({.name = "j", .topology_affinity = "ps,worker", .topology_anti_affinity = "ps"});
  std::vector<TaskId> ps, workers;
  for (const char* name : {"ps0", "ps1"}) ps.push_back(task(name, "ps", 1000));
  for (const char* name : {"w0", "w1", "w2", "w3"}) workers.push_back(task(name, "worker", 1000));
  const TaskId other = task("x", "monitor", 1000);
  const JobBuckets built = buckets(job);
  EXPECT_EQ(built.bucket_of(ps[0]), 0U);
  EXPECT_EQ(built.bucket_of(ps[1]), 1U);
  // Equal pull: the lighter bucket, so they alternate.
  for (size_t i = 0; i < workers.size(); ++i) EXPECT_EQ(built.bucket_of(workers[i]), i % 2);
  EXPECT_EQ(built.bucket_of(other), std::nullopt);
  EXPECT_EQ(built.largest(), 3);
}

TEST_F(TaskTopologyTest, scores_company_repulsion_and_what_fits_together) {
  world_.job({.name = "j", .topology_affinity = "ps,worker", .topology_anti_affinity = "ps"});
  const TaskId ps0 = task("ps0", "ps", 2000);
  const TaskId ps1 = task("ps1", "ps", 2000);
  const TaskId w0 = task("w0", "worker", 1000);
  task("w1", "worker", 1000);
  world_.task({.name = "full", .node_name = "n3"}, 1000);
  world_.task({.name = "fuller", .node_name = "n3"}, 500);
  world_.open<TaskTopology>();
  // Each bucket: a ps and a worker, 3000 in all. n3 has 2500: the worker gives way. Largest bucket: 2.
  EXPECT_EQ(scores(ps0), (std::vector<double>{100, 100, 50}));
  Statement statement(world_.session());
  statement.allocate(ps0, nodes_[0]);
  EXPECT_EQ(scores(w0), (std::vector<double>{100, 50, 50}));  // n1: 1 there + 1 waiting
  // n1 has 2000 left: ps1 fits, its worker does not: 2 waiting − 1 − 1 for ps0 there.
  EXPECT_EQ(scores(ps1), (std::vector<double>{0, 100, 50}));
  statement.rollback(0);
  EXPECT_EQ(scores(ps0), (std::vector<double>{100, 100, 50}));
}

TEST_F(TaskTopologyTest, remembers_placed_tasks_of_earlier_cycles) {
  world_.job({.name = "j", .topology_anti_affinity = "ps"});
  task("ps0", "ps", 1000, "n2");
  const TaskId ps1 = task("ps1", "ps", 1000);
  world_.open<TaskTopology>();
  EXPECT_EQ(scores(ps1), (std::vector<double>{100, 0, 100}));  // n2: 1 waiting − 1 repelled
}

TEST_F(TaskTopologyTest, columns_follow_the_buckets) {
  world_.job({.name = "j", .topology_affinity = "worker"});
  const TaskId w0 = task("w0", "worker", 1000);
  const TaskId w1 = task("w1", "worker", 1000);
  world_.task({.name = "full", .node_name = "n1"}, 3500);
  world_.open<TaskTopology>();
  EXPECT_EQ(engine::best_node(world_.session(), w0)->node, nodes_[1]);
  Statement statement(world_.session());
  statement.allocate(w0, nodes_[2]);
  EXPECT_EQ(engine::best_node(world_.session(), w1)->node, nodes_[2]);
  statement.rollback(0);
  EXPECT_EQ(engine::best_node(world_.session(), w1)->node, nodes_[1]);
}

TEST_F(TaskTopologyTest, orders_tasks_by_bucket_and_role) {
  world_.job({.name = "j", .topology_affinity = "ps,worker", .topology_task_order = "worker,ps"});
  const TaskId other = task("a-a-0", "monitor", 1000);
  const TaskId ps = task("a-a-1", "ps", 1000);
  const TaskId worker = task("a-a-2", "worker", 1000);
  world_.open<TaskTopology>();
  EXPECT_TRUE(world_.session().task_before(worker, ps));
  EXPECT_TRUE(world_.session().task_before(ps, other));
}

TEST_F(TaskTopologyTest, ignores_annotations_that_do_not_describe_the_job) {
  const JobId job = world_.job({.name = "j", .topology_affinity = "ps,typo"});
  task("ps0", "ps", 1000);
  EXPECT_FALSE(read_relations(world_.state.job(job), world_.state.names));
  world_.job({.name = "j", .topology_affinity = "ps,ps"});
  EXPECT_FALSE(read_relations(world_.state.job(job), world_.state.names));
  world_.open<TaskTopology>();
  EXPECT_TRUE(world_.session().hooks.scaled_scores.empty());
}

}  // namespace
}  // namespace basalt::plugins
