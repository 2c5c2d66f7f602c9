// Which changes concern which jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/volcano/job/job_spec_builders.h"

namespace basalt::volcano {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Watcher {
 public:
  // The items that the object's new state wakes.
  std::vector<std::string> see(VolcanoKind kind, std::string_view yaml) {
    text::Value value = text::parse_yaml(yaml).value().value;
    api::metadata_of(value.get_object())["resourceVersion"] = std::to_string(++version_);
    std::vector<std::string> items;
    seen_.learn(kind, std::make_shared<const text::Value>(std::move(value)),
                [&](const ObjectChange& change) { wake(change, items); });
    return items;
  }
  std::vector<std::string> lose(VolcanoKind kind, const std::string& key) {
    std::vector<std::string> items;
    seen_.forget(kind, key, Instant::from_unix_seconds(1), [&](const ObjectChange& change) { wake(change, items); });
    return items;
  }

 private:
  void wake(const ObjectChange& change, std::vector<std::string>& items) {
    const VolcanoContext context{
        .seen = seen_, .probes = probes_, .options = options_, .system_services = system_services_};
    job_controller().wake(context, change, items);
  }
  ControllerCache seen_{{}};
  GoodProbes probes_;
  VolcanoControllerOptions options_;
  SystemServices system_services_;
  int version_ = 0;
};

constexpr std::string_view kOwner =
    "ownerReferences: [{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: u, controller: true}]";

std::string pod(std::string_view phase, std::string_view ip) {
  return fmt::format("{{metadata: {{name: j-w-0, namespace: ns, {}}}, status: {{phase: {}, podIP: {}}}}}", kOwner,
                     phase, ip);
}

TEST(JobWake, PodsWakeTheirJobWhenItMatters) {
  Watcher watcher;
  EXPECT_THAT(watcher.see(VolcanoKind::Pod, pod("Pending", "1")), ElementsAre("ns/j"));
  EXPECT_THAT(watcher.see(VolcanoKind::Pod, pod("Pending", "2")), IsEmpty());
  EXPECT_THAT(watcher.see(VolcanoKind::Pod, pod("Running", "2")), ElementsAre("ns/j"));
  EXPECT_THAT(watcher.lose(VolcanoKind::Pod, "ns/j-w-0"), ElementsAre("ns/j"));
  EXPECT_THAT(watcher.see(VolcanoKind::Pod, "{metadata: {name: x, namespace: ns}}"), IsEmpty());
}

TEST(JobWake, GroupsCommandsAndJobs) {
  Watcher watcher;
  EXPECT_THAT(watcher.see(VolcanoKind::PodGroup, fmt::format("{{metadata: {{name: g, namespace: ns, {}}}}}", kOwner)),
              ElementsAre("ns/j"));
  EXPECT_THAT(watcher.see(VolcanoKind::PodGroup, "{metadata: {name: h, namespace: ns}}"), IsEmpty());
  EXPECT_THAT(watcher.see(VolcanoKind::Command,
                          "{metadata: {name: c, namespace: ns}, target: {apiVersion: batch.volcano.sh/v1alpha1, kind: "
                          "Job, name: j, uid: u}}"),
              ElementsAre("ns/j"));
  EXPECT_THAT(watcher.see(VolcanoKind::Command,
                          "{metadata: {name: d, namespace: ns}, target: {apiVersion: scheduling.volcano.sh/v1beta1, "
                          "kind: Queue, name: q, uid: u}}"),
              IsEmpty());
  EXPECT_THAT(watcher.see(VolcanoKind::Job, "{metadata: {name: j, namespace: ns}}"), ElementsAre("ns/j"));
}

TEST(JobWake, QueuesAndClaimsThatJobsWaitFor) {
  Watcher watcher;
  watcher.see(VolcanoKind::Job,
              "{metadata: {name: j, namespace: ns}, spec: {queue: q, volumes: [{volumeClaimName: c}]}}");
  watcher.see(VolcanoKind::Job, "{metadata: {name: k, namespace: ns}, spec: {queue: r}}");
  EXPECT_THAT(watcher.see(VolcanoKind::Queue, "{metadata: {name: q}}"), ElementsAre("ns/j"));
  EXPECT_THAT(watcher.see(VolcanoKind::Queue, "{metadata: {name: q}, status: {state: Open}}"), IsEmpty());
  EXPECT_THAT(watcher.see(VolcanoKind::Queue, "{metadata: {name: q}, spec: {extendClusters: [{name: x}]}}"),
              ElementsAre("ns/j"));
  EXPECT_THAT(watcher.see(VolcanoKind::Claim, "{metadata: {name: c, namespace: ns}}"), ElementsAre("ns/j"));
  EXPECT_THAT(watcher.see(VolcanoKind::Claim, "{metadata: {name: c, namespace: other}}"), IsEmpty());
}

TEST(JobHostile, StrangeObjectsGiveNoWrongPlans) {
  for (const std::string_view spec :
       {"{}", "{tasks: 7}", "{tasks: [1, null, {}]}", "{tasks: [{name: w, replicas: 2147483647}], minAvailable: 1}",
        "{tasks: [{name: w, replicas: -5}]}",
        "{policies: [{event: 7}, [], {events: [{}]}], tasks: [{name: w, replicas: 1}]}",
        "{tasks: [{name: w, replicas: 1}, {name: w, replicas: 2}]}",
        "{plugins: {svc: 7}, volumes: [3], tasks: [{replicas: 1}]}"}) {
    SCOPED_TRACE(spec);
    JobFixture context(spec);
    context.settle(50);
    context.admit();
    context.settle(1'200);
    for (const std::string& place : context.places("pods/")) {
      context.patch(place,
                    R"({"metadata":{"annotations":{"volcano.sh/task-index":"99999999999","basalt.sh/restart":"-3"}}})");
    }
    context.settle(1'200);
    context.patch("jobs/ns/j",
                  R"({"status":{"state":"x","conditions":[1,{}],"taskStatusCount":[],"version":-1,"retryCount":"a"}})");
    context.settle(1'200);
  }
}

}  // namespace
}  // namespace basalt::volcano
