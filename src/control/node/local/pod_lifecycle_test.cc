#include "control/node/local/pod_lifecycle.h"

#include <gtest/gtest.h>

#include "control/node/local/pod_lifecycle_fixture.h"

namespace basalt::node {
namespace {

TEST(PodLifecycle, StartsContainersTogetherAfterVolumes) {
  PodLifecycleFixture fixture("restartPolicy: Never, containers: [{name: a}, {name: b}]");
  EXPECT_EQ(fixture.status(), "Pending a:waiting(ContainerCreating) b:waiting(ContainerCreating)");
  EXPECT_EQ(fixture.step(), "volumes, start a, start b");
  EXPECT_EQ(fixture.status(), "Running a:ready b:ready");
  EXPECT_TRUE(fixture.noted("Started: Container started"));
  EXPECT_EQ(fixture.exit("a", 0), "");
  EXPECT_EQ(fixture.status(), "Running a:ended(0) b:ready");
  EXPECT_EQ(fixture.exit("b", 0), "clean up");
  EXPECT_EQ(fixture.status(), "Succeeded a:ended(0) b:ended(0)");
  EXPECT_TRUE(fixture.machine().is_over());
}

struct EndCase {
  std::string policy;
  int code;
  std::string actions, status;
};

TEST(PodLifecycle, PolicyDecidesAfterTheEnd) {
  const std::vector<EndCase> cases = {
      {"Never", 0, "clean up", "Succeeded a:ended(0)"},     {"Never", 3, "clean up", "Failed a:ended(3)"},
      {"OnFailure", 0, "clean up", "Succeeded a:ended(0)"}, {"OnFailure", 3, "start a", "Running a:ready"},
      {"Always", 0, "start a", "Running a:ready"},          {"Always", 3, "start a", "Running a:ready"},
  };
  for (const EndCase& one : cases) {
    PodLifecycleFixture fixture("restartPolicy: " + one.policy + ", containers: [{name: a}]");
    fixture.step();
    EXPECT_EQ(fixture.exit("a", one.code), one.actions) << one.policy << " " << one.code;
    EXPECT_EQ(fixture.status(), one.status) << one.policy << " " << one.code;
  }
}

TEST(PodLifecycle, AContainersOwnPolicyAndRulesWin) {
  PodLifecycleFixture never("restartPolicy: Always, containers: [{name: a, restartPolicy: Never}]");
  never.step();
  EXPECT_EQ(never.exit("a", 1), "clean up");
  const std::string spec =
      "restartPolicy: Never, containers: [{name: a, restartPolicy: Never, restartPolicyRules: "
      "[{action: Restart, exitCodes: {operator: In, values: [42]}}]}]";
  PodLifecycleFixture rule(spec);
  rule.step();
  EXPECT_EQ(rule.exit("a", 42), "start a");
  EXPECT_EQ(rule.exit("a", 41), "clean up");
  EXPECT_EQ(rule.status(), "Failed a:ended(41)");
}

TEST(PodLifecycle, OneFailureAmongSeveralFailsThePod) {
  PodLifecycleFixture fixture("restartPolicy: Never, containers: [{name: a}, {name: b}]");
  fixture.step();
  fixture.exit("a", 1);
  EXPECT_EQ(fixture.status(), "Running a:ended(1) b:ready");
  fixture.exit("b", 0);
  EXPECT_EQ(fixture.status(), "Failed a:ended(1) b:ended(0)");
}

TEST(PodLifecycle, ExitCodesSignalsAndMemory) {
  PodLifecycleFixture fixture("restartPolicy: Never, containers: [{name: a}]");
  fixture.step();
  fixture.exit("a", 137, SIGKILL, true);
  const auto end = std::get<Terminated>(fixture.report("a").state);
  EXPECT_EQ(end.exit_code, 137);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(end.reason, "OOMKilled");
  EXPECT_EQ(end.started, fixture.now());
  EXPECT_FALSE(fixture.report("a").ready);
}

TEST(PodLifecycle, BackOffDoublesUpToItsLimit) {
  PodLifecycleFixture fixture("containers: [{name: a}]");
  fixture.step();
  EXPECT_EQ(fixture.exit("a", 1), "start a");  // the first time at once
  EXPECT_EQ(fixture.report("a").restarts, 1);
  fixture.exit("a", 1);
  EXPECT_EQ(fixture.status(), "Running a:waiting(CrashLoopBackOff)");
  EXPECT_EQ(fixture.report("a").last->exit_code, 1);
  EXPECT_TRUE(fixture.noted("BackOff: Back-off restarting failed container a in pod p_ns(u1)"));
  EXPECT_EQ(std::get<Waiting>(fixture.report("a").state).message,
            "back-off 10s restarting failed container=a pod=p_ns(u1)");
  EXPECT_EQ(fixture.pass(9), "");
  EXPECT_EQ(fixture.pass(1), "10 start a");
  int64_t at = 10;
  for (const int64_t wait : {20, 40, 80, 160, 300, 300}) {
    fixture.exit("a", 1);
    EXPECT_EQ(fixture.pass(static_cast<double>(wait) - 1), "") << wait;
    at += wait;
    EXPECT_EQ(fixture.pass(1), std::to_string(at) + " start a") << wait;
  }
  EXPECT_EQ(fixture.report("a").restarts, 8);
  EXPECT_EQ(fixture.count_noted("BackOff: "), 7U);  // once for each wait
}

TEST(PodLifecycle, ALongRunIsForgiven) {
  PodLifecycleFixture fixture("containers: [{name: a}]");
  fixture.step();
  fixture.exit("a", 1);
  fixture.exit("a", 1);
  fixture.pass(10);
  fixture.pass(599);
  fixture.exit("a", 1);
  EXPECT_EQ(fixture.status(), "Running a:waiting(CrashLoopBackOff)");
  fixture.pass(20);
  EXPECT_EQ(fixture.status(), "Running a:ready");
  fixture.pass(601);
  EXPECT_EQ(fixture.exit("a", 1), "start a");
}

TEST(PodLifecycle, BackOffIsAnOption) {
  PodLifecycleFixture fixture("containers: [{name: a}]", "",
                              {.back_off = {.first = Duration::millis(100), .longest = Duration::millis(150)}});
  fixture.step();
  fixture.exit("a", 1);
  fixture.exit("a", 1);
  EXPECT_EQ(fixture.pass(0.1), "0 start a");
  fixture.exit("a", 1);
  EXPECT_EQ(fixture.pass(0.14), "");
  EXPECT_EQ(fixture.pass(0.01), "0 start a");
}

TEST(PodLifecycle, InitContainersOneAfterTheOther) {
  PodLifecycleFixture fixture("restartPolicy: Never, initContainers: [{name: i}, {name: j}], containers: [{name: a}]");
  EXPECT_EQ(fixture.step(), "volumes, start i");
  EXPECT_EQ(fixture.status(), "Pending i:running j:waiting(PodInitializing) a:waiting(PodInitializing)");
  EXPECT_EQ(fixture.exit("i", 0), "start j");
  EXPECT_TRUE(fixture.report("i").ready);
  EXPECT_EQ(fixture.exit("j", 0), "start a");
  EXPECT_EQ(fixture.status(), "Running i:ended(0) j:ended(0) a:ready");
  fixture.exit("a", 0);
  EXPECT_EQ(fixture.status(), "Succeeded i:ended(0) j:ended(0) a:ended(0)");
}

TEST(PodLifecycle, AnInitContainerThatFails) {
  PodLifecycleFixture never("restartPolicy: Never, initContainers: [{name: i}], containers: [{name: a}]");
  never.step();
  EXPECT_EQ(never.exit("i", 2), "clean up");
  EXPECT_EQ(never.status(), "Failed i:ended(2) a:waiting(PodInitializing)");
  for (const char* policy : {"Always", "OnFailure"}) {
    PodLifecycleFixture again(std::string("restartPolicy: ") + policy +
                              ", initContainers: [{name: i}], containers: [{name: a}]");
    again.step();
    EXPECT_EQ(again.exit("i", 2), "start i");
    again.exit("i", 2);
    EXPECT_EQ(again.status(), "Pending i:waiting(CrashLoopBackOff) a:waiting(PodInitializing)");
    EXPECT_EQ(again.pass(10), "10 start i");
    EXPECT_EQ(again.exit("i", 0), "start a");
  }
}

TEST(PodLifecycle, ASidecarRunsBesideAndEndsLast) {
  PodLifecycleFixture fixture(
      "restartPolicy: Never, initContainers: [{name: s, restartPolicy: Always}, {name: i}, {name: t, restartPolicy: "
      "Always}], containers: [{name: a}]");
  EXPECT_EQ(fixture.step(), "volumes, start s, start i");
  EXPECT_EQ(fixture.exit("i", 0), "start t, start a");
  EXPECT_EQ(fixture.status(), "Running s:ready i:ended(0) t:ready a:ready");
  EXPECT_EQ(fixture.exit("s", 1), "start s");  // also with restartPolicy Never
  EXPECT_EQ(fixture.exit("a", 0), "TERM t");
  EXPECT_EQ(fixture.status(), "Running s:ready i:ended(0) t:ready a:ended(0)");
  EXPECT_EQ(fixture.exit("t", 143, SIGTERM), "TERM s");
  EXPECT_EQ(fixture.exit("s", 143, SIGTERM), "clean up");
  EXPECT_EQ(fixture.status(), "Succeeded s:ended(143) i:ended(0) t:ended(143) a:ended(0)");
}

TEST(PodLifecycle, ASidecarWithAStartupProbeHoldsUpTheOthers) {
  PodLifecycleFixture fixture(
      "initContainers: [{name: s, restartPolicy: Always, startupProbe: {exec: {command: [x]}, periodSeconds: 2}}], "
      "containers: [{name: a}]");
  EXPECT_EQ(fixture.step(), "volumes, start s, Startup s");
  EXPECT_EQ(fixture.probed("s", ProbeKind::Startup, false), "");
  EXPECT_EQ(fixture.status(), "Pending s:running a:waiting(PodInitializing)");
  EXPECT_EQ(fixture.pass(2), "2 Startup s");
  EXPECT_EQ(fixture.probed("s", ProbeKind::Startup, true), "start a");
  EXPECT_EQ(fixture.status(), "Running s:ready a:ready");
}

TEST(PodLifecycle, VolumesThatFailAreTriedAgain) {
  PodLifecycleFixture fixture("containers: [{name: a}]");
  fixture.bad_volumes = true;
  EXPECT_EQ(fixture.step(), "volumes");
  EXPECT_TRUE(fixture.noted("FailedMount: no"));
  EXPECT_EQ(fixture.status(), "Pending a:waiting(ContainerCreating)");
  EXPECT_EQ(std::get<Waiting>(fixture.report("a").state).message, "no");
  EXPECT_EQ(fixture.pass(4), "0 volumes; 1 volumes; 3 volumes");
  fixture.machine().try_again();
  fixture.bad_volumes = false;
  EXPECT_EQ(fixture.step(), "volumes, start a");
}

TEST(PodLifecycle, AStartThatCannotBeTriedIsNoRun) {
  PodLifecycleFixture fixture("restartPolicy: Never, containers: [{name: a}]");
  fixture.unready.insert("a");
  EXPECT_EQ(fixture.step(), "volumes, start a");
  EXPECT_EQ(fixture.status(), "Pending a:waiting(CreateContainerConfigError)");
  EXPECT_TRUE(fixture.noted("Failed: Error: no"));
  fixture.unready.clear();
  fixture.machine().try_again();
  EXPECT_EQ(fixture.step(), "start a");
  EXPECT_EQ(fixture.status(), "Running a:ready");
  EXPECT_EQ(fixture.report("a").restarts, 0);
}

TEST(PodLifecycle, AStartThatFailsIsARun) {
  PodLifecycleFixture fixture("restartPolicy: Never, containers: [{name: a}]");
  fixture.broken.insert("a");
  EXPECT_EQ(fixture.step(), "volumes, start a, clean up");
  EXPECT_EQ(fixture.status(), "Failed a:ended(128 StartError)");
  PodLifecycleFixture again("restartPolicy: OnFailure, containers: [{name: a}]");
  again.broken.insert("a");
  EXPECT_EQ(again.step(), "volumes, start a, start a");
  EXPECT_EQ(again.status(), "Running a:waiting(CrashLoopBackOff)");
}

TEST(PodLifecycle, AnEndMayOvertakeItsBeginning) {
  PodLifecycleFixture fixture("restartPolicy: Never, containers: [{name: a}]");
  fixture.slow.insert("a");
  fixture.step();
  const RunId run = fixture.id("a");
  EXPECT_EQ(fixture.exit("a", 7), "clean up");
  fixture.tell(ContainerStarted{.id = run});
  fixture.tell(ContainerExited{.id = run, .code = 9});
  EXPECT_EQ(fixture.step(), "");
  EXPECT_EQ(fixture.status(), "Failed a:ended(7)");
}

TEST(PodLifecycle, TheActiveDeadlineEndsThePod) {
  PodLifecycleFixture fixture("activeDeadlineSeconds: 5, terminationGracePeriodSeconds: 3, containers: [{name: a}]");
  fixture.step();
  EXPECT_EQ(fixture.pass(7), "5 TERM a");
  EXPECT_EQ(fixture.status(), "Running a:ready");  // final only when nothing runs any more
  EXPECT_EQ(fixture.pass(1), "8 KILL a, clean up");
  EXPECT_EQ(fixture.status(), "Failed(DeadlineExceeded) a:ended(137)");
}

TEST(PodLifecycle, TheDeadlineCountsFromTheStartOfThePod) {
  PodLifecycleFixture fixture("activeDeadlineSeconds: 5, containers: [{name: a}]",
                              "startTime: '2023-11-14T22:13:17Z'");  // 3 s ago
  EXPECT_EQ(fixture.pass(2), "0 volumes, start a; 2 TERM a");
}

TEST(PodLifecycle, NewsOfStrangersAreIgnored) {
  PodLifecycleFixture fixture("containers: [{name: a}]");
  fixture.step();
  const RunId old = fixture.id("a");
  fixture.exit("a", 1);
  const std::string before = fixture.status();
  fixture.tell(ContainerExited{.id = old, .code = 1});
  fixture.tell(ContainerExited{.id = {.container = 99, .run = 1}, .code = 1});
  fixture.tell(HookFinished{.id = old, .good = false});
  fixture.tell(ProbeFinished{.id = fixture.id("a"), .kind = ProbeKind::Liveness, .good = false});
  fixture.tell(VolumesReady{});
  EXPECT_EQ(fixture.step(), "");
  EXPECT_EQ(fixture.status(), before);
}

TEST(PodLifecycle, ReadinessGatesKeepItUnready) {
  PodLifecycleFixture fixture("readinessGates: [{conditionType: x/y}], containers: [{name: a}]");
  fixture.step();
  ASSERT_EQ(fixture.machine().report().gates.size(), 1U);
  EXPECT_EQ(fixture.machine().report().gates[0],
            "corresponding condition of pod readiness gate \"x/y\" does not exist.");
  fixture.pod()["status"] = PodLifecycleFixture::parse("{conditions: [{type: x/y, status: 'True'}]}");
  fixture.machine().observe(fixture.pod(), fixture.now());
  EXPECT_TRUE(fixture.machine().report().gates.empty());
}

TEST(PodLifecycle, HostileObjectsAreNoPods) {
  for (const char* text : {"{}", "{spec: 3}", "{metadata: [1], spec: {containers: {a: b}}}",
                           "{spec: {containers: [1, x, null, {name: 5}], initContainers: [[[]]]}, status: {phase: 7, "
                           "containerStatuses: [1, {name: []}]}}"}) {
    const text::Object pod = PodLifecycleFixture::parse(text);
    PodLifecycle machine(pod, {}, Instant::from_unix_seconds(1));
    for (int i = 0; i < 3; ++i) (void)machine.advance(Instant::from_unix_seconds(1 + i));
    (void)machine.report();
  }
}

}  // namespace
}  // namespace basalt::node
