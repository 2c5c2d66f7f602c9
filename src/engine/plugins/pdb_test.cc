#include "engine/plugins/pdb.h"

#include <gtest/gtest.h>

#include "engine/core/statement.h"
#include "engine/plugins/plugin_fixture.h"

namespace basalt::plugins {
namespace {

using model::TaskId;

class PdbTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.node({.name = "n", .cpu = 8000});
    const auto web = world_.state.label_sets.intern(world_.labels({{"app", "web"}}));
    for (size_t i = 0; i < 3; ++i) {
      web_.push_back(world_.task({.name = "web" + std::to_string(i), .node_name = "n", .labels = web}, 1000));
    }
    bare_ = world_.task({.name = "bare", .node_name = "n"}, 1000);
    model::Selector selector;
    selector.requirements.push_back({.key = world_.state.names.intern("app"), .op = model::SelectorOp::Exists});
    world_.state.limits.budgets["ns/web"] = {.ns = "ns", .name = "web", .selector = selector, .disruptions_allowed = 1};
  }
  std::vector<TaskId> victims() {
    return world_.session().preemptable(bare_, std::vector{web_[0], web_[1], web_[2], bare_});
  }

  PluginFixture world_;
  std::vector<TaskId> web_;
  TaskId bare_;
};

TEST_F(PdbTest, a_budget_pays_once_and_pods_without_labels_are_free) {
  world_.open<Pdb>();
  EXPECT_EQ(victims(), (std::vector{web_[0], bare_}));
  EXPECT_EQ(victims(), (std::vector{web_[0], bare_}));  // asking costs nothing
}

TEST_F(PdbTest, what_the_cycle_evicted_stays_charged_until_it_is_rolled_back) {
  world_.open<Pdb>();
  engine::Statement statement(world_.session());
  statement.evict(web_[2], bare_, "preempt");
  EXPECT_EQ(victims(), std::vector{bare_});
  statement.rollback(0);
  EXPECT_EQ(victims(), (std::vector{web_[0], bare_}));
}

TEST_F(PdbTest, a_pod_already_being_disrupted_is_not_charged) {
  world_.state.limits.budgets["ns/web"].disrupted_pods = {"web0"};
  world_.open<Pdb>();
  EXPECT_EQ(victims(), (std::vector{web_[0], web_[1], bare_}));
}

TEST_F(PdbTest, an_empty_selector_covers_the_namespace_and_an_absent_one_nothing) {
  world_.state.limits.budgets["ns/web"].selector = {};
  world_.open<Pdb>();
  EXPECT_EQ(victims(), std::vector{web_[0]});
  world_.state.limits.budgets["ns/web"].selector.nothing = true;
  world_.open<Pdb>();
  EXPECT_EQ(victims().size(), 4U);
}

TEST_F(PdbTest, a_refused_pod_costs_its_other_budgets_nothing) {
  model::Selector only_first;
  only_first.requirements.push_back({.key = world_.state.names.intern("first"), .op = model::SelectorOp::Exists});
  world_.state.limits.budgets["ns/none"] = {
      .ns = "ns", .name = "none", .selector = only_first, .disruptions_allowed = 0};
  const auto both = world_.state.label_sets.intern(world_.labels({{"app", "web"}, {"first", "yes"}}));
  const TaskId guarded = world_.task({.name = "guarded", .node_name = "n", .labels = both}, 1000);
  world_.open<Pdb>();
  EXPECT_EQ(world_.session().preemptable(bare_, std::vector{guarded, web_[0]}), std::vector{web_[0]});
}

}  // namespace
}  // namespace basalt::plugins
