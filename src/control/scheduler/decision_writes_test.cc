#include "control/scheduler/decision_writes.h"

#include <gmock/gmock.h>

#include "control/scheduler/scheduler_fixture.h"

namespace basalt::scheduler {
namespace {

using testing::UnorderedElementsAre;

client::ObjectPtr owned_group(const std::string& job, const char* api_version = "batch.volcano.sh/v1alpha1") {
  text::Value group = *group_object(job + "-uid", 1);
  group.as_object()["metadata"].as_object()["ownerReferences"] = {
      {{"apiVersion", api_version}, {"kind", "Job"}, {"name", job}, {"uid", "job-" + job}, {"controller", true}}};
  return std::make_shared<const text::Value>(std::move(group));
}

// The events of an eviction of both pods of `small` for one of `urgent`, Volcano's own aside.
std::vector<std::string> told_of_eviction(SchedulerFixture& cluster, std::string_view action = "preempt") {
  cluster.cache.learn(SchedulerKind::Node, node_object("n1", "4"));
  for (const char* pod : {"small-t-0", "small-t-1"}) {
    cluster.cache.learn(SchedulerKind::Pod,
                        pod_object({.name = pod, .uid = pod, .node = "n1", .phase = "Running", .group = "small-uid"}));
  }
  cluster.cache.learn(SchedulerKind::Pod, pod_object({.name = "urgent-t-0", .uid = "u", .group = "urgent-uid"}));
  engine::CycleResult result = cluster.cycle();
  const model::TaskId preemptor = cluster.state.find_task("u");
  result.decisions = {};
  for (const char* pod : {"small-t-0", "small-t-1"}) {
    result.decisions.evicts.push_back({.task = cluster.state.find_task(pod), .preemptor = preemptor, .reason = action});
  }
  const state::ReportText text = cluster.text(result);
  CycleOutput out;
  add_evictions({.decisions = result.decisions,
                 .state = cluster.state,
                 .text = text,
                 .scheduler_name = "volcano",
                 .now = kTestStart},
                cluster.cache, out);
  std::vector<std::string> told;
  for (const PendingEvent& pending_event : out.events) {
    if (pending_event.reason == "Evict") continue;
    const loop::EventNote note = note_of(pending_event);
    told.push_back(fmt::format("{} {} {}: {}", std::string(api::string_at(note.regarding, "kind")), pending_event.key,
                               pending_event.reason, pending_event.message));
  }
  return told;
}

TEST(DecisionWrites, AnEvictionSaysWhoForToAllThatItConcerns) {
  SchedulerFixture cluster;
  for (const char* job : {"small", "urgent"}) cluster.cache.learn(SchedulerKind::PodGroup, owned_group(job));
  EXPECT_THAT(told_of_eviction(cluster),
              UnorderedElementsAre(
                  "Pod default/small-t-0 Preempted: preempted by job default/urgent (priority 0) in queue default",
                  "Pod default/small-t-1 Preempted: preempted by job default/urgent (priority 0) in queue default",
                  "Job default/small Preempted: 2 pods preempted by job default/urgent (priority 0) in queue default",
                  "Job default/urgent Preempting: 2 pods of job default/small (priority 0) in queue default "
                  "preempted to make room"));
}

// A Job of Kubernetes is no vcjob, though it is called so: its PodGroup is told.
TEST(DecisionWrites, AGroupOfAnotherKindOfJobIsToldItself) {
  SchedulerFixture cluster;
  cluster.cache.learn(SchedulerKind::PodGroup, owned_group("small", "batch/v1"));
  cluster.cache.learn(SchedulerKind::PodGroup, owned_group("urgent"));
  EXPECT_THAT(told_of_eviction(cluster),
              UnorderedElementsAre(
                  "Pod default/small-t-0 Preempted: preempted by job default/urgent (priority 0) in queue default",
                  "Pod default/small-t-1 Preempted: preempted by job default/urgent (priority 0) in queue default",
                  "PodGroup default/small-uid Preempted: 2 pods preempted by job default/urgent (priority 0) in queue "
                  "default",
                  "Job default/urgent Preempting: 2 pods of group default/small-uid (priority 0) in queue default "
                  "preempted to make room"));
}

}  // namespace
}  // namespace basalt::scheduler
