#include "control/node/local/pod_machine.h"

#include <gtest/gtest.h>

#include "control/node/local/pod_machine_test_world.h"

namespace basalt::node {
namespace {

TEST(PodMachine, StartsContainersTogetherAfterVolumes) {
  Play play("restartPolicy: Never, containers: [{name: a}, {name: b}]");
  EXPECT_EQ(play.status(), "Pending a:waiting(ContainerCreating) b:waiting(ContainerCreating)");
  EXPECT_EQ(play.step(), "volumes, start a, start b");
  EXPECT_EQ(play.status(), "Running a:ready b:ready");
  EXPECT_TRUE(play.noted("Started: Container started"));
  EXPECT_EQ(play.exit("a", 0), "");
  EXPECT_EQ(play.status(), "Running a:ended(0) b:ready");
  EXPECT_EQ(play.exit("b", 0), "clean up");
  EXPECT_EQ(play.status(), "Succeeded a:ended(0) b:ended(0)");
  EXPECT_TRUE(play.machine().is_over());
}

struct EndCase {
  std::string policy;
  int code;
  std::string orders, status;
};

TEST(PodMachine, PolicyDecidesAfterTheEnd) {
  const std::vector<EndCase> cases = {
      {"Never", 0, "clean up", "Succeeded a:ended(0)"},     {"Never", 3, "clean up", "Failed a:ended(3)"},
      {"OnFailure", 0, "clean up", "Succeeded a:ended(0)"}, {"OnFailure", 3, "start a", "Running a:ready"},
      {"Always", 0, "start a", "Running a:ready"},          {"Always", 3, "start a", "Running a:ready"},
  };
  for (const EndCase& one : cases) {
    Play play("restartPolicy: " + one.policy + ", containers: [{name: a}]");
    play.step();
    EXPECT_EQ(play.exit("a", one.code), one.orders) << one.policy << " " << one.code;
    EXPECT_EQ(play.status(), one.status) << one.policy << " " << one.code;
  }
}

TEST(PodMachine, AContainersOwnPolicyAndRulesWin) {
  Play never("restartPolicy: Always, containers: [{name: a, restartPolicy: Never}]");
  never.step();
  EXPECT_EQ(never.exit("a", 1), "clean up");
  const std::string spec =
      "restartPolicy: Never, containers: [{name: a, restartPolicy: Never, restartPolicyRules: "
      "[{action: Restart, exitCodes: {operator: In, values: [42]}}]}]";
  Play rule(spec);
  rule.step();
  EXPECT_EQ(rule.exit("a", 42), "start a");
  EXPECT_EQ(rule.exit("a", 41), "clean up");
  EXPECT_EQ(rule.status(), "Failed a:ended(41)");
}

TEST(PodMachine, OneFailureAmongSeveralFailsThePod) {
  Play play("restartPolicy: Never, containers: [{name: a}, {name: b}]");
  play.step();
  play.exit("a", 1);
  EXPECT_EQ(play.status(), "Running a:ended(1) b:ready");
  play.exit("b", 0);
  EXPECT_EQ(play.status(), "Failed a:ended(1) b:ended(0)");
}

TEST(PodMachine, ExitCodesSignalsAndMemory) {
  Play play("restartPolicy: Never, containers: [{name: a}]");
  play.step();
  play.exit("a", 137, SIGKILL, true);
  const auto end = std::get<Terminated>(play.report("a").state);
  EXPECT_EQ(end.exit_code, 137);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(end.reason, "OOMKilled");
  EXPECT_EQ(end.started, play.now());
  EXPECT_FALSE(play.report("a").ready);
}

TEST(PodMachine, BackOffDoublesUpToItsLimit) {
  Play play("containers: [{name: a}]");
  play.step();
  EXPECT_EQ(play.exit("a", 1), "start a");  // the first time at once
  EXPECT_EQ(play.report("a").restarts, 1);
  play.exit("a", 1);
  EXPECT_EQ(play.status(), "Running a:waiting(CrashLoopBackOff)");
  EXPECT_EQ(play.report("a").last->exit_code, 1);
  EXPECT_TRUE(play.noted("BackOff: Back-off restarting failed container a in pod p_ns(u1)"));
  EXPECT_EQ(std::get<Waiting>(play.report("a").state).message,
            "back-off 10s restarting failed container=a pod=p_ns(u1)");
  EXPECT_EQ(play.pass(9), "");
  EXPECT_EQ(play.pass(1), "10 start a");
  int64_t at = 10;
  for (const int64_t wait : {20, 40, 80, 160, 300, 300}) {
    play.exit("a", 1);
    EXPECT_EQ(play.pass(static_cast<double>(wait) - 1), "") << wait;
    at += wait;
    EXPECT_EQ(play.pass(1), std::to_string(at) + " start a") << wait;
  }
  EXPECT_EQ(play.report("a").restarts, 8);
  EXPECT_EQ(play.count_noted("BackOff: "), 7U);  // once for each wait
}

TEST(PodMachine, ALongRunIsForgiven) {
  Play play("containers: [{name: a}]");
  play.step();
  play.exit("a", 1);
  play.exit("a", 1);
  play.pass(10);
  play.pass(599);
  play.exit("a", 1);
  EXPECT_EQ(play.status(), "Running a:waiting(CrashLoopBackOff)");
  play.pass(20);
  EXPECT_EQ(play.status(), "Running a:ready");
  play.pass(601);
  EXPECT_EQ(play.exit("a", 1), "start a");
}

TEST(PodMachine, BackOffIsAnOption) {
  Play play("containers: [{name: a}]", "",
            {.back_off = {.first = Duration::millis(100), .longest = Duration::millis(150)}});
  play.step();
  play.exit("a", 1);
  play.exit("a", 1);
  EXPECT_EQ(play.pass(0.1), "0 start a");
  play.exit("a", 1);
  EXPECT_EQ(play.pass(0.14), "");
  EXPECT_EQ(play.pass(0.01), "0 start a");
}

TEST(PodMachine, InitContainersOneAfterTheOther) {
  Play play("restartPolicy: Never, initContainers: [{name: i}, {name: j}], containers: [{name: a}]");
  EXPECT_EQ(play.step(), "volumes, start i");
  EXPECT_EQ(play.status(), "Pending i:running j:waiting(PodInitializing) a:waiting(PodInitializing)");
  EXPECT_EQ(play.exit("i", 0), "start j");
  EXPECT_TRUE(play.report("i").ready);
  EXPECT_EQ(play.exit("j", 0), "start a");
  EXPECT_EQ(play.status(), "Running i:ended(0) j:ended(0) a:ready");
  play.exit("a", 0);
  EXPECT_EQ(play.status(), "Succeeded i:ended(0) j:ended(0) a:ended(0)");
}

TEST(PodMachine, AnInitContainerThatFails) {
  Play never("restartPolicy: Never, initContainers: [{name: i}], containers: [{name: a}]");
  never.step();
  EXPECT_EQ(never.exit("i", 2), "clean up");
  EXPECT_EQ(never.status(), "Failed i:ended(2) a:waiting(PodInitializing)");
  for (const char* policy : {"Always", "OnFailure"}) {
    Play again(std::string("restartPolicy: ") + policy + ", initContainers: [{name: i}], containers: [{name: a}]");
    again.step();
    EXPECT_EQ(again.exit("i", 2), "start i");
    again.exit("i", 2);
    EXPECT_EQ(again.status(), "Pending i:waiting(CrashLoopBackOff) a:waiting(PodInitializing)");
    EXPECT_EQ(again.pass(10), "10 start i");
    EXPECT_EQ(again.exit("i", 0), "start a");
  }
}

TEST(PodMachine, ASidecarRunsBesideAndEndsLast) {
  Play play(
      "restartPolicy: Never, initContainers: [{name: s, restartPolicy: Always}, {name: i}, {name: t, restartPolicy: "
      "Always}], containers: [{name: a}]");
  EXPECT_EQ(play.step(), "volumes, start s, start i");
  EXPECT_EQ(play.exit("i", 0), "start t, start a");
  EXPECT_EQ(play.status(), "Running s:ready i:ended(0) t:ready a:ready");
  EXPECT_EQ(play.exit("s", 1), "start s");  // also with restartPolicy Never
  EXPECT_EQ(play.exit("a", 0), "TERM t");
  EXPECT_EQ(play.status(), "Running s:ready i:ended(0) t:ready a:ended(0)");
  EXPECT_EQ(play.exit("t", 143, SIGTERM), "TERM s");
  EXPECT_EQ(play.exit("s", 143, SIGTERM), "clean up");
  EXPECT_EQ(play.status(), "Succeeded s:ended(143) i:ended(0) t:ended(143) a:ended(0)");
}

TEST(PodMachine, ASidecarWithAStartupProbeHoldsUpTheOthers) {
  Play play(
      "initContainers: [{name: s, restartPolicy: Always, startupProbe: {exec: {command: [x]}, periodSeconds: 2}}], "
      "containers: [{name: a}]");
  EXPECT_EQ(play.step(), "volumes, start s, Startup s");
  EXPECT_EQ(play.probed("s", ProbeKind::Startup, false), "");
  EXPECT_EQ(play.status(), "Pending s:running a:waiting(PodInitializing)");
  EXPECT_EQ(play.pass(2), "2 Startup s");
  EXPECT_EQ(play.probed("s", ProbeKind::Startup, true), "start a");
  EXPECT_EQ(play.status(), "Running s:ready a:ready");
}

TEST(PodMachine, VolumesThatFailAreTriedAgain) {
  Play play("containers: [{name: a}]");
  play.bad_volumes = true;
  EXPECT_EQ(play.step(), "volumes");
  EXPECT_TRUE(play.noted("FailedMount: no"));
  EXPECT_EQ(play.status(), "Pending a:waiting(ContainerCreating)");
  EXPECT_EQ(play.pass(4), "0 volumes; 1 volumes; 3 volumes");
  play.machine().try_again();
  play.bad_volumes = false;
  EXPECT_EQ(play.step(), "volumes, start a");
}

TEST(PodMachine, AStartThatCannotBeTriedIsNoRun) {
  Play play("restartPolicy: Never, containers: [{name: a}]");
  play.unready.insert("a");
  EXPECT_EQ(play.step(), "volumes, start a");
  EXPECT_EQ(play.status(), "Pending a:waiting(CreateContainerConfigError)");
  EXPECT_TRUE(play.noted("Failed: Error: no"));
  play.unready.clear();
  play.machine().try_again();
  EXPECT_EQ(play.step(), "start a");
  EXPECT_EQ(play.status(), "Running a:ready");
  EXPECT_EQ(play.report("a").restarts, 0);
}

TEST(PodMachine, AStartThatFailsIsARun) {
  Play play("restartPolicy: Never, containers: [{name: a}]");
  play.broken.insert("a");
  EXPECT_EQ(play.step(), "volumes, start a, clean up");
  EXPECT_EQ(play.status(), "Failed a:ended(128 StartError)");
  Play again("restartPolicy: OnFailure, containers: [{name: a}]");
  again.broken.insert("a");
  EXPECT_EQ(again.step(), "volumes, start a, start a");
  EXPECT_EQ(again.status(), "Running a:waiting(CrashLoopBackOff)");
}

TEST(PodMachine, AnEndMayOvertakeItsBeginning) {
  Play play("restartPolicy: Never, containers: [{name: a}]");
  play.slow.insert("a");
  play.step();
  const RunId run = play.id("a");
  EXPECT_EQ(play.exit("a", 7), "clean up");
  play.tell(Started{.id = run});
  play.tell(Exited{.id = run, .code = 9});
  EXPECT_EQ(play.step(), "");
  EXPECT_EQ(play.status(), "Failed a:ended(7)");
}

TEST(PodMachine, TheActiveDeadlineEndsThePod) {
  Play play("activeDeadlineSeconds: 5, terminationGracePeriodSeconds: 3, containers: [{name: a}]");
  play.step();
  EXPECT_EQ(play.pass(7), "5 TERM a");
  EXPECT_EQ(play.status(), "Running a:ready");  // final only when nothing runs any more
  EXPECT_EQ(play.pass(1), "8 KILL a, clean up");
  EXPECT_EQ(play.status(), "Failed(DeadlineExceeded) a:ended(137)");
}

TEST(PodMachine, TheDeadlineCountsFromTheStartOfThePod) {
  Play play("activeDeadlineSeconds: 5, containers: [{name: a}]", "startTime: '2023-11-14T22:13:17Z'");  // 3 s ago
  EXPECT_EQ(play.pass(2), "0 volumes, start a; 2 TERM a");
}

TEST(PodMachine, NewsOfStrangersAreIgnored) {
  Play play("containers: [{name: a}]");
  play.step();
  const RunId old = play.id("a");
  play.exit("a", 1);
  const std::string before = play.status();
  play.tell(Exited{.id = old, .code = 1});
  play.tell(Exited{.id = {.container = 99, .run = 1}, .code = 1});
  play.tell(HookDone{.id = old, .good = false});
  play.tell(ProbeAnswered{.id = play.id("a"), .kind = ProbeKind::Liveness, .good = false});
  play.tell(VolumesReady{});
  EXPECT_EQ(play.step(), "");
  EXPECT_EQ(play.status(), before);
}

TEST(PodMachine, ReadinessGatesKeepItUnready) {
  Play play("readinessGates: [{conditionType: x/y}], containers: [{name: a}]");
  play.step();
  ASSERT_EQ(play.machine().report().gates.size(), 1U);
  EXPECT_EQ(play.machine().report().gates[0], "corresponding condition of pod readiness gate \"x/y\" does not exist.");
  play.pod()["status"] = Play::parse("{conditions: [{type: x/y, status: 'True'}]}");
  play.machine().observe(play.pod(), play.now());
  EXPECT_TRUE(play.machine().report().gates.empty());
}

TEST(PodMachine, HostileObjectsAreNoPods) {
  for (const char* text : {"{}", "{spec: 3}", "{metadata: [1], spec: {containers: {a: b}}}",
                           "{spec: {containers: [1, x, null, {name: 5}], initContainers: [[[]]]}, status: {phase: 7, "
                           "containerStatuses: [1, {name: []}]}}"}) {
    const text::Object pod = Play::parse(text);
    PodMachine machine(pod, {}, Instant::from_unix_seconds(1));
    for (int i = 0; i < 3; ++i) (void)machine.advance(Instant::from_unix_seconds(1 + i));
    (void)machine.report();
  }
}

}  // namespace
}  // namespace basalt::node
