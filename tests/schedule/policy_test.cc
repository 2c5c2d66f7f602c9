// The policy in the ConfigMap: what is told about it, and what happens when it goes.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "tests/schedule/schedule_fixture.h"

namespace basalt {
namespace {

using testing::HasSubstr;

struct PolicyInMap : testing::Test {
  ScheduleFixture fixture{"default/conf"};
};

TEST_F(PolicyInMap, WhatOnlyVolcanoHasIsSkippedAndStaysVisible) {
  fixture.create_node("n1", "4");
  fixture.set_conf(
      "actions: \"enqueue, allocate, shuffle\"\ntiers:\n- plugins:\n  - name: gang\n  - name: numa-aware\n");
  fixture.create_job("j", 1, "1");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("j"), 1U) << "the rest of the policy is in force";
  const std::string events = fixture.events_about("conf");
  EXPECT_THAT(events,
              HasSubstr("Normal ConfigMap PolicyLoaded: ConfigMap key volcano-scheduler.conf: this policy is in "
                        "force"));
  EXPECT_THAT(events, HasSubstr("Warning ConfigMap PolicySkipped: ConfigMap key volcano-scheduler.conf: line 5: "
                                "tiers[0].plugins[1].name: Volcano's plugin \"numa-aware\" is not supported"));
  const std::string metrics = fixture.scheduler().metrics_text();
  EXPECT_THAT(metrics, HasSubstr("basalt_scheduler_policy_skipped{kind=\"plugin\",name=\"numa-aware\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("basalt_scheduler_policy_skipped{kind=\"action\",name=\"shuffle\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("basalt_scheduler_policy_refused 0\n"));
}

TEST_F(PolicyInMap, ARefusedConfIsToldInAnEventAndCounted) {
  fixture.set_conf("actions: \"enqueue, alocate\"\n");
  fixture.advance(Duration::seconds(3));
  EXPECT_THAT(fixture.events_about("conf"), HasSubstr("Warning ConfigMap PolicyRefused: ConfigMap key "
                                                      "volcano-scheduler.conf: line 1: actions: unknown action "
                                                      "\"alocate\"; did you mean \"allocate\"?"));
  EXPECT_THAT(fixture.scheduler().metrics_text(), HasSubstr("basalt_scheduler_policy_refused 1\n"));
  fixture.set_conf("actions: \"enqueue, allocate\"\n");
  fixture.advance(Duration::seconds(3));
  EXPECT_THAT(fixture.scheduler().metrics_text(), HasSubstr("basalt_scheduler_policy_refused 0\n"));
}

TEST_F(PolicyInMap, DeletingTheMapReturnsToTheBuiltInPolicy) {
  fixture.create_node("n1", "4");
  fixture.set_conf("actions: \"enqueue\"\n");
  fixture.create_job("j", 1, "1");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("j"), 0U);
  fixture.remove("v1", "configmaps", "conf");
  fixture.advance(Duration::seconds(3));
  EXPECT_EQ(fixture.bound("j"), 1U);
  EXPECT_THAT(fixture.scheduler().metrics_text(), HasSubstr("\nbasalt_scheduler_policy_generation 3\n"));
}

// As the chart has it: the ConfigMap is mounted, and the scheduler reads the file.
TEST_F(PolicyInMap, WhatBecomesOfAFileIsToldOnTheConfigMapToo) {
  std::string directory = (std::filesystem::temp_directory_path() / "basalt-policy-XXXXXX").string();
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  fixture.conf_file = directory + "/volcano-scheduler.conf";
  std::ofstream(fixture.conf_file) << "actions: \"enqueue, allocate, shuffle\"\n";
  fixture.set_conf("what the mounted file says");
  fixture.crash_scheduler();
  fixture.advance(Duration::seconds(3));
  EXPECT_THAT(fixture.events_about("conf"), HasSubstr("Warning ConfigMap PolicySkipped: " + fixture.conf_file));
  std::ofstream(fixture.conf_file, std::ios::trunc) << "actions: \"enqueue, alocate\"\n";
  fixture.advance(Duration::seconds(3));
  EXPECT_THAT(fixture.events_about("conf"), HasSubstr("Warning ConfigMap PolicyRefused: " + fixture.conf_file));
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace basalt
