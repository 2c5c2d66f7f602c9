#include "engine/model/cluster_state.h"

#include <gtest/gtest.h>

namespace basalt::model {
namespace {

class Cluster : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(state.verify(), ""); }

  NodeId node(const std::string& name, Amount cpu, Amount pods = 10) {
    NodeSpec spec{.name = name, .max_pods = pods};
    spec.allocatable.at(kCpu) = cpu;
    spec.allocatable.at(kPods) = pods;
    return state.upsert_node(std::move(spec));
  }
  ShapeId shape(Amount cpu) {
    PodShape made;
    if (cpu > 0) made.request.push_back({.id = kCpu, .amount = cpu});
    made.request.push_back({.id = kPods, .amount = 1});
    made.best_effort = cpu == 0;
    return state.shapes.intern(made);
  }
  struct Pod {
    std::string uid, group;
    Amount cpu = 1000;
    TaskStatus status = TaskStatus::Pending;
    std::string node;
    std::string role;
    std::string replica;
    std::string nominated;
  };
  TaskId pod(const Pod& wanted) {
    TaskSpec spec{.ns = "ns", .name = wanted.uid, .uid = wanted.uid, .group = wanted.group, .node_name = wanted.node};
    spec.status = wanted.status;
    spec.shape = shape(wanted.cpu);
    LabelSet labels;
    if (!wanted.replica.empty()) {
      labels.push_back({.key = state.names.intern("replica"), .value = state.names.intern(wanted.replica)});
    }
    spec.labels = state.label_sets.intern(labels);
    spec.role = state.names.intern(wanted.role);
    spec.nominated_node = wanted.nominated;
    return state.upsert_task(spec);
  }
  JobId job(const std::string& name, int32_t min_available = 1, const std::string& queue = "q") {
    return state.upsert_job({.ns = "ns", .name = name, .queue = queue, .min_available = min_available});
  }
  Amount idle_cpu(NodeId id) { return state.idle(id)[kCpu.index()]; }
  Amount future_cpu(NodeId id) { return state.future_idle(id)[kCpu.index()]; }

  ClusterState state;
};

