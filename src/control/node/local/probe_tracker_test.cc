#include "control/node/local/probe_tracker.h"

#include <gtest/gtest.h>

#include "control/node/local/pod_lifecycle_fixture.h"

namespace basalt::node {
namespace {

using Verdict = ProbeTracker::Verdict;

struct Sequence {
  int64_t successes, failures;
  std::string answers;   // '+' and '-'
  std::string verdicts;  // after each: '.', '+', '-'
};

TEST(ProbeTracker, ThresholdsInARow) {
  const std::vector<Sequence> cases = {
      {1, 1, "+-+-", "+-+-"},     {1, 3, "---+--", "..-+++"},     {1, 3, "--+---", "..+++-"},
      {3, 1, "++-+++", "..---+"}, {2, 2, "+-+-++--", ".....++-"},
  };
  for (const Sequence& one : cases) {
    const ProbeSpec spec{.successes = one.successes, .failures = one.failures};
    ProbeTracker track;
    std::string verdicts;
    for (const char answer : one.answers) {
      track.sent(spec, kNever);
      track.answered(spec, ProbeKind::Readiness, answer == '+');
      verdicts += track.verdict() == Verdict::Good ? '+' : track.verdict() == Verdict::Bad ? '-' : '.';
    }
    EXPECT_EQ(verdicts, one.verdicts) << one.answers;
  }
}

TEST(ProbeTracker, DueAfterTheDelayAndThenEveryPeriod) {
  const Instant start = Instant::from_unix_seconds(100);
  const ProbeSpec spec{.initial_delay = Duration::seconds(5), .period = Duration::seconds(10)};
  ProbeTracker track;
  EXPECT_EQ(track.due(spec, start), start + Duration::seconds(5));
  track.sent(spec, start + Duration::seconds(5));
  EXPECT_EQ(track.due(spec, start), std::nullopt);
  track.answered(spec, ProbeKind::Liveness, true);
  EXPECT_EQ(track.due(spec, start), start + Duration::seconds(15));
}

TEST(PodMachineProbes, ReadinessFollowsItsProbe) {
  PodLifecycleFixture fixture(
      "containers: [{name: a, readinessProbe: {httpGet: {port: 80}, initialDelaySeconds: 3, periodSeconds: 5, "
      "failureThreshold: 2}}]");
  EXPECT_EQ(fixture.pass(3), "0 volumes, start a; 3 Readiness a");
  EXPECT_EQ(fixture.status(), "Running a:running");
  fixture.probed("a", ProbeKind::Readiness, true);
  EXPECT_EQ(fixture.status(), "Running a:ready");
  EXPECT_EQ(fixture.pass(5), "8 Readiness a");
  fixture.probed("a", ProbeKind::Readiness, false);
  EXPECT_TRUE(fixture.noted("Unhealthy: Readiness probe failed: no"));
  EXPECT_EQ(fixture.status(), "Running a:ready");
  fixture.pass(5);
  fixture.probed("a", ProbeKind::Readiness, false);
  EXPECT_EQ(fixture.status(), "Running a:running");
  EXPECT_EQ(fixture.pass(4), "");  // it is never killed for that
}

TEST(PodMachineProbes, LivenessRestartsAfterItsThreshold) {
  PodLifecycleFixture fixture(
      "terminationGracePeriodSeconds: 30, containers: [{name: a, livenessProbe: {exec: {command: [x]}, "
      "periodSeconds: 1, failureThreshold: 3}}]");
  EXPECT_EQ(fixture.step(), "volumes, start a, Liveness a");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(fixture.probed("a", ProbeKind::Liveness, false), "");
    fixture.pass(1);
  }
  EXPECT_EQ(fixture.probed("a", ProbeKind::Liveness, false), "TERM a");
  EXPECT_TRUE(fixture.noted("Killing: Container a failed liveness probe, will be restarted"));
  EXPECT_EQ(fixture.pass(10), "");  // no more probes of this run
  EXPECT_EQ(fixture.exit("a", 143, SIGTERM), "start a, Liveness a");
  EXPECT_EQ(fixture.report("a").restarts, 1);
}

TEST(PodMachineProbes, AProbesOwnGrace) {
  PodLifecycleFixture fixture(
      "terminationGracePeriodSeconds: 600, containers: [{name: a, livenessProbe: {exec: {command: [x]}, "
      "failureThreshold: 1, terminationGracePeriodSeconds: 5}}]");
  fixture.step();
  EXPECT_EQ(fixture.probed("a", ProbeKind::Liveness, false), "TERM a");
  EXPECT_EQ(fixture.pass(5), "5 KILL a, start a, Liveness a");
}

TEST(PodMachineProbes, WithoutARestartTheContainerStaysDead) {
  PodLifecycleFixture fixture(
      "restartPolicy: Never, containers: [{name: a, livenessProbe: {exec: {command: [x]}, failureThreshold: 1}}]");
  fixture.obedient = true;
  fixture.step();
  EXPECT_EQ(fixture.probed("a", ProbeKind::Liveness, false), "TERM a, clean up");
  EXPECT_TRUE(fixture.noted("Killing: Container a failed liveness probe"));
  EXPECT_FALSE(fixture.noted("will be restarted"));
  EXPECT_EQ(fixture.status(), "Failed a:ended(143)");
}

TEST(PodMachineProbes, TheStartupProbeComesBeforeTheOthers) {
  const char* spec =
      "containers: [{name: a, startupProbe: {exec: {command: [x]}, periodSeconds: 1, failureThreshold: 2}, "
      "livenessProbe: {exec: {command: [y]}, periodSeconds: 7}, readinessProbe: {exec: {command: [z]}}}]";
  PodLifecycleFixture fixture(spec);
  EXPECT_EQ(fixture.step(), "volumes, start a, Startup a");
  EXPECT_FALSE(fixture.report("a").started);
  EXPECT_EQ(fixture.probed("a", ProbeKind::Startup, true), "Liveness a, Readiness a");
  EXPECT_TRUE(fixture.report("a").started);
  EXPECT_FALSE(fixture.report("a").ready);
  fixture.probed("a", ProbeKind::Liveness, true);
  fixture.probed("a", ProbeKind::Readiness, true);
  EXPECT_EQ(fixture.status(), "Running a:ready");
  EXPECT_EQ(fixture.pass(7), "7 Liveness a");  // the startup probe is over
  PodLifecycleFixture fails(spec);
  fails.step();
  fails.probed("a", ProbeKind::Startup, false);
  fails.pass(1);
  EXPECT_EQ(fails.probed("a", ProbeKind::Startup, false), "TERM a");
  EXPECT_TRUE(fails.noted("Container a failed startup probe, will be restarted"));
  EXPECT_EQ(fails.exit("a", 143, SIGTERM), "start a, Startup a");
}

TEST(PodMachineProbes, ADeletedPodIsOnlyAskedWhetherItIsReady) {
  PodLifecycleFixture fixture(
      "containers: [{name: a, livenessProbe: {exec: {command: [x]}, periodSeconds: 1}, readinessProbe: {exec: "
      "{command: [x]}, periodSeconds: 1}}]");
  fixture.step();
  fixture.probed("a", ProbeKind::Liveness, true);
  fixture.probed("a", ProbeKind::Readiness, true);
  fixture.remove(30);
  EXPECT_EQ(fixture.pass(1), "1 Readiness a");
}

TEST(PodMachineProbes, NamedPortsAreLookedUp) {
  const text::Object pod = PodLifecycleFixture::parse(
      "{spec: {containers: [{name: a, ports: [{name: web, containerPort: 8080}], livenessProbe: {httpGet: {port: web, "
      "path: /x, scheme: HTTPS, httpHeaders: [{name: H, value: v}]}}, readinessProbe: {tcpSocket: {port: nope}}, "
      "startupProbe: {grpc: {port: 5}}}]}}");
  const ContainerRunSpec spec = read_pod_spec(pod).containers.at(0);
  EXPECT_EQ(spec.liveness->handler.port, 8080);
  EXPECT_EQ(spec.liveness->handler.path, "/x");
  EXPECT_TRUE(spec.liveness->handler.tls);
  EXPECT_EQ(spec.liveness->handler.headers.at(0).second, "v");
  EXPECT_EQ(spec.readiness->handler.port, 0);
  EXPECT_EQ(spec.startup->handler.kind, HandlerKind::Grpc);
}

}  // namespace
}  // namespace basalt::node
