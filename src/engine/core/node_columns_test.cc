#include "engine/core/node_columns.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"
#include "engine/core/plugin.h"

namespace basalt::engine {
namespace {

using model::Amount;
using model::kCpu;
using model::TaskStatus;

// Answers by node, changed by the test; a change must be announced by touching the node.
struct Fake {
  VerdictTable* verdicts = nullptr;
  std::map<NodeId, bool> closed;
  std::map<NodeId, double> bonus;
  std::map<NodeId, int64_t> raw_value;
  Reach reach = Reach::Node;
  int raw_calls = 0;

  void filter(const FilterCall& call) {
    for (size_t i = 0; i < call.nodes.size(); ++i) {
      if (call.verdicts[i] == kFits && closed[call.nodes[i]]) {
        call.verdicts[i] = verdicts->verdict(Fit::Never, verdicts->reason("closed"));
      }
    }
  }
  void score(const ScoreCall& call) {
    for (size_t i = 0; i < call.nodes.size(); ++i) call.scores[i] += bonus[call.nodes[i]];
  }
  void raw(const RawCall& call) {
    ++raw_calls;
    for (size_t i = 0; i < call.nodes.size(); ++i) call.raw[i] = raw_value[call.nodes[i]];
  }
  Reach reach_of(TaskId /*task*/) { return reach; }
  bool filter_reaches(TaskId /*task*/) { return false; }
};

// 0 … 100 between the extremes; all equal: 0. Ignored values score −1.
double spread_out(int64_t raw, int64_t min, int64_t max) {
  if (raw == kIgnoredRaw) return -1;
  return max == min ? 0 : 100.0 * static_cast<double>(raw - min) / static_cast<double>(max - min);
}

class Columns : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b", "c", "d", "e"}) add_node(name, 4000);
    fake.verdicts = &verdicts;
    static constexpr FlagSet kAllOn = [] {
      FlagSet flags{};
      flags.fill(true);
      return flags;
    }();
    HookBinder binder(hooks, kAllOn, 0);
    binder.bind<&Fake::filter>(&HookTable::filter, fake);
    binder.bind<&Fake::filter_reaches>(&HookTable::filter_reaches_cluster, fake);
    binder.bind<&Fake::score>(&HookTable::score, fake);
    binder.bind_scaled<&Fake::raw, &Fake::reach_of>(spread_out, 1.0, fake);
    pod = add_pod("pod", 1000);
  }
  NodeId add_node(const std::string& name, Amount cpu) {
    model::NodeSpec spec{.name = name, .max_pods = 10};
    spec.allocatable.at(kCpu) = cpu;
    spec.allocatable.at(model::kPods) = 10;
    return state.upsert_node(std::move(spec));
  }
  TaskId add_pod(const std::string& uid, Amount cpu, const std::string& node = "",
                 TaskStatus status = TaskStatus::Pending) {
    model::PodShape shape;
    shape.request = {{.id = kCpu, .amount = cpu}, {.id = model::kPods, .amount = 1}};
    model::TaskSpec spec{.ns = "ns", .name = uid, .uid = uid, .node_name = node};
    spec.status = status;
    spec.shape = state.shapes.intern(shape);
    spec.labels = state.label_sets.intern({});
    return state.upsert_task(spec);
  }
  NodeId node(const char* name) { return state.find_node(name); }
  ColumnContext context() {
    by_rank.assign(state.nodes_by_name().begin(), state.nodes_by_name().end());
    rank_of.assign(state.node_rows(), 0);
    for (uint32_t rank = 0; rank < by_rank.size(); ++rank) rank_of[by_rank[rank].index()] = rank;
    return {.state = state, .hooks = hooks, .verdicts = verdicts, .by_rank = by_rank, .rank_of = rank_of};
  }
  std::string best_name() {
    column.sync(context(), pod);
    const auto best = column.best(context());
    return best ? state.node(best->node).name : "";
  }
  // The synced column against one built now; rows that are out have no total.
  void expect_equals_fresh() {
    expect_equal(column, NodeColumn());
    expect_equal(eviction, NodeColumn([this](NodeId id) { return occupied(id); }));
  }
  void expect_equal(NodeColumn& kept, NodeColumn fresh) {
    fresh.sync(context(), pod);
    kept.sync(context(), pod);
    for (size_t rank = 0; rank < fresh.availabilities().size(); ++rank) {
      ASSERT_EQ(kept.availabilities()[rank], fresh.availabilities()[rank]) << rank;
      ASSERT_EQ(kept.verdicts()[rank], fresh.verdicts()[rank]) << rank;
      if (fresh.availabilities()[rank] != Availability::Out) {
        ASSERT_EQ(kept.totals()[rank], fresh.totals()[rank]) << rank;
      }
    }
    const auto kept_best = kept.best(context());
    const auto fresh_best = fresh.best(context());
    ASSERT_EQ(kept_best.has_value(), fresh_best.has_value());
    ASSERT_EQ(kept_best ? kept_best->node : NodeId(), fresh_best ? fresh_best->node : NodeId());
  }

