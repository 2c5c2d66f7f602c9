#include "engine/core/task_classes.h"

#include <gtest/gtest.h>

#include "engine/core/plugin.h"

namespace basalt::engine {
namespace {

using model::kCpu;

// Signs the task's priority, and prefers nothing.
struct Signer {
  const model::ClusterState* state = nullptr;
  void sign(TaskId task, ClassKey& key) { key.add(static_cast<uint64_t>(state->task(task).priority)); }
};

class Classes : public testing::Test {
 protected:
  void SetUp() override {
    signer.state = &state;
    static constexpr FlagSet kAllOff{};
    HookBinder binder(hooks, kAllOff, 0);  // sign is governed by no switch
    binder.bind<&Signer::sign>(&HookTable::sign, signer);
    for (const char* name : {"b", "a"}) {
      model::NodeSpec spec{.name = name, .max_pods = 10};
      spec.allocatable.at(kCpu) = 4000;
      spec.allocatable.at(model::kPods) = 10;
      state.upsert_node(std::move(spec));
    }
    book.open(state, 1);
  }
  TaskId pod(const std::string& uid, int64_t cpu, int32_t priority) {
    model::PodShape shape;
    shape.request = {{.id = kCpu, .amount = cpu}, {.id = model::kPods, .amount = 1}};
    model::TaskSpec spec{.ns = "ns", .name = uid, .uid = uid};
    spec.shape = state.shapes.intern(shape);
    spec.labels = state.label_sets.intern({});
    spec.priority = priority;
    return state.upsert_task(spec);
  }
  ColumnContext context() {
    return {.state = state, .hooks = hooks, .verdicts = verdicts, .by_rank = book.by_rank(), .rank_of = book.rank_of()};
  }

  model::ClusterState state;
  HookTable hooks;
  VerdictTable verdicts;
  Signer signer;
  TaskClassTable book;
};

TEST_F(Classes, AreTheSameForEqualSignatures) {
  const ClassId one = book.class_of(context(), pod("p1", 1000, 5));
  EXPECT_EQ(book.class_of(context(), pod("p2", 1000, 5)), one);
  EXPECT_NE(book.class_of(context(), pod("p3", 1000, 6)), one);
}

// The column itself looks at the request, whatever plugins sign.
TEST_F(Classes, DifferForDifferentRequests) {
  const TaskId small = pod("small", 1000, 5);
  const TaskId large = pod("large", 9000, 5);
  EXPECT_TRUE(book.column(context(), small).any_fits());
  EXPECT_FALSE(book.column(context(), large).any_fits());
  EXPECT_TRUE(book.column(context(), small).any_fits());
}

TEST_F(Classes, FollowAPodThatChanges) {
  const ClassId before = book.class_of(context(), pod("p", 1000, 5));
  EXPECT_NE(book.class_of(context(), pod("p", 1000, 6)), before);
  EXPECT_EQ(book.class_of(context(), pod("p", 1000, 5)), before);
}

TEST_F(Classes, RankNodesByName) {
  ASSERT_EQ(book.by_rank().size(), 2U);
  EXPECT_EQ(state.node(book.by_rank()[0]).name, "a");
  EXPECT_EQ(book.rank_of()[state.find_node("b").index()], 1U);
  state.remove_node("a");
  book.open(state, 1);
  EXPECT_EQ(book.by_rank().size(), 1U);
}

TEST_F(Classes, StartAnewInAnotherEpoch) {
  const TaskId task = pod("p", 1000, 5);
  book.column(context(), task);
  EXPECT_EQ(book.classes(), 1U);
  EXPECT_GT(book.column_bytes(), 0U);
  book.open(state, 1);
  EXPECT_EQ(book.classes(), 1U);
  book.open(state, 2);
  EXPECT_EQ(book.classes(), 0U);
  EXPECT_EQ(book.column_bytes(), 0U);
  EXPECT_TRUE(book.column(context(), task).any_fits());
}

// More columns than there is room for: those unused for longest go, and come back when asked for.
TEST_F(Classes, KeepWithinTheirBytes) {
  for (int i = 0; i < 4000; ++i) {
    model::NodeSpec spec{.name = "n" + std::to_string(i), .max_pods = 10};
    spec.allocatable.at(kCpu) = 4000;
    spec.allocatable.at(model::kPods) = 10;
    state.upsert_node(std::move(spec));
  }
  book.open(state, 1);
  const TaskId first = pod("first", 1000, 0);
  const size_t each = [&] {
    book.column(context(), first);
    return book.column_bytes();
  }();
  const size_t enough = TaskClassTable::kMaxColumnBytes / each + 10;
  for (size_t i = 1; i <= enough; ++i) {
    book.column(context(), pod("p" + std::to_string(i), 1000, static_cast<int32_t>(i)));
    ASSERT_LE(book.column_bytes(), TaskClassTable::kMaxColumnBytes + each);
  }
  const uint64_t before = book.evaluations();
  book.column(context(), state.find_task("p" + std::to_string(enough)));
  EXPECT_EQ(book.evaluations(), before);  // the latest is still there
  EXPECT_TRUE(book.column(context(), first).any_fits());
  EXPECT_GT(book.evaluations(), before);  // the first had to be built again
}

}  // namespace
}  // namespace basalt::engine
