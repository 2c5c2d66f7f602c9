#include "programs/cli/check/check_verb.h"

#include <gtest/gtest.h>

#include <functional>

#include "programs/cli/check/check_fixture.h"
#include "programs/cli/vcctl/vcctl_fixture.h"

namespace basalt::cli::checkup {
namespace {

// A cluster behind an API, and a clock that only a pause moves.
struct Room {
  ClusterManifests objects;
  vcctl::FakeApi api;
  std::ostringstream out, err;
  std::istringstream in;
  Instant now = noon();
  int pauses = 0;
  PolicyPlace policy;
  std::function<void()> meanwhile = [] {};

  void fill() {
    for (const auto& [plural, list] : objects.of) {
      for (const std::string& one : list) api.put(plural, one);
    }
  }
  int check(bool json = false) {
    vcctl::Terminal terminal{.out = out, .err = err, .in = in, .now = [this] { return now; }};
    return check_and_print(api,
                           {.patience = Duration::seconds(3),
                            .policy = policy,
                            .json = json,
                            .pause =
                                [this](Duration length) {
                                  ++pauses;
                                  now = now + length;
                                  meanwhile();
                                }},
                           terminal);
  }
};

TEST(CheckVerb, SaysThatNothingIsBroken) {
  Room room;
  room.fill();
  EXPECT_EQ(room.check(), kOk);
  EXPECT_EQ(room.out.str(), "checked 2 nodes, 2 queues, 1 PodGroups, 1 jobs, 2 pods: nothing is broken\n");
  EXPECT_EQ(room.pauses, 0);
}

TEST(CheckVerb, AFindingThatLastsCounts) {
  Room room;
  room.objects.of["jobs"][0] = ClusterManifests::job("Running", "running: 1");
  room.fill();
  EXPECT_EQ(room.check(), kFailed);
  EXPECT_EQ(room.out.str(),
            "job-counts: Job lab/train: its status counts 1 running; its pods are 2 running\n"
            "checked 2 nodes, 2 queues, 1 PodGroups, 1 jobs, 2 pods: 1 finding\n");
  EXPECT_EQ(room.pauses, 3) << "until the patience is over";
}

TEST(CheckVerb, WhatRepairsItselfDoesNotCount) {
  Room room;
  room.objects.of["jobs"][0] = ClusterManifests::job("Running", "running: 1");
  room.fill();
  room.meanwhile = [&room] { room.api.put("jobs", ClusterManifests::job("Running", "running: 2")); };
  EXPECT_EQ(room.check(), kOk);
  EXPECT_EQ(room.pauses, 1);
}

TEST(CheckVerb, AFirmFindingCountsEvenWhenItGoesAway) {
  Room room;
  room.objects.of["pods"][0] = PodText{.cpu = "5"}.yaml();
  room.objects.of["jobs"][0] = ClusterManifests::job("Running", "running: 1");
  room.fill();
  room.meanwhile = [&room] {
    room.api.put("pods", PodText{}.yaml());
    room.api.put("jobs", ClusterManifests::job("Running", "running: 2"));
  };
  EXPECT_EQ(room.check(true), kFailed);
  const auto printed = text::parse_json(room.out.str().substr(0, room.out.str().size() - 1));
  ASSERT_TRUE(printed.has_value()) << room.out.str();
  EXPECT_EQ(text::to_json(*printed),
            R"({"checked":{"nodes":2,"queues":2,"podGroups":1,"jobs":1,"pods":2},"findings":[{"rule":)"
            R"("node-oversubscribed","kind":"Node","object":"n1","message":"its 1 pods that are not over ask for 5 cpu)"
            R"(, allocatable is 4"}]})");
}

TEST(CheckVerb, APolicyThatIsNotInForceIsAFindingAndWhatItLeavesOutIsTold) {
  const auto with_conf = [](const std::string& conf) {
    Room room;
    room.fill();
    room.api.put("configmaps",
                 "{metadata: {name: volcano-scheduler-configmap, namespace: volcano-system}, data: "
                 "{volcano-scheduler.conf: \"" +
                     conf + "\"}}");
    const int status = room.check();
    return std::pair(status, room.out.str());
  };
  const auto refused = with_conf("actions: alocate");
  EXPECT_EQ(refused.first, kFailed);
  EXPECT_TRUE(
      refused.second.starts_with("policy-refused: ConfigMap volcano-system/volcano-scheduler-configmap: line 1: "
                                 "actions: unknown action \"alocate\"; did you mean \"allocate\"?\n"))
      << refused.second;
  const auto skipped = with_conf("actions: allocate,shuffle");
  EXPECT_EQ(skipped.first, kOk);
  EXPECT_EQ(skipped.second,
            "policy-skipped: ConfigMap volcano-system/volcano-scheduler-configmap: line 1: actions: Volcano's action "
            "\"shuffle\" is not supported and skipped; the rest is in force\n"
            "checked 2 nodes, 2 queues, 1 PodGroups, 1 jobs, 2 pods: nothing is broken\n");
}

TEST(CheckVerb, ThePolicyMayBeElsewhereAndUnderAnyKeyThatEndsInConf) {
  const auto with_key = [](const std::string& key, const PolicyPlace& place) {
    Room room;
    room.fill();
    room.policy = place;
    room.api.put("configmaps", "{metadata: {name: mine, namespace: batch}, data: {" + key + ": \"actions: alocate\"}}");
    room.check();
    return room.out.str().substr(0, room.out.str().find(" line"));
  };
  const std::string found = "policy-refused: ConfigMap batch/mine:";
  EXPECT_EQ(with_key("volcano-scheduler-ci.conf", {.map = "batch/mine"}), found);
  EXPECT_EQ(with_key("policy.yaml", {.map = "batch/mine", .key = "policy.yaml"}), found);
  EXPECT_NE(with_key("policy.yaml", {.map = "batch/mine"}), found);
}

// In `basalt up --scheduler-conf` the ConfigMap shows what is in force; a file that does not load is noted beside it.
TEST(CheckVerb, AConfFileThatTheSchedulerRefusedIsAFinding) {
  Room room;
  room.fill();
  room.api.put(
      "configmaps",
      "{metadata: {name: volcano-scheduler-configmap, namespace: volcano-system, annotations: "
      "{basalt.sh/policy-refused: \"my.conf: line 1\"}}, data: {volcano-scheduler.conf: \"actions: allocate\"}}");
  EXPECT_EQ(room.check(), kFailed);
  EXPECT_TRUE(room.out.str().starts_with(
      "policy-refused: ConfigMap volcano-system/volcano-scheduler-configmap: my.conf: line 1\n"))
      << room.out.str();
}

TEST(CheckVerb, AClusterThatCannotBeReadIsNotCalledHealthy) {
  Room room;
  room.api.refusals.emplace(api::Verb::List, api::bad_request("no such thing"));
  EXPECT_EQ(room.check(), kUsage);
  EXPECT_EQ(room.err.str(), "basalt check: pods: no such thing\n");
}

}  // namespace
}  // namespace basalt::cli::checkup