  bool occupied(NodeId id) const { return !state.node(id).tasks.empty(); }
  // Nodes that the column for eviction offers, best first.
  std::string offered() {
    eviction.sync(context(), pod);
    std::string names;
    eviction.any_by_score(context(), [&](NodeId id) {
      names += state.node(id).name;
      return false;
    });
    return names;
  }

  model::ClusterState state;
  HookTable hooks;
  VerdictTable verdicts;
  Fake fake;
  TaskId pod;
  NodeColumn column;
  NodeColumn eviction{[this](NodeId id) { return occupied(id); }};
  std::vector<NodeId> by_rank;
  std::vector<uint32_t> rank_of;
};

TEST_F(Columns, EqualScoresGoByName) {
  EXPECT_EQ(best_name(), "a");
  fake.bonus[node("c")] = 5;
  state.touches().touch(node("c"));
  EXPECT_EQ(best_name(), "c");
}

// Full nodes count, empty ones and those that are refused for good do not; scores are scaled over all of them.
TEST_F(Columns, EvictionLooksWhereSomebodyIs) {
  EXPECT_EQ(offered(), "");
  const TaskId first = add_pod("first", 4000, "b", TaskStatus::Running);
  add_pod("second", 4000, "d", TaskStatus::Running);
  fake.raw_value[node("d")] = 5;
  fake.raw_value[node("e")] = 9;
  for (const char* name : {"d", "e"}) state.touches().touch(node(name));
  EXPECT_EQ(offered(), "db");
  fake.raw_value[node("b")] = 9;
  state.touches().touch(node("b"));
  EXPECT_EQ(offered(), "bd");
  fake.closed[node("b")] = true;
  state.touches().touch(node("b"));
  EXPECT_EQ(offered(), "d");
  fake.closed[node("b")] = false;
  state.touches().touch(node("b"));
  state.remove_task(state.task(first).uid);
  EXPECT_EQ(offered(), "d");
  expect_equals_fresh();
}

TEST_F(Columns, RoomNowBeatsRoomSoon) {
  for (const char* name : {"a", "b", "c", "d"}) add_pod(std::string("on-") + name, 4000, name, TaskStatus::Running);
  fake.bonus[node("e")] = -100;
  EXPECT_EQ(best_name(), "e");
  add_pod("on-e", 4000, "e", TaskStatus::Running);
  EXPECT_EQ(best_name(), "");
  add_pod("on-b", 4000, "b", TaskStatus::Releasing);
  column.sync(context(), pod);
  EXPECT_EQ(column.best(context())->availability, Availability::Future);
  EXPECT_EQ(best_name(), "b");
}

TEST_F(Columns, RefusalsAreCounted) {
  add_pod("big", 3500, "a", TaskStatus::Running);
  fake.closed[node("b")] = true;
  column.sync(context(), pod);
  uint32_t refused = 0;
  for (const uint32_t count : column.verdict_counts()) refused += count;
  EXPECT_EQ(refused, 2U);
  EXPECT_EQ(verdicts.fit(column.verdicts()[0]), Fit::EvictMayHelp);
  EXPECT_EQ(verdicts.fit(column.verdicts()[1]), Fit::Never);
  state.remove_task("big");
  fake.closed[node("b")] = false;
  state.touches().touch(node("b"));
  column.sync(context(), pod);
  for (const uint32_t count : column.verdict_counts()) EXPECT_EQ(count, 0U);
}

