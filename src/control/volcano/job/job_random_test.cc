// Random lives of jobs: pods that run, fail, vanish, commands, scaling, time, crashes. What must hold is checked each
// time the controller has come to rest. A failure prints its seed.
#include <gtest/gtest.h>

#include <array>

#include "base/rng.h"
#include "control/volcano/job/job_spec_builders.h"
#include "control/volcano/job/state/job_transition.h"

namespace basalt::volcano {
namespace {

constexpr std::array kEvents = {"PodFailed",  "PodEvicted", "PodPending", "TaskCompleted",
                                "TaskFailed", "Unknown",    "\"*\""};
constexpr std::array kActions = {"AbortJob",         "RestartJob",   "RestartTask", "RestartPod",
                                 "RestartPartition", "TerminateJob", "CompleteJob", "ResumeJob"};
constexpr std::array kFinal = {"Completed", "Failed", "Terminated"};

class Life {
 public:
  explicit Life(uint64_t seed) : rng_(seed), world_(random_spec()) {
    max_retry_ = api::int_at(world_.object("jobs/ns/j"), {"spec", "maxRetry"});
    world_.slow_pods = pick(2) == 0;
  }

  void live(int steps) {
    work();
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      step();
      work();
    }
  }

 private:
  size_t pick(size_t below) { return static_cast<size_t>(rng_.below(below)); }
  template <class List>
  auto one_of(const List& list) {
    return list[pick(list.size())];
  }

  std::string random_policies() {
    std::string policies;
    for (size_t i = pick(3); i > 0; --i) {
      const std::string timeout = pick(3) == 0 ? ", timeout: 20s" : "";
      policies += fmt::format("{}{{event: {}, action: {}{}}}", policies.empty() ? "" : ", ", one_of(kEvents),
                              one_of(kActions), timeout);
    }
    return policies;
  }
  std::string random_spec() {
    const std::string partition = pick(2) == 0 ? "partitionPolicy: {totalPartitions: 2, partitionSize: 2}" : "";
    const std::string more =
        fmt::format("policies: [{}], maxRetry: {}{}{}", random_policies(), pick(5),
                    pick(4) == 0 ? ", minSuccess: 2" : "", pick(3) == 0 ? ", plugins: {svc: []}" : "");
    return job_of(
        static_cast<int>(pick(6)),
        task("a", 4, partition) + "," +
            task("b", 2,
                 fmt::format("policies: [{}]{}", random_policies(), pick(3) == 0 ? ", dependsOn: {name: [a]}" : "")),
        more);
  }

  void step() {
    const JobFixture::Lines pods = world_.places("pods/");
    const std::string pod = pods.empty() ? "" : one_of(pods);
    const std::string name = pod.empty() ? "" : pod.substr(pod.rfind('/') + 1);
    switch (pick(12)) {
      case 0:
        return world_.admit(one_of(std::array{"Inqueue", "Running", "Unknown", "Pending"}));
      case 1:
      case 2:
        return world_.all_pods("Running");
      case 3:
        return world_.command(fmt::format("c{}", ++commands_), one_of(kActions));
      case 4:
        return world_.pass(Duration::seconds(static_cast<int64_t>(pick(30))));
      case 5:
        return world_.bury();
      case 6:
        return world_.restart();
      case 7:
        return world_.change_spec(fmt::format(R"({{"tasks":[{{"name":"a","replicas":{0},"template":{2}}},)"
                                              R"({{"name":"b","replicas":{1},"template":{2}}}]}})",
                                              pick(5), pick(3),
                                              R"({"spec":{"containers":[{"name":"c","image":"i"}]}})"));
      case 8:
        if (!pod.empty()) world_.lose(pod);
        return;
      case 9:
        if (!pod.empty()) world_.pod(name, "Succeeded");
        return;
      case 10:
        if (!pod.empty()) world_.pod(name, "Failed", static_cast<int>(pick(3)));
        return;
      default:
        if (!pod.empty()) world_.pod(name, "Running", 0, static_cast<int>(pick(3)));
    }
  }

  void work() {
    if (pick(3) == 0) {  // a crash in the middle
      world_.settle(pick(6));
      world_.restart();
    }
    world_.settle();
    EXPECT_EQ(world_.plan(), JobFixture::Lines()) << "at rest";
    expect_counts();
    const std::string phase = world_.phase();
    EXPECT_TRUE(final_.empty() || phase == final_) << "a finished job stays finished: " << phase;
    if (std::ranges::find(kFinal, phase) != kFinal.end()) {
      final_ = phase;
      EXPECT_TRUE(world_.places("podgroups/").empty());
    }
    EXPECT_LE(world_.number("retryCount"), std::max<int64_t>(max_retry_, 1))
        << "the one beyond maxRetry 0 ends the job";
    EXPECT_TRUE(world_.places("commands/").empty());
  }

  void expect_counts() {
    PodCounts truth;
    for (const std::string& place : world_.places("pods/")) {
      const CachedPod pod = cached_pod_of(world_.object(place));
      (pod.leaving()                      ? truth.terminating
       : pod.phase == PodPhase::Pending   ? truth.pending
       : pod.phase == PodPhase::Running   ? truth.running
       : pod.phase == PodPhase::Succeeded ? truth.succeeded
                                          : truth.failed)++;
    }
    PodCounts told{.pending = world_.number("pending"),
                   .running = world_.number("running"),
                   .succeeded = world_.number("succeeded"),
                   .failed = world_.number("failed"),
                   .terminating = world_.number("terminating")};
    if (std::ranges::find(kFinal, world_.phase()) != kFinal.end()) {
      // What it counted when it ended stays, whoever takes its pods.
      EXPECT_GE(told.succeeded, truth.succeeded) << world_.summary();
      EXPECT_GE(told.failed, truth.failed) << world_.summary();
      told.succeeded = truth.succeeded;
      told.failed = truth.failed;
    }
    EXPECT_EQ(told, truth) << world_.summary();
  }

  Rng rng_;
  JobFixture world_;
  int64_t max_retry_ = 0;
  int commands_ = 0;
  std::string final_;
};

TEST(JobRandom, LivesKeepTheirPromises) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Life(seed).live(40);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace basalt::volcano
