#include "control/scheduler/decision_writes.h"

#include <gmock/gmock.h>

#include "control/scheduler/scheduler_test_world.h"

namespace basalt::scheduler {
namespace {

using testing::UnorderedElementsAre;

client::ObjectPtr owned_group(const std::string& job) {
  text::Value group = *group_object(job + "-uid", 1);
  group.as_object()["metadata"].as_object()["ownerReferences"] = {
      {{"kind", "Job"}, {"name", job}, {"uid", "job-" + job}, {"controller", true}}};
  return std::make_shared<const text::Value>(std::move(group));
}

TEST(DecisionWrites, AnEvictionSaysWhoForToAllThatItConcerns) {
  SmallCluster cluster;
  cluster.picture.learn(Kind::Node, node_object("n1", "4"));
  for (const char* job : {"small", "urgent"}) cluster.picture.learn(Kind::PodGroup, owned_group(job));
  for (const char* pod : {"small-t-0", "small-t-1"}) {
    cluster.picture.learn(
        Kind::Pod, pod_object({.name = pod, .uid = pod, .node = "n1", .phase = "Running", .group = "small-uid"}));
  }
  cluster.picture.learn(Kind::Pod, pod_object({.name = "urgent-t-0", .uid = "u", .group = "urgent-uid"}));
  engine::CycleResult result = cluster.cycle();
  const model::TaskId preemptor = cluster.state.find_task("u");
  result.decisions = {};
  for (const char* pod : {"small-t-0", "small-t-1"}) {
    result.decisions.evicts.push_back(
        {.task = cluster.state.find_task(pod), .preemptor = preemptor, .reason = "preempt"});
  }
  const state::ReportText text = cluster.text(result);
  Written out;
  add_evictions({.decisions = result.decisions,
                 .state = cluster.state,
                 .text = text,
                 .scheduler_name = "volcano",
                 .now = kTestStart},
                cluster.picture, out);
  std::vector<std::string> told;
  for (const Remark& remark : out.remarks) {
    if (remark.reason == "Evict") continue;  // Volcano's own
    const loop::Note note = note_of(remark);
    told.push_back(fmt::format("{} {} {}: {}", std::string(api::string_at(note.regarding, "kind")), remark.key,
                               remark.reason, remark.message));
  }
  EXPECT_THAT(told,
              UnorderedElementsAre(
                  "Pod default/small-t-0 Preempted: preempted by job default/urgent (priority 0) in queue default",
                  "Pod default/small-t-1 Preempted: preempted by job default/urgent (priority 0) in queue default",
                  "Job default/small Preempted: 2 pods preempted by job default/urgent (priority 0) in queue default",
                  "Job default/urgent Preempting: 2 pods of job default/small (priority 0) in queue default "
                  "preempted to make room"));
}

}  // namespace
}  // namespace basalt::scheduler