TEST_F(Cluster, AccountsByStatus) {
  const NodeId n = node("n", 10'000);
  pod({.uid = "run", .cpu = 1000, .status = TaskStatus::Running, .node = "n"});
  pod({.uid = "bye", .cpu = 2000, .status = TaskStatus::Releasing, .node = "n"});
  pod({.uid = "done", .cpu = 4000, .status = TaskStatus::Succeeded, .node = "n"});  // holds nothing
  const TaskId waits = pod({.uid = "waits", .cpu = 500});
  EXPECT_EQ(idle_cpu(n), 7000);    // 10000 − 1000 − 2000
  EXPECT_EQ(future_cpu(n), 9000);  // the releasing 2000 come back
  state.move_task(waits, TaskStatus::Pipelined, n, /*in_view=*/true);
  EXPECT_EQ(idle_cpu(n), 7000);
  EXPECT_EQ(future_cpu(n), 8500);
  EXPECT_EQ(state.node(n).view_pods, 3);
  EXPECT_EQ(state.verify(), "");
  state.move_task(waits, TaskStatus::Pending, NodeId(), /*in_view=*/false);
  EXPECT_EQ(future_cpu(n), 9000);
}

TEST_F(Cluster, MovesAreUndoneByMovesBack) {
  const NodeId n = node("n", 4000);
  job("j", 2);
  const TaskId a = pod({.uid = "a", .group = "j", .status = TaskStatus::Running, .node = "n"});
  const TaskId b = pod({.uid = "b", .group = "j"});
  const uint64_t before = state.hash();
  state.move_task(a, TaskStatus::Releasing, n, /*in_view=*/false);
  state.move_task(b, TaskStatus::Pipelined, n, /*in_view=*/true);
  EXPECT_NE(state.hash(), before);
  state.move_task(b, TaskStatus::Pending, NodeId(), /*in_view=*/false);
  state.move_task(a, TaskStatus::Running, n, /*in_view=*/true);
  EXPECT_EQ(state.hash(), before);
}

TEST_F(Cluster, ANodeThatLeavesKeepsItsPodsWaiting) {
  const NodeId n = node("n", 4000);
  node("other", 4000);
  job("j");
  const TaskId run = pod({.uid = "run", .group = "j", .status = TaskStatus::Running, .node = "n"});
  pod({.uid = "bye", .group = "j", .status = TaskStatus::Releasing, .node = "n"});
  const JobId j = state.find_job("ns", "j");
  EXPECT_EQ(state.job(j).releasing_on_node, 1);
  state.remove_node("n");
  EXPECT_FALSE(state.find_node("n").valid());
  EXPECT_FALSE(state.task(run).node.valid());
  EXPECT_EQ(state.job(j).releasing_on_node, 0);  // Releasing, but on no node that is here
  EXPECT_EQ(state.total_allocatable()[kCpu], 4000);
  EXPECT_EQ(state.total_used()[kCpu], 0);
  EXPECT_EQ(state.nodes_by_name().size(), 1U);
  EXPECT_EQ(state.verify(), "");

  const NodeId back = node("n", 6000);
  EXPECT_EQ(back, n);  // the row is recycled
  EXPECT_EQ(state.task(run).node, back);
  EXPECT_EQ(idle_cpu(back), 4000);
  EXPECT_EQ(state.job(j).releasing_on_node, 1);
  EXPECT_EQ(state.nodes_by_name().size(), 2U);
}

TEST_F(Cluster, APodMayComeBeforeItsNodeAndLeaveBeforeIt) {
  pod({.uid = "early", .status = TaskStatus::Running, .node = "n"});
  pod({.uid = "gone", .status = TaskStatus::Running, .node = "n"});
  state.remove_task("gone");
  const NodeId n = node("n", 4000);
  EXPECT_EQ(idle_cpu(n), 3000);
  EXPECT_EQ(state.node(n).tasks.size(), 1U);
}

TEST_F(Cluster, ARecycledRowIsAnotherNode) {
  const NodeId old = node("old", 4000);
  const uint64_t spec_version = state.node(old).spec_version;
  const uint64_t set_version = state.node_set_version();
  state.remove_node("old");
  const NodeId fresh = node("fresh", 1000);
  EXPECT_EQ(fresh, old);
  EXPECT_GT(state.node(fresh).spec_version, spec_version);
  EXPECT_GT(state.node_set_version(), set_version);
  EXPECT_EQ(idle_cpu(fresh), 1000);
}

TEST_F(Cluster, ANominationFollowsTheNameNotTheRow) {
  const TaskId task = pod({.uid = "p", .nominated = "n"});
  EXPECT_TRUE(state.task(task).nominated_unknown);
  const NodeId n = node("n", 4000);
  EXPECT_EQ(state.task(task).nominated, n);
  EXPECT_FALSE(state.task(task).nominated_unknown);
  state.remove_node("n");
  const NodeId other = node("other", 4000);  // takes the row
  EXPECT_EQ(other, n);
  EXPECT_FALSE(state.task(task).nominated.valid());
  EXPECT_TRUE(state.task(task).nominated_unknown);
  pod({.uid = "p"});  // the nomination is withdrawn
  node("n", 4000);
  EXPECT_FALSE(state.task(state.find_task("p")).nominated.valid());
}

TEST_F(Cluster, AnUnchangedNodeIsNoEvent) {
  node("n", 4000);
  const uint64_t version = state.version();
  node("n", 4000);
  EXPECT_EQ(state.version(), version);
  node("n", 5000);
  EXPECT_GT(state.version(), version);
}

TEST_F(Cluster, ANodeMayShrinkBelowItsUse) {
  const NodeId n = node("n", 4000);
  pod({.uid = "p", .cpu = 3000, .status = TaskStatus::Running, .node = "n"});
  node("n", 1000);
  EXPECT_EQ(idle_cpu(n), -2000);
  state.remove_task("p");
  EXPECT_EQ(idle_cpu(n), 1000);
}

TEST_F(Cluster, NewResourceNamesWidenWhatIsThere) {
  const NodeId n = node("n", 4000);
  pod({.uid = "p", .status = TaskStatus::Running, .node = "n"});
  for (int i = 0; i < 9; ++i) state.schema.intern("example.com/r" + std::to_string(i));
  const ResourceId last = state.schema.find("example.com/r8");
  NodeSpec spec{.name = "wide", .max_pods = 1};
  spec.allocatable.at(last) = 7;
  const NodeId wide = state.upsert_node(std::move(spec));
  EXPECT_EQ(state.idle(wide)[last.index()], 7);
  EXPECT_EQ(state.idle(n)[last.index()], 0);
  EXPECT_EQ(idle_cpu(n), 3000);
}

// A queue's capability or a pod that is refused can name resources before any node or pod has them.
TEST_F(Cluster, ResourceNamesThatNobodyHasAreHarmless) {
  node("a", 4000);
  const NodeId b = node("b", 4000);
  node("c", 4000);
  const uint64_t before = state.hash();
  for (int i = 0; i < 9; ++i) state.schema.intern("example.com/r" + std::to_string(i));
  EXPECT_EQ(state.verify(), "");
  EXPECT_EQ(state.hash(), before);
  state.remove_node("a");
  EXPECT_EQ(idle_cpu(b), 4000);
  EXPECT_EQ(state.verify(), "");
}

TEST_F(Cluster, JobsMayComeAfterTheirPodsAndLeaveBefore) {
  const TaskId task = pod({.uid = "p", .group = "j"});
  const JobId j = state.task(task).job;
  EXPECT_FALSE(state.job(j).has_pod_group);
  EXPECT_FALSE(state.job(j).schedulable());
  EXPECT_EQ(job("j", 1), j);
  EXPECT_FALSE(state.job(j).schedulable());  // its queue is not here
  state.upsert_queue({.name = "q"});
  EXPECT_TRUE(state.job(j).schedulable());
  state.remove_queue("q");
  EXPECT_FALSE(state.job(j).schedulable());
  state.remove_job("ns", "j");
  EXPECT_TRUE(state.job(j).alive);  // pods still name it
  EXPECT_EQ(state.job(j).min_available, 0);
  state.remove_task("p");
  EXPECT_FALSE(state.job(j).alive);
  EXPECT_FALSE(state.find_job("ns", "j").valid());
}

TEST_F(Cluster, ARecycledJobRowIsNew) {
  const JobId first = job("a", 5);
  const uint64_t version = state.job(first).version;
  state.remove_job("ns", "a");
  const JobId second = job("b", 1);
  EXPECT_EQ(second, first);
  EXPECT_GT(state.job(second).version, version);  // what was remembered about "a" does not hold for "b"
  EXPECT_EQ(state.job(second).min_available, 1);
}

TEST_F(Cluster, PriorityClassesReachJobs) {
  state.upsert_priority_class("default", 5, /*global_default=*/true);
  JobSpec spec{.ns = "ns", .name = "j"};
  spec.priority_class = "high";
  const JobId j = state.upsert_job(spec);
  EXPECT_EQ(state.job(j).priority, 5);
  state.upsert_priority_class("high", 100, false);
  EXPECT_EQ(state.job(j).priority, 100);
  state.remove_priority_class("high");
  EXPECT_EQ(state.job(j).priority, 5);
  state.remove_priority_class("default");
  EXPECT_EQ(state.job(j).priority, 0);
}

TEST_F(Cluster, SubJobsFollowLabels) {
  JobSpec spec{.ns = "ns", .name = "j"};
  SubGroupPolicy policy{.name = "rep", .size = 2, .min_groups = 1};
  policy.selector.nothing = true;
  policy.match_label_keys = {state.names.intern("replica")};
  spec.sub_groups = {policy};
  const JobId j = state.upsert_job(spec);
  const TaskId a = pod({.uid = "a", .group = "j", .replica = "10"});
  const TaskId b = pod({.uid = "b", .group = "j", .replica = "10"});
  const TaskId c = pod({.uid = "c", .group = "j", .replica = "2"});
  const TaskId loose = pod({.uid = "loose", .group = "j"});  // lacks the label: the default sub-job
  const auto sub_of = [&](TaskId t) -> const SubJob& { return state.job(j).sub_jobs[state.task(t).sub_job_index]; };
  EXPECT_EQ(sub_of(a).id, "ns/j/rep-10");
  EXPECT_EQ(sub_of(a).id, sub_of(b).id);
  EXPECT_EQ(sub_of(a).match_index, 10);
  EXPECT_EQ(sub_of(a).min_available, 2);
  EXPECT_EQ(sub_of(c).match_index, 2);
  EXPECT_EQ(sub_of(loose).policy, -1);
  EXPECT_EQ(sub_of(loose).min_available, 1);
  state.remove_task("a");
  EXPECT_EQ(sub_of(b).tasks.size(), 1U);
  spec.sub_groups.clear();
  spec.min_available = 3;
  state.upsert_job(spec);  // without policies: one sub-job with the job's minimum
  EXPECT_EQ(state.job(j).sub_jobs.size(), 1U);
  EXPECT_EQ(sub_of(b).min_available, 3);
}

TEST_F(Cluster, RolesKeepTheirMinimums) {
  JobSpec spec{.ns = "ns", .name = "j", .min_available = 3};
  spec.min_task_member = {{state.names.intern("master"), 1}, {state.names.intern("worker"), 2}};
  const JobId j = state.upsert_job(spec);
  EXPECT_EQ(state.job(j).min_task_total, 3);
  const TaskId w = pod({.uid = "w", .group = "j", .role = "worker"});
  const TaskId x = pod({.uid = "x", .group = "j", .role = "extra"});
  EXPECT_EQ(state.job(j).roles[state.task(w).role_index].min, 2);
  EXPECT_EQ(state.job(j).roles[state.task(x).role_index].min, 0);
}

TEST_F(Cluster, FreedMovesOnlyWhenSomethingMayFit) {
  node("n", 4000);
  job("j");
  const uint64_t freed = state.freed_version();
  pod({.uid = "new", .group = "j"});  // an arriving pod makes no room
  EXPECT_EQ(state.freed_version(), freed);
  state.remove_task("new");
  EXPECT_GT(state.freed_version(), freed);
}

TEST_F(Cluster, EveryChangeOnANodeTouchesIt) {
  const NodeId n = node("n", 4000);
  const auto touched = [&](auto change) {
    const uint64_t before = state.touches().end();
    change();
    bool seen = false;
    state.touches().visit_since(before, [&](NodeId id) { seen = seen || id == n; });
    return seen;
  };
  EXPECT_TRUE(touched([&] { node("n", 5000); }));
  EXPECT_TRUE(touched([&] { pod({.uid = "p", .status = TaskStatus::Running, .node = "n"}); }));
  EXPECT_TRUE(touched([&] { state.move_task(state.find_task("p"), TaskStatus::Releasing, n, false); }));
  EXPECT_TRUE(touched([&] { state.remove_task("p"); }));
  EXPECT_FALSE(touched([&] { pod({.uid = "q"}); }));
}

TEST_F(Cluster, NameIndex) {
  EXPECT_EQ(state.task(pod({.uid = "run-worker-12"})).name_index, 12);
  for (const char* name : {"worker-3", "a-b-c", "a-b-", "plain", "a-b-3x", "a-b--1"}) {
    const int64_t expected = std::string(name) == "a-b--1" ? 1 : -1;
    EXPECT_EQ(state.task(pod({.uid = name})).name_index, expected) << name;
  }
}

TEST_F(Cluster, LabelSetsGoWithTheirLastPod) {
  const LabelSetId shared = state.task(pod({.uid = "a", .replica = "1"})).labels;
  EXPECT_EQ(state.task(pod({.uid = "b", .replica = "1"})).labels, shared);
  state.remove_task("a");
  pod({.uid = "b", .status = TaskStatus::Running, .replica = "1"});  // the same set again, held by nobody else
  ASSERT_EQ(state.label_sets[shared].size(), 1U);
  const size_t before = state.label_sets.size();
  state.remove_task("b");
  EXPECT_EQ(state.label_sets.size(), before - 1);
  EXPECT_NE(state.task(pod({.uid = "c", .replica = "1"})).labels, shared);  // an id is never given out again
}

TEST_F(Cluster, HashIgnoresArrivalOrder) {
  ClusterState other;
  const auto fill = [&](ClusterState& into, std::initializer_list<const char*> order) {
    for (const char* name : order) {
      NodeSpec spec{.name = name, .max_pods = 1};
      spec.allocatable.at(kCpu) = 1000;
      into.upsert_node(std::move(spec));
    }
  };
  fill(state, {"a", "b", "c"});
  fill(other, {"c", "a", "b"});
  EXPECT_EQ(state.hash(), other.hash());
  fill(other, {"d"});
  EXPECT_NE(state.hash(), other.hash());
}

}  // namespace
}  // namespace basalt::model
