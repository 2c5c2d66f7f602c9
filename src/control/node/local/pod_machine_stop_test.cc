// How pods and containers end, and what a node takes over from a former one.
#include <gtest/gtest.h>

#include "control/node/local/pod_machine_test_world.h"

namespace basalt::node {
namespace {

TEST(PodMachineStop, DeletionAsksAndThenKills) {
  Play play("terminationGracePeriodSeconds: 30, containers: [{name: a}, {name: b}]");
  play.step();
  EXPECT_EQ(play.remove(30), "TERM a, TERM b");
  EXPECT_TRUE(play.noted("Killing: Stopping container a"));
  EXPECT_EQ(play.exit("a", 0), "");  // it does not come back
  EXPECT_EQ(play.pass(29), "");
  EXPECT_EQ(play.status(), "Running a:ended(0) b:ready");
  EXPECT_EQ(play.pass(1), "30 KILL b, clean up");
  EXPECT_EQ(play.status(), "Failed a:ended(0) b:ended(137)");
  EXPECT_TRUE(play.machine().is_deleted());
}

TEST(PodMachineStop, ADeletedPodThatEndsWellHasSucceeded) {
  Play play("containers: [{name: a}]");
  play.step();
  play.remove(30);
  EXPECT_EQ(play.exit("a", 0), "clean up");
  EXPECT_EQ(play.status(), "Succeeded a:ended(0)");
}

TEST(PodMachineStop, ThereIsAlwaysAMomentBetweenSignalAndKill) {
  Play play("containers: [{name: a}]");
  play.step();
  EXPECT_EQ(play.remove(0), "TERM a");
  EXPECT_EQ(play.pass(1.9), "");
  EXPECT_EQ(play.pass(0.1), "2 KILL a, clean up");
}

TEST(PodMachineStop, ASecondDeletionShortensTheGrace) {
  Play play("containers: [{name: a}]");
  play.step();
  play.remove(600);
  play.pass(5);
  EXPECT_EQ(play.remove(3), "");
  EXPECT_EQ(play.pass(3), "8 KILL a, clean up");
  Play longer("containers: [{name: a}]");
  longer.step();
  longer.remove(4);
  longer.remove(600);
  EXPECT_EQ(longer.pass(4), "4 KILL a, clean up");
}

TEST(PodMachineStop, DeletedBeforeItBegan) {
  Play play("containers: [{name: a}]");
  EXPECT_EQ(play.remove(30), "clean up");
  EXPECT_EQ(play.status(), "Failed a:waiting(ContainerCreating)");
}

TEST(PodMachineStop, DeletedWhileAContainerStarts) {
  Play play("containers: [{name: a}]");
  play.slow.insert("a");
  play.step();
  EXPECT_EQ(play.remove(30), "");
  play.tell(Started{.id = play.id("a")});
  EXPECT_EQ(play.step(), "TERM a");
  EXPECT_EQ(play.exit("a", 143, SIGTERM), "clean up");
}

TEST(PodMachineStop, DeletedWhileItWaitsForItsNextRun) {
  Play play("containers: [{name: a}]");
  play.step();
  play.exit("a", 1);
  play.exit("a", 1);
  EXPECT_EQ(play.remove(30), "clean up");
  EXPECT_EQ(play.status(), "Failed a:ended(1)");
}

TEST(PodMachineStop, TheObjectVanishes) {
  Play play("terminationGracePeriodSeconds: 600, containers: [{name: a}]");
  play.step();
  play.machine().vanished(play.now());
  EXPECT_EQ(play.pass(2), "0 TERM a; 2 KILL a, clean up");
}

TEST(PodMachineStop, SomebodyElseFailsThePod) {
  Play play("terminationGracePeriodSeconds: 1, containers: [{name: a}]");
  play.obedient = true;
  play.step();
  play.pod()["status"] = Play::parse("{phase: Failed, reason: Evicted, message: no room}");
  play.machine().observe(play.pod(), play.now());
  EXPECT_EQ(play.step(), "TERM a, clean up");
  EXPECT_EQ(play.status(), "Failed(Evicted) a:ended(143)");
}

TEST(PodMachineStop, AStopSignalOfItsOwn) {
  Play play("containers: [{name: a, lifecycle: {stopSignal: SIGUSR1}}]");
  play.step();
  EXPECT_EQ(play.remove(5), "signal 10 a");
}

TEST(PodMachineStop, ThePreStopHookComesFirst) {
  Play play("containers: [{name: a, lifecycle: {preStop: {exec: {command: [x]}}}}]");
  play.step();
  EXPECT_EQ(play.remove(30), "preStop a");
  EXPECT_EQ(play.pass(3), "");
  EXPECT_EQ(play.hooked("a", Hook::PreStop, true), "TERM a");
  EXPECT_EQ(play.pass(27), "30 KILL a, clean up");  // the hook's time counts
}

TEST(PodMachineStop, APreStopHookThatFailsOrHangs) {
  Play fails("containers: [{name: a, lifecycle: {preStop: {exec: {command: [x]}}}}]");
  fails.step();
  fails.remove(30);
  EXPECT_EQ(fails.hooked("a", Hook::PreStop, false), "TERM a");
  EXPECT_TRUE(fails.noted("FailedPreStopHook"));
  Play hangs("containers: [{name: a, lifecycle: {preStop: {exec: {command: [x]}}}}]");
  hangs.step();
  hangs.remove(5);
  EXPECT_EQ(hangs.pass(10), "5 TERM a; 7 KILL a, clean up");
}

TEST(PodMachineStop, APreStopSleepIsTheMachinesOwnAffair) {
  Play play("containers: [{name: a, lifecycle: {preStop: {sleep: {seconds: 4}}}}]");
  play.obedient = true;
  play.step();
  EXPECT_EQ(play.remove(30), "");
  EXPECT_EQ(play.pass(4), "4 TERM a, clean up");
}

TEST(PodMachineStop, WithoutGraceThereIsNoHook) {
  Play play("containers: [{name: a, lifecycle: {preStop: {exec: {command: [x]}}}}]");
  play.step();
  EXPECT_EQ(play.remove(0), "TERM a");
}

TEST(PodMachineStop, SidecarsEndAfterTheOthersOrWhenTheGraceIsOver) {
  const char* spec = "initContainers: [{name: s, restartPolicy: Always}], containers: [{name: a}]";
  Play play(spec);
  play.step();
  EXPECT_EQ(play.remove(10), "TERM a");
  EXPECT_EQ(play.exit("a", 143, SIGTERM), "TERM s");
  Play stubborn(spec);
  stubborn.step();
  stubborn.remove(10);
  EXPECT_EQ(stubborn.pass(20), "10 TERM s, KILL a; 12 KILL s, clean up");
}

TEST(PodMachineStop, PostStartHoldsTheContainerBack) {
  Play play("containers: [{name: a, lifecycle: {postStart: {exec: {command: [x]}}}}]");
  EXPECT_EQ(play.step(), "volumes, start a, postStart a");
  EXPECT_EQ(play.status(), "Pending a:waiting(ContainerCreating)");
  EXPECT_EQ(play.hooked("a", Hook::PostStart, true), "");
  EXPECT_EQ(play.status(), "Running a:ready");
}

TEST(PodMachineStop, APostStartHookThatFailsRestartsTheContainer) {
  Play play(
      "terminationGracePeriodSeconds: 4, containers: [{name: a, lifecycle: {postStart: {exec: {command: [x]}}}}]");
  play.step();
  EXPECT_EQ(play.hooked("a", Hook::PostStart, false), "TERM a");
  EXPECT_TRUE(play.noted("FailedPostStartHook"));
  EXPECT_EQ(play.pass(4), "4 KILL a, start a, postStart a");
}

TEST(PodMachineStop, APostStartSleep) {
  Play play("containers: [{name: a, lifecycle: {postStart: {sleep: {seconds: 3}}}}]");
  play.pass(2);
  EXPECT_EQ(play.status(), "Pending a:waiting(ContainerCreating)");
  play.pass(1);
  EXPECT_EQ(play.status(), "Running a:ready");
}

constexpr std::string_view kRan =
    "phase: Running, startTime: '2023-11-14T22:00:00Z', containerStatuses: [{name: a, restartCount: 2, state: "
    "{running: {startedAt: '2023-11-14T22:00:00Z'}}}]";

TEST(PodMachineStop, ANodeThatComesBackRunsItAgain) {
  for (const char* policy : {"Always", "OnFailure"}) {
    Play play(std::string("restartPolicy: ") + policy + ", containers: [{name: a}]", kRan);
    EXPECT_EQ(play.step(), "volumes, start a");
    EXPECT_EQ(play.status(), "Running a:ready");
    EXPECT_EQ(play.report("a").restarts, 3);
    EXPECT_EQ(play.report("a").last->reason, "NodeRestarted");
    EXPECT_EQ(play.report("a").last->exit_code, 137);
  }
}

TEST(PodMachineStop, ANodeThatComesBackFailsWhatMayNotRunAgain) {
  Play play("restartPolicy: Never, containers: [{name: a}]", kRan);
  EXPECT_EQ(play.step(), "volumes, clean up");
  EXPECT_EQ(play.status(), "Failed(NodeRestarted) a:ended(137 NodeRestarted)");
  EXPECT_EQ(play.machine().report().message, "container a was running when the node was restarted");
}

TEST(PodMachineStop, ANodeThatComesBackGoesOnWithWhatRuns) {
  for (const char* policy : {"Always", "Never"}) {
    Play play(std::string("restartPolicy: ") + policy + ", containers: [{name: a}]", kRan, {},
              {{.container = "a", .restarts = 2}});
    EXPECT_EQ(play.step(), "volumes");
    EXPECT_EQ(play.status(), "Running a:ready");
    EXPECT_EQ(play.report("a").restarts, 2);
    EXPECT_EQ(std::get<Running>(play.report("a").state).started.nanos, 1'699'999'200'000'000'000);
    EXPECT_FALSE(play.report("a").last);
    const Instant before = play.now() + Duration::seconds(-60);
    play.tell(Exited{.id = play.id("a"), .at = before});
    play.step();
    EXPECT_EQ(play.machine().container(0).end ? play.machine().container(0).end->finished : before, before);
  }
  Play removed("containers: [{name: a}]", kRan, {}, {{.container = "a", .restarts = 2}});
  EXPECT_EQ(removed.remove(5), "TERM a") << "there are no volumes to wait for";
}

TEST(PodMachineStop, ProbesGoOnWhereTheyWere) {
  const char* spec =
      "containers: [{name: a, startupProbe: {exec: {command: [x]}}, readinessProbe: {exec: {command: [x]}, "
      "periodSeconds: 5, failureThreshold: 1}}]";
  const char* status =
      "phase: Running, containerStatuses: [{name: a, ready: true, started: true, state: {running: {startedAt: "
      "'2023-11-14T22:00:00Z'}}}]";
  Play play(spec, status, {}, {{.container = "a"}});
  EXPECT_EQ(play.step(), "volumes, Readiness a") << "it has started long ago";
  EXPECT_EQ(play.status(), "Running a:ready") << "until the probe says otherwise";
  play.probed("a", ProbeKind::Readiness, false);
  EXPECT_EQ(play.status(), "Running a:running");
}

TEST(PodMachineStop, ARunThatWasNotToldYet) {
  const char* spec = "containers: [{name: a, lifecycle: {postStart: {exec: {command: [x]}}}}]";
  Play first(spec, "", {}, {{.container = "a", .started = Instant::from_unix_seconds(1)}});
  EXPECT_EQ(first.step(), "volumes, postStart a") << "nobody knows whether it ran";
  first.hooked("a", Hook::PostStart, true);
  EXPECT_EQ(first.status(), "Running a:ready");
  Play second(spec,
              "phase: Running, containerStatuses: [{name: a, restartCount: 2, state: {terminated: {exitCode: 3}}}]", {},
              {{.container = "a", .restarts = 3}, {.container = "gone"}});
  second.step();
  EXPECT_EQ(second.report("a").restarts, 3);
  EXPECT_EQ(second.report("a").last->exit_code, 3);
}

TEST(PodMachineStop, WhatWasDoneBeforeTheRestartStaysDone) {
  Play play("restartPolicy: OnFailure, initContainers: [{name: i}], containers: [{name: a}, {name: b}]",
            "phase: Running, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 0}}}], "
            "containerStatuses: [{name: a, state: {terminated: {exitCode: 0}}}, {name: b, state: {running: {}}}]");
  EXPECT_EQ(play.step(), "volumes, start b");
  EXPECT_EQ(play.status(), "Running i:ended(0) a:ended(0) b:ready");
}

TEST(PodMachineStop, LostInTheMiddleOfItsInitialization) {
  const char* status =
      "phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 0}}}, {name: j, state: "
      "{running: {}}}], containerStatuses: [{name: a, state: {waiting: {reason: PodInitializing}}}]";
  Play again("initContainers: [{name: i}, {name: j}], containers: [{name: a}]", status);
  EXPECT_EQ(again.step(), "volumes, start j");
  Play never("restartPolicy: Never, initContainers: [{name: i}, {name: j}], containers: [{name: a}]", status);
  never.step();
  EXPECT_EQ(never.status(), "Failed(NodeRestarted) i:ended(0) j:ended(137 NodeRestarted) a:waiting(PodInitializing)");
}

TEST(PodMachineStop, WhatHadEndedIsLeftAlone) {
  Play play("containers: [{name: a}]",
            "phase: Succeeded, containerStatuses: [{name: a, state: {terminated: {exitCode: 0}}}]");
  EXPECT_EQ(play.step(), "clean up");
  EXPECT_EQ(play.status(), "Succeeded a:ended(0)");
}

TEST(PodMachineStop, LostWhileItWaitedForItsNextRun) {
  Play play("containers: [{name: a}]",
            "phase: Running, containerStatuses: [{name: a, restartCount: 4, state: {waiting: {reason: "
            "CrashLoopBackOff}}, lastState: {terminated: {exitCode: 3}}}]");
  EXPECT_EQ(play.step(), "volumes, start a");
  EXPECT_EQ(play.report("a").restarts, 5);
}

}  // namespace
}  // namespace basalt::node
