#include "control/scheduler/state_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/scheduler/state_fixture.h"

namespace basalt::scheduler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(StateDump, ShowsNodesQueuesJobsAndTasks) {
  const auto fixture = state_with(whole_cluster());
  const text::Value dump = dump_of(fixture->state, {.cycles = 3}, kNow);
  EXPECT_EQ(dump.at("time").as_string(), "2026-01-01T00:00:10Z");
  EXPECT_EQ(dump.at("figures").at("cycles").to_number<int>(), 3);
  const text::Array& nodes = dump.at("nodes").as_array();
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[1].at("name").as_string(), "node-b");
  EXPECT_EQ(nodes[1].at("used").at("cpu").as_string(), "2");
  EXPECT_EQ(nodes[1].at("idle").at("cpu").as_string(), "6");
  EXPECT_EQ(nodes[1].at("pods").as_array()[0].as_string(), "team/train-worker-1");
  EXPECT_EQ(dump.at("queues").as_array()[0].at("allocated").at("cpu").as_string(), "2");
  const text::Value& job = dump.at("jobs").as_array()[0];
  EXPECT_EQ(job.at("name").as_string(), "team/train");
  EXPECT_EQ(job.at("phase").as_string(), "Inqueue");
  EXPECT_EQ(job.at("tasks").as_array()[0].at("status").as_string(), "Pending");
  EXPECT_EQ(job.at("tasks").as_array()[1].at("node").as_string(), "node-b");
}

TEST(StateDump, LinesTellWhatWaitsAndWhy) {
  const auto fixture = state_with(whole_cluster());
  const model::JobId job = fixture->state.find_job("team", "train");
  model::PodGroupStatus status = fixture->state.job(job).status;
  status.conditions.push_back({"Unschedulable", "True", "NotEnoughResources", "1/2 tasks in gang unschedulable"});
  fixture->state.set_job_status(job, status);
  EXPECT_THAT(dump_lines(fixture->state, {.cycles = 3, .binds = 1}),
              ElementsAre("state: 2 nodes, 1 jobs, 3 cycles, 1 binds, 0 evictions",
                          "job team/train in queue default, Inqueue: 1 of 2 tasks wait: NotEnoughResources: 1/2 tasks "
                          "in gang unschedulable"));
}

TEST(StateDump, AnEmptyStateIsFine) {
  const model::ClusterState state;
  EXPECT_THAT(text::to_json(dump_of(state, {}, kNow)), HasSubstr("\"nodes\":[]"));
}

}  // namespace
}  // namespace basalt::scheduler
