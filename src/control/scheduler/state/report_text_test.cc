#include "control/scheduler/state/report_text.h"

#include <gtest/gtest.h>

namespace basalt::state {
namespace {

using model::TaskStatus;

// A job of three pods, two of them pending: p0 failed on four nodes, p1 had a place but the gang was short.
class ReportTextTest : public testing::Test {
 protected:
  void SetUp() override {
    state_.upsert_node({.name = "n1"});
    state_.upsert_queue({.name = "default"});
    model::JobSpec spec{.ns = "ns", .name = "pg", .queue = "default", .min_available = 3};
    job_.job = state_.upsert_job(spec);
    for (const char* name : {"p0", "p1"}) {
      tasks_.push_back(state_.upsert_task({.ns = "ns",
                                           .name = name,
                                           .uid = name,
                                           .group = "pg",
                                           .shape = state_.shapes.intern({}),
                                           .labels = state_.label_sets.intern({}),
                                           .role = state_.names.intern("worker")}));
    }
    const auto taint = verdicts_.reason("node(s) had untolerated taint(s)");
    const auto cpu = verdicts_.reason("Insufficient cpu");
    report_.failures.push_back({.nodes = 14, .reasons = {{taint, 2}, {cpu, 12}}});
    job_.counts[model::slot(TaskStatus::Pending)] = 2;
    job_.counts[model::slot(TaskStatus::Running)] = 1;
    job_.tasks.push_back({.task = tasks_[0], .failure = 0});
    job_.tasks.push_back({.task = tasks_[1], .last = TaskStatus::Allocated, .node = state_.find_node("n1")});
    job_.origin = tasks_[0];
    job_.gang = engine::GangCondition{.schedulable = false, .missing = 1};
    job_.status.phase = model::PodGroupPhase::Inqueue;
  }
  ReportText text() { return {report_, state_, verdicts_}; }

  static constexpr std::string_view kFit =
      "0/14 nodes are unavailable: 12 Insufficient cpu, 2 node(s) had untolerated taint(s).";
  static constexpr std::string_view kJobFit =
      "pod group is not ready, 1 Running, 2 Pending, 3 minAvailable; Pending: 1 Schedulable, 1 Unschedulable. Origin "
      "reason is p0: 0/14 nodes are unavailable: 12 Insufficient cpu, 2 node(s) had untolerated taint(s).";

  model::ClusterState state_;
  engine::VerdictTable verdicts_;
  engine::CycleReport report_;
  engine::JobReport job_;
  std::vector<model::TaskId> tasks_;
};

TEST_F(ReportTextTest, WhyATaskFindsNoNode) {
  EXPECT_EQ(text().fit_text(tasks_[0], report_.failures[0]), kFit);
  EXPECT_EQ(text().fit_text(tasks_[0], {.kind = engine::FitFailure::Kind::RoleFailedBefore}),
            "Task p0 with role spec worker has already predicated failed, skip");
}

TEST_F(ReportTextTest, TheConditionOfAnUnreadyGroup) {
  const auto condition = text().pod_group_condition(job_);
  ASSERT_TRUE(condition.has_value());
  EXPECT_EQ(condition->type, "Unschedulable");
  EXPECT_EQ(condition->status, "True");
  EXPECT_EQ(condition->reason, "NotEnoughResources");
  EXPECT_EQ(condition->message, "1/3 tasks in gang unschedulable: " + std::string(kJobFit));
}

TEST_F(ReportTextTest, EachTypeOfConditionHasOneSlot) {
  const std::vector<model::Condition> written = {{.type = "Unschedulable", .status = "True", .reason = "old"},
                                                 {.type = "Scheduled", .status = "True", .reason = "kept"}};
  const auto after = text().pod_group_conditions(job_, written);
  ASSERT_EQ(after.size(), 2U);
  EXPECT_EQ(after[0].reason, "NotEnoughResources");
  EXPECT_EQ(after[1].reason, "kept");
  job_.gang = engine::GangCondition{.schedulable = true};
  EXPECT_EQ(text().pod_group_conditions(job_, {})[0].reason, "tasks in gang are ready to be scheduled");
}

TEST_F(ReportTextTest, PodConditions) {
  EXPECT_EQ(text().pod_condition(job_, job_.tasks[0]).message, kFit);
  const PodCondition placed = text().pod_condition(job_, job_.tasks[1]);
  EXPECT_EQ(placed.reason, "Schedulable");
  EXPECT_EQ(placed.message, "Pod ns/p1 can possibly be assigned to n1, once minAvailable is satisfied");
  engine::TaskReport waiting = job_.tasks[1];
  waiting.last = TaskStatus::Pipelined;
  waiting.nominate = true;
  EXPECT_EQ(text().pod_condition(job_, waiting).nominated_node, "n1");
  EXPECT_EQ(text().pod_condition(job_, waiting).message,
            "Pod ns/p1 can possibly be assigned to n1, once resource is released and minAvailable is satisfied");
  const engine::TaskReport untried{.task = tasks_[1]};
  EXPECT_EQ(text().pod_condition(job_, untried).message, text().job_fit_text(job_));
}

TEST(EvictionConditions, NameTheAction) {
  const auto message = [](std::string_view action) { return eviction_conditions("volcano", action).back().message; };
  EXPECT_EQ(message("preempt"), "volcano: preempting to accommodate a higher priority pod");
  EXPECT_EQ(message("reclaim"), "volcano: reclaiming to accommodate a pod of a queue that is owed the room");
  EXPECT_EQ(eviction_conditions("volcano", "reclaim").back().reason, "PreemptionByScheduler");
}

TEST_F(ReportTextTest, Events) {
  const auto waiting = text().pod_group_event(job_);
  ASSERT_TRUE(waiting.has_value());
  EXPECT_EQ(waiting->type, "Warning");
  EXPECT_EQ(waiting->reason, "Unschedulable");
  EXPECT_EQ(waiting->message, "2/3 tasks in gang unschedulable: " + std::string(kJobFit));
  job_.status.phase = model::PodGroupPhase::Running;
  EXPECT_FALSE(text().pod_group_event(job_).has_value());
  job_.changed = true;
  EXPECT_EQ(text().pod_group_event(job_)->message, "pod group is ready");
  EXPECT_EQ(text().bound_event({.task = tasks_[0], .node = state_.find_node("n1")}).message,
            "Successfully assigned ns/p0 to n1");
  EXPECT_EQ(text().evicted_pod_event({.task = tasks_[0], .reason = "preempt"}).message,
            "Pod is evicted, because of preempt");
}

}  // namespace
}  // namespace basalt::state
