#include "engine/plugins/tdm.h"

#include <gtest/gtest.h>

#include "engine/core/node_search.h"
#include "engine/plugins/plugin_fixture.h"
#include "engine/plugins/tdm_budget.h"

namespace basalt::plugins {
namespace {

using engine::Argument;
using engine::ArgumentMap;
using model::JobId;
using model::NodeId;
using model::TaskId;

ArgumentMap zone(const std::string& window) { return {{"tdm.revocable-zone.rz", Argument{window}}}; }

class TdmTest : public testing::Test {
 protected:
  void SetUp() override {
    node_ = world_.node({.name = "lent", .cpu = 8000, .revocable_zone = "rz"});
    plain_ = world_.node({.name = "plain", .cpu = 8000});
    world_.queue({.name = "q"});
    world_.job({.name = "j"});
    task_ = world_.task({.name = "t", .group = "j", .revocable = true}, 1000);
    stays_ = world_.task({.name = "u", .group = "j", .preemptable = false}, 1000);
  }
  void at(int64_t hour, int64_t minute) {
    world_.now = Instant::from_unix_seconds(86400 * 20 + hour * 3600 + minute * 60);
  }
  std::string refusal(TaskId task) {
    const auto& table = world_.session().memory.verdicts;
    const auto& verdict = table[engine::filter_node(world_.session(), task, node_)];
    return verdict.reasons.empty() ? "" : std::string(table.text(verdict.reasons[0]));
  }

  PluginFixture world_;
  NodeId node_, plain_;
  TaskId task_, stays_;
};

TEST_F(TdmTest, lends_nodes_inside_the_window_to_pods_that_may_be_revoked) {
  at(12, 0);
  world_.open<Tdm>(zone("10:00-21:00"));
  EXPECT_EQ(refusal(task_), "");
  EXPECT_EQ(refusal(stays_), "not allow to dispatch to revocable node");
  EXPECT_EQ(engine::score_nodes(world_.session(), task_, std::vector{node_, plain_}), (std::vector<double>{100, 0}));
  at(9, 59);
  world_.open<Tdm>(zone("10:00-21:00"));
  EXPECT_EQ(refusal(task_), "current time beyond revocable zone rz:10:00-21:00");
  world_.open<Tdm>();
  EXPECT_EQ(refusal(task_), "revocable zone rz not support");
}

TEST_F(TdmTest, windows_span_midnight_and_follow_the_offset) {
  const auto open_at = [&](int64_t hour, int64_t minute, ArgumentMap arguments) {
    at(hour, minute);
    world_.open<Tdm>(std::move(arguments));
    return refusal(task_).empty();
  };
  EXPECT_TRUE(open_at(23, 0, zone("22:00-6:00")));
  EXPECT_TRUE(open_at(6, 0, zone("22:00-6:00")));
  EXPECT_FALSE(open_at(6, 1, zone("22:00-6:00")));
  EXPECT_TRUE(open_at(3, 33, zone("0:00-0:00")));
  ArgumentMap east = zone("10:00-11:00");
  east["tdm.utc-offset"] = Argument{std::string("+02:00")};
  EXPECT_TRUE(open_at(8, 30, east));
  EXPECT_FALSE(open_at(10, 30, east));
}

TEST_F(TdmTest, a_window_that_closes_changes_the_class) {
  at(20, 0);
  world_.open<Tdm>(zone("10:00-21:00"));
  EXPECT_EQ(engine::best_node(world_.session(), task_)->node, node_);
  at(22, 0);
  world_.open<Tdm>(zone("10:00-21:00"));
  EXPECT_EQ(engine::best_node(world_.session(), task_)->node, plain_);
}

TEST_F(TdmTest, takes_what_the_budget_of_each_job_leaves) {
  const JobId two = world_.job({.name = "two", .budget = {.max_unavailable = "50%"}});
  std::vector<TaskId> candidates;
  for (const char* name : {"two0", "two1", "two2", "two3"}) {
    candidates.push_back(world_.task({.name = name, .group = "two", .node_name = "plain"}, 100));
  }
  world_.job({.name = "one"});
  candidates.push_back(world_.task({.name = "one0", .group = "one", .node_name = "plain"}, 100));
  candidates.push_back(world_.task({.name = "one1", .group = "one", .node_name = "plain"}, 100));
  candidates.push_back(world_.task({.name = "lent0", .group = "one", .node_name = "lent"}, 100));
  world_.open<Tdm>();
  EXPECT_EQ(world_.session().preemptable(stays_, candidates),
            (std::vector{candidates[0], candidates[1], candidates[4]}));
  EXPECT_TRUE(world_.session().preemptable(task_, candidates).empty());
  EXPECT_FALSE(world_.session().job_starving(two));
  EXPECT_TRUE(world_.session().job_starving(world_.state.task(task_).job));
}

TEST_F(TdmTest, refuses_what_is_not_a_window) {
  for (const char* window : {"", "10:00", "10-12", "24:00-1:00", "10:0-11:00", "10:00-11:60", "a:00-b:00"}) {
    EXPECT_FALSE(Tdm::make(engine::Arguments(zone(window)))) << window;
  }
  EXPECT_FALSE(Tdm::make(engine::Arguments({{"tdm.utc-offset", Argument{std::string("Berlin")}}})));
  EXPECT_FALSE(Tdm::make(engine::Arguments({{"tdm.evict.period", Argument{std::string("often")}}})));
}

TEST(TdmBudget, counts_by_number_or_percentage) {
  model::Job job;
  job.tasks.resize(10);
  job.counts[model::slot(model::TaskStatus::Running)] = 7;
  job.counts[model::slot(model::TaskStatus::Succeeded)] = 1;  // so 2 of 10 are unavailable
  EXPECT_EQ(disturbable_tasks(job), 1);
  job.budget.max_unavailable = "35%";  // 3.5, rounded up to 4
  EXPECT_EQ(disturbable_tasks(job), 2);
  job.budget.max_unavailable = "1";
  EXPECT_EQ(disturbable_tasks(job), 0);
  job.budget.max_unavailable = "some";
  EXPECT_EQ(disturbable_tasks(job), 0);
  job.budget = {.min_available = "5"};
  EXPECT_EQ(disturbable_tasks(job), 2);
  job.budget = {.min_available = "90%"};
  EXPECT_EQ(disturbable_tasks(job), 0);
}

}  // namespace
}  // namespace basalt::plugins