// raw 10 20 30 40 50 → totals 0 25 50 75 100.
TEST_F(Columns, ScaledScoresFollowTheirExtremes) {
  int64_t value = 0;
  for (const char* name : {"a", "b", "c", "d", "e"}) fake.raw_value[node(name)] = value += 10;
  column.sync(context(), pod);
  EXPECT_EQ(column.totals()[1], 25);
  EXPECT_EQ(best_name(), "e");
  // The largest leaves the candidates: 40 is the largest now, so b has 100 · 10/30.
  add_pod("on-e", 4000, "e", TaskStatus::Running);
  column.sync(context(), pod);
  EXPECT_DOUBLE_EQ(column.totals()[1], 100.0 * 10 / 30);
  EXPECT_EQ(best_name(), "d");
  // The smallest moves below: a −20, so b has 100 · 40/60.
  fake.raw_value[node("a")] = -20;
  state.touches().touch(node("a"));
  column.sync(context(), pod);
  EXPECT_DOUBLE_EQ(column.totals()[1], 100.0 * 40 / 60);
  // One that is ignored takes no part.
  fake.raw_value[node("a")] = kIgnoredRaw;
  state.touches().touch(node("a"));
  column.sync(context(), pod);
  EXPECT_EQ(column.totals()[0], -1);
  EXPECT_EQ(column.totals()[1], 0);
}

TEST_F(Columns, OnlyTouchedRowsAreLookedAt) {
  column.sync(context(), pod);
  const uint64_t built = column.evaluations();
  EXPECT_EQ(built, 5U);
  column.sync(context(), pod);
  EXPECT_EQ(column.evaluations(), built);
  add_pod("x", 100, "c", TaskStatus::Running);
  column.sync(context(), pod);
  EXPECT_EQ(column.evaluations(), built + 1);
}

TEST_F(Columns, AScoreThatReachesTheClusterIsComputedAnew) {
  fake.reach = Reach::Cluster;
  column.sync(context(), pod);
  fake.bonus[node("d")] = 9;  // not announced for d: only something happened on a
  add_pod("x", 100, "a", TaskStatus::Running);
  EXPECT_EQ(best_name(), "d");
}

TEST_F(Columns, NodesMayComeAndGo) {
  EXPECT_EQ(best_name(), "a");
  state.remove_node("a");
  EXPECT_EQ(best_name(), "b");
  add_node("aa", 4000);
  EXPECT_EQ(best_name(), "aa");
  for (const char* name : {"aa", "b", "c", "d", "e"}) state.remove_node(name);
  EXPECT_EQ(best_name(), "");
}

// Random changes, many per sync, against a fresh column each time.
TEST_F(Columns, SyncedEqualsFresh) {
  Rng rng(11);
  for (int round = 0; round < 400; ++round) {
    const int64_t changes = rng.between(0, 4);
    for (int64_t i = 0; i < changes; ++i) {
      const auto nodes = state.nodes_by_name();
      const NodeId at = nodes[rng.below(nodes.size())];
      const std::string uid = "filler-" + state.node(at).name;
      switch (rng.below(6)) {
        case 0:
          fake.closed[at] = rng.chance(0.5);
          break;
        case 1:
          fake.bonus[at] = static_cast<double>(rng.between(0, 3));
          break;
        case 2:
          fake.raw_value[at] = rng.chance(0.2) ? kIgnoredRaw : rng.between(0, 3) * 7;
          break;
        case 3:
          add_pod(uid, rng.between(1, 40) * 100, state.node(at).name,
                  rng.chance(0.5) ? TaskStatus::Running : TaskStatus::Releasing);
          break;
        case 4:
          state.remove_task(uid);
          break;
        default:
          if (rng.chance(0.1)) add_node("n" + std::to_string(rng.below(20)), 4000);
          break;
      }
      state.touches().touch(at);
    }
    if (rng.chance(0.7)) expect_equals_fresh();
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

}  // namespace
}  // namespace basalt::engine
