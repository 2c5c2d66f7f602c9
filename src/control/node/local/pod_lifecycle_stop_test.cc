// How pods and containers end, and what a node takes over from a former one.
#include <gtest/gtest.h>

#include "control/node/local/pod_lifecycle_fixture.h"

namespace basalt::node {
namespace {

TEST(PodMachineStop, DeletionAsksAndThenKills) {
  PodLifecycleFixture fixture("terminationGracePeriodSeconds: 30, containers: [{name: a}, {name: b}]");
  fixture.step();
  EXPECT_EQ(fixture.remove(30), "TERM a, TERM b");
  EXPECT_TRUE(fixture.noted("Killing: Stopping container a"));
  EXPECT_EQ(fixture.exit("a", 0), "");  // it does not come back
  EXPECT_EQ(fixture.pass(29), "");
  EXPECT_EQ(fixture.status(), "Running a:ended(0) b:ready");
  EXPECT_EQ(fixture.pass(1), "30 KILL b, clean up");
  EXPECT_EQ(fixture.status(), "Failed a:ended(0) b:ended(137)");
  EXPECT_TRUE(fixture.machine().is_deleted());
}

TEST(PodMachineStop, ADeletedPodThatEndsWellHasSucceeded) {
  PodLifecycleFixture fixture("containers: [{name: a}]");
  fixture.step();
  fixture.remove(30);
  EXPECT_EQ(fixture.exit("a", 0), "clean up");
  EXPECT_EQ(fixture.status(), "Succeeded a:ended(0)");
  EXPECT_FALSE(fixture.machine().report().disrupted);
}

TEST(PodMachineStop, ThereIsAlwaysAMomentBetweenSignalAndKill) {
  PodLifecycleFixture fixture("containers: [{name: a}]");
  fixture.step();
  EXPECT_EQ(fixture.remove(0), "TERM a");
  EXPECT_EQ(fixture.pass(1.9), "");
  EXPECT_EQ(fixture.pass(0.1), "2 KILL a, clean up");
}

TEST(PodMachineStop, ASecondDeletionShortensTheGrace) {
  PodLifecycleFixture fixture("containers: [{name: a}]");
  fixture.step();
  fixture.remove(600);
  fixture.pass(5);
  EXPECT_EQ(fixture.remove(3), "");
  EXPECT_EQ(fixture.pass(3), "8 KILL a, clean up");
  PodLifecycleFixture longer("containers: [{name: a}]");
  longer.step();
  longer.remove(4);
  longer.remove(600);
  EXPECT_EQ(longer.pass(4), "4 KILL a, clean up");
}

TEST(PodMachineStop, DeletedBeforeItBegan) {
  PodLifecycleFixture fixture("containers: [{name: a}]");
  EXPECT_EQ(fixture.remove(30), "clean up");
  EXPECT_EQ(fixture.status(), "Failed a:waiting(ContainerCreating)");
}

TEST(PodMachineStop, DeletedWhileAContainerStarts) {
  PodLifecycleFixture fixture("containers: [{name: a}]");
  fixture.slow.insert("a");
  fixture.step();
  EXPECT_EQ(fixture.remove(30), "");
  fixture.tell(ContainerStarted{.id = fixture.id("a")});
  EXPECT_EQ(fixture.step(), "TERM a");
  EXPECT_EQ(fixture.exit("a", 143, SIGTERM), "clean up");
}

TEST(PodMachineStop, DeletedWhileItWaitsForItsNextRun) {
  PodLifecycleFixture fixture("containers: [{name: a}]");
  fixture.step();
  fixture.exit("a", 1);
  fixture.exit("a", 1);
  EXPECT_EQ(fixture.remove(30), "clean up");
  EXPECT_EQ(fixture.status(), "Failed a:ended(1)");
}

TEST(PodMachineStop, TheObjectVanishes) {
  PodLifecycleFixture fixture("terminationGracePeriodSeconds: 600, containers: [{name: a}]");
  fixture.step();
  fixture.machine().vanished(fixture.now());
  EXPECT_EQ(fixture.pass(2), "0 TERM a; 2 KILL a, clean up");
}

TEST(PodMachineStop, SomebodyElseFailsThePod) {
  PodLifecycleFixture fixture("terminationGracePeriodSeconds: 1, containers: [{name: a}]");
  fixture.obedient = true;
  fixture.step();
  fixture.pod()["status"] = PodLifecycleFixture::parse("{phase: Failed, reason: Evicted, message: no room}");
  fixture.machine().observe(fixture.pod(), fixture.now());
  EXPECT_EQ(fixture.step(), "TERM a, clean up");
  EXPECT_EQ(fixture.status(), "Failed(Evicted) a:ended(143)");
}

TEST(PodMachineStop, AStopSignalOfItsOwn) {
  PodLifecycleFixture fixture("containers: [{name: a, lifecycle: {stopSignal: SIGUSR1}}]");
  fixture.step();
  EXPECT_EQ(fixture.remove(5), "signal 10 a");
}

TEST(PodMachineStop, ThePreStopHookComesFirst) {
  PodLifecycleFixture fixture("containers: [{name: a, lifecycle: {preStop: {exec: {command: [x]}}}}]");
  fixture.step();
  EXPECT_EQ(fixture.remove(30), "preStop a");
  EXPECT_EQ(fixture.pass(3), "");
  EXPECT_EQ(fixture.hooked("a", LifecycleHook::PreStop, true), "TERM a");
  EXPECT_EQ(fixture.pass(27), "30 KILL a, clean up");  // the hook's time counts
}

TEST(PodMachineStop, APreStopHookThatFailsOrHangs) {
  PodLifecycleFixture fails("containers: [{name: a, lifecycle: {preStop: {exec: {command: [x]}}}}]");
  fails.step();
  fails.remove(30);
  EXPECT_EQ(fails.hooked("a", LifecycleHook::PreStop, false), "TERM a");
  EXPECT_TRUE(fails.noted("FailedPreStopHook"));
  PodLifecycleFixture hangs("containers: [{name: a, lifecycle: {preStop: {exec: {command: [x]}}}}]");
  hangs.step();
  hangs.remove(5);
  EXPECT_EQ(hangs.pass(10), "5 TERM a; 7 KILL a, clean up");
}

TEST(PodMachineStop, APreStopSleepIsTheMachinesOwnAffair) {
  PodLifecycleFixture fixture("containers: [{name: a, lifecycle: {preStop: {sleep: {seconds: 4}}}}]");
  fixture.obedient = true;
  fixture.step();
  EXPECT_EQ(fixture.remove(30), "");
  EXPECT_EQ(fixture.pass(4), "4 TERM a, clean up");
}

TEST(PodMachineStop, WithoutGraceThereIsNoHook) {
  PodLifecycleFixture fixture("containers: [{name: a, lifecycle: {preStop: {exec: {command: [x]}}}}]");
  fixture.step();
  EXPECT_EQ(fixture.remove(0), "TERM a");
}

TEST(PodMachineStop, SidecarsEndAfterTheOthersOrWhenTheGraceIsOver) {
  const char* spec = "initContainers: [{name: s, restartPolicy: Always}], containers: [{name: a}]";
  PodLifecycleFixture fixture(spec);
  fixture.step();
  EXPECT_EQ(fixture.remove(10), "TERM a");
  EXPECT_EQ(fixture.exit("a", 143, SIGTERM), "TERM s");
  PodLifecycleFixture stubborn(spec);
  stubborn.step();
  stubborn.remove(10);
  EXPECT_EQ(stubborn.pass(20), "10 TERM s, KILL a; 12 KILL s, clean up");
}

TEST(PodMachineStop, PostStartHoldsTheContainerBack) {
  PodLifecycleFixture fixture("containers: [{name: a, lifecycle: {postStart: {exec: {command: [x]}}}}]");
  EXPECT_EQ(fixture.step(), "volumes, start a, postStart a");
  EXPECT_EQ(fixture.status(), "Pending a:waiting(ContainerCreating)");
  EXPECT_EQ(fixture.hooked("a", LifecycleHook::PostStart, true), "");
  EXPECT_EQ(fixture.status(), "Running a:ready");
}

TEST(PodMachineStop, APostStartHookThatFailsRestartsTheContainer) {
  PodLifecycleFixture fixture(
      "terminationGracePeriodSeconds: 4, containers: [{name: a, lifecycle: {postStart: {exec: {command: [x]}}}}]");
  fixture.step();
  EXPECT_EQ(fixture.hooked("a", LifecycleHook::PostStart, false), "TERM a");
  EXPECT_TRUE(fixture.noted("FailedPostStartHook"));
  EXPECT_EQ(fixture.pass(4), "4 KILL a, start a, postStart a");
}

TEST(PodMachineStop, APostStartSleep) {
  PodLifecycleFixture fixture("containers: [{name: a, lifecycle: {postStart: {sleep: {seconds: 3}}}}]");
  fixture.pass(2);
  EXPECT_EQ(fixture.status(), "Pending a:waiting(ContainerCreating)");
  fixture.pass(1);
  EXPECT_EQ(fixture.status(), "Running a:ready");
}

constexpr std::string_view kRan =
    "phase: Running, startTime: '2023-11-14T22:00:00Z', containerStatuses: [{name: a, restartCount: 2, state: "
    "{running: {startedAt: '2023-11-14T22:00:00Z'}}}]";

TEST(PodMachineStop, ANodeThatComesBackRunsItAgain) {
  for (const char* policy : {"Always", "OnFailure"}) {
    PodLifecycleFixture fixture(std::string("restartPolicy: ") + policy + ", containers: [{name: a}]", kRan);
    EXPECT_EQ(fixture.step(), "volumes, start a");
    EXPECT_EQ(fixture.status(), "Running a:ready");
    EXPECT_EQ(fixture.report("a").restarts, 3);
    EXPECT_EQ(fixture.report("a").last->reason, "NodeRestarted");
    EXPECT_EQ(fixture.report("a").last->exit_code, 137);
  }
}

TEST(PodMachineStop, ANodeThatComesBackFailsWhatMayNotRunAgain) {
  PodLifecycleFixture fixture("restartPolicy: Never, containers: [{name: a}]", kRan);
  EXPECT_EQ(fixture.step(), "volumes, clean up");
  EXPECT_EQ(fixture.status(), "Failed(NodeRestarted) a:ended(137 NodeRestarted)");
  EXPECT_EQ(fixture.machine().report().message, "container a was running when the node was restarted");
  EXPECT_TRUE(fixture.machine().report().disrupted) << "no fault of the pod";
}

TEST(PodMachineStop, ANodeThatComesBackGoesOnWithWhatRuns) {
  for (const char* policy : {"Always", "Never"}) {
    PodLifecycleFixture fixture(std::string("restartPolicy: ") + policy + ", containers: [{name: a}]", kRan, {},
                                {{.container = "a", .restarts = 2}});
    EXPECT_EQ(fixture.step(), "volumes");
    EXPECT_EQ(fixture.status(), "Running a:ready");
    EXPECT_EQ(fixture.report("a").restarts, 2);
    EXPECT_EQ(std::get<Running>(fixture.report("a").state).started.nanos, 1'699'999'200'000'000'000);
    EXPECT_FALSE(fixture.report("a").last);
    const Instant before = fixture.now() + Duration::seconds(-60);
    fixture.tell(ContainerExited{.id = fixture.id("a"), .at = before});
    fixture.step();
    EXPECT_EQ(fixture.machine().container(0).end ? fixture.machine().container(0).end->finished : before, before);
  }
  PodLifecycleFixture removed("containers: [{name: a}]", kRan, {}, {{.container = "a", .restarts = 2}});
  EXPECT_EQ(removed.remove(5), "TERM a") << "there are no volumes to wait for";
}

TEST(PodMachineStop, ProbesGoOnWhereTheyWere) {
  const char* spec =
      "containers: [{name: a, startupProbe: {exec: {command: [x]}}, readinessProbe: {exec: {command: [x]}, "
      "periodSeconds: 5, failureThreshold: 1}}]";
  const char* status =
      "phase: Running, containerStatuses: [{name: a, ready: true, started: true, state: {running: {startedAt: "
      "'2023-11-14T22:00:00Z'}}}]";
  PodLifecycleFixture fixture(spec, status, {}, {{.container = "a"}});
  EXPECT_EQ(fixture.step(), "volumes, Readiness a") << "it has started long ago";
  EXPECT_EQ(fixture.status(), "Running a:ready") << "until the probe says otherwise";
  fixture.probed("a", ProbeKind::Readiness, false);
  EXPECT_EQ(fixture.status(), "Running a:running");
}

TEST(PodMachineStop, ARunThatWasNotToldYet) {
  const char* spec = "containers: [{name: a, lifecycle: {postStart: {exec: {command: [x]}}}}]";
  PodLifecycleFixture first(spec, "", {}, {{.container = "a", .started = Instant::from_unix_seconds(1)}});
  EXPECT_EQ(first.step(), "volumes, postStart a") << "nobody knows whether it ran";
  first.hooked("a", LifecycleHook::PostStart, true);
  EXPECT_EQ(first.status(), "Running a:ready");
  PodLifecycleFixture second(
      spec, "phase: Running, containerStatuses: [{name: a, restartCount: 2, state: {terminated: {exitCode: 3}}}]", {},
      {{.container = "a", .restarts = 3}, {.container = "gone"}});
  second.step();
  EXPECT_EQ(second.report("a").restarts, 3);
  EXPECT_EQ(second.report("a").last->exit_code, 3);
}

TEST(PodMachineStop, WhatWasDoneBeforeTheRestartStaysDone) {
  PodLifecycleFixture fixture(
      "restartPolicy: OnFailure, initContainers: [{name: i}], containers: [{name: a}, {name: b}]",
      "phase: Running, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 0}}}], "
      "containerStatuses: [{name: a, state: {terminated: {exitCode: 0}}}, {name: b, state: {running: {}}}]");
  EXPECT_EQ(fixture.step(), "volumes, start b");
  EXPECT_EQ(fixture.status(), "Running i:ended(0) a:ended(0) b:ready");
}

TEST(PodMachineStop, LostInTheMiddleOfItsInitialization) {
  const char* status =
      "phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 0}}}, {name: j, state: "
      "{running: {}}}], containerStatuses: [{name: a, state: {waiting: {reason: PodInitializing}}}]";
  PodLifecycleFixture again("initContainers: [{name: i}, {name: j}], containers: [{name: a}]", status);
  EXPECT_EQ(again.step(), "volumes, start j");
  PodLifecycleFixture never("restartPolicy: Never, initContainers: [{name: i}, {name: j}], containers: [{name: a}]",
                            status);
  never.step();
  EXPECT_EQ(never.status(), "Failed(NodeRestarted) i:ended(0) j:ended(137 NodeRestarted) a:waiting(PodInitializing)");
}

TEST(PodMachineStop, WhatHadEndedIsLeftAlone) {
  PodLifecycleFixture fixture("containers: [{name: a}]",
                              "phase: Succeeded, containerStatuses: [{name: a, state: {terminated: {exitCode: 0}}}]");
  EXPECT_EQ(fixture.step(), "clean up");
  EXPECT_EQ(fixture.status(), "Succeeded a:ended(0)");
}

TEST(PodMachineStop, LostWhileItWaitedForItsNextRun) {
  PodLifecycleFixture fixture(
      "containers: [{name: a}]",
      "phase: Running, containerStatuses: [{name: a, restartCount: 4, state: {waiting: {reason: "
      "CrashLoopBackOff}}, lastState: {terminated: {exitCode: 3}}}]");
  EXPECT_EQ(fixture.step(), "volumes, start a");
  EXPECT_EQ(fixture.report("a").restarts, 5);
}

}  // namespace
}  // namespace basalt::node
