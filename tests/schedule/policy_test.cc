// The policy in the ConfigMap: what is told about it, and what happens when it goes.
#include <gmock/gmock.h>

#include "tests/schedule/schedule_world.h"

namespace basalt {
namespace {

using testing::HasSubstr;

struct PolicyInMap : testing::Test {
  ScheduleWorld world{"default/conf"};
};

TEST_F(PolicyInMap, WhatOnlyVolcanoHasIsSkippedAndStaysVisible) {
  world.create_node("n1", "4");
  world.set_conf("actions: \"enqueue, allocate, shuffle\"\ntiers:\n- plugins:\n  - name: gang\n  - name: numa-aware\n");
  world.create_job("j", 1, "1");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("j"), 1U) << "the rest of the policy is in force";
  const std::string events = world.events_about("conf");
  EXPECT_THAT(events,
              HasSubstr("Normal ConfigMap PolicyLoaded: ConfigMap key volcano-scheduler.conf: this policy is in "
                        "force"));
  EXPECT_THAT(events, HasSubstr("Warning ConfigMap PolicySkipped: ConfigMap key volcano-scheduler.conf: line 5: "
                                "tiers[0].plugins[1].name: Volcano's plugin \"numa-aware\" is not supported"));
  const std::string metrics = world.scheduler().metrics_text();
  EXPECT_THAT(metrics, HasSubstr("basalt_scheduler_policy_skipped{kind=\"plugin\",name=\"numa-aware\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("basalt_scheduler_policy_skipped{kind=\"action\",name=\"shuffle\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("basalt_scheduler_policy_refused 0\n"));
}

TEST_F(PolicyInMap, ARefusedConfIsToldInAnEventAndCounted) {
  world.set_conf("actions: \"enqueue, alocate\"\n");
  world.advance(Duration::seconds(3));
  EXPECT_THAT(world.events_about("conf"), HasSubstr("Warning ConfigMap PolicyRefused: ConfigMap key "
                                                    "volcano-scheduler.conf: line 1: actions: unknown action "
                                                    "\"alocate\"; did you mean \"allocate\"?"));
  EXPECT_THAT(world.scheduler().metrics_text(), HasSubstr("basalt_scheduler_policy_refused 1\n"));
  world.set_conf("actions: \"enqueue, allocate\"\n");
  world.advance(Duration::seconds(3));
  EXPECT_THAT(world.scheduler().metrics_text(), HasSubstr("basalt_scheduler_policy_refused 0\n"));
}

TEST_F(PolicyInMap, DeletingTheMapReturnsToTheBuiltInPolicy) {
  world.create_node("n1", "4");
  world.set_conf("actions: \"enqueue\"\n");
  world.create_job("j", 1, "1");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("j"), 0U);
  world.remove("v1", "configmaps", "conf");
  world.advance(Duration::seconds(3));
  EXPECT_EQ(world.bound("j"), 1U);
  EXPECT_THAT(world.scheduler().metrics_text(), HasSubstr("\nbasalt_scheduler_policy_generation 3\n"));
}

}  // namespace
}  // namespace basalt
