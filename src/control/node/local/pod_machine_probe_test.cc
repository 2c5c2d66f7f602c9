#include "control/node/local/pod_machine_probe.h"

#include <gtest/gtest.h>

#include "control/node/local/pod_machine_test_world.h"

namespace basalt::node {
namespace {

using Verdict = ProbeTrack::Verdict;

struct Sequence {
  int64_t successes, failures;
  std::string answers;   // '+' and '-'
  std::string verdicts;  // after each: '.', '+', '-'
};

TEST(ProbeTrack, ThresholdsInARow) {
  const std::vector<Sequence> cases = {
      {1, 1, "+-+-", "+-+-"},     {1, 3, "---+--", "..-+++"},     {1, 3, "--+---", "..+++-"},
      {3, 1, "++-+++", "..---+"}, {2, 2, "+-+-++--", ".....++-"},
  };
  for (const Sequence& one : cases) {
    const ProbeSpec spec{.successes = one.successes, .failures = one.failures};
    ProbeTrack track;
    std::string verdicts;
    for (const char answer : one.answers) {
      track.sent(spec, kNever);
      track.answered(spec, ProbeKind::Readiness, answer == '+');
      verdicts += track.verdict() == Verdict::Good ? '+' : track.verdict() == Verdict::Bad ? '-' : '.';
    }
    EXPECT_EQ(verdicts, one.verdicts) << one.answers;
  }
}

TEST(ProbeTrack, DueAfterTheDelayAndThenEveryPeriod) {
  const Instant start = Instant::from_unix_seconds(100);
  const ProbeSpec spec{.initial_delay = Duration::seconds(5), .period = Duration::seconds(10)};
  ProbeTrack track;
  EXPECT_EQ(track.due(spec, start), start + Duration::seconds(5));
  track.sent(spec, start + Duration::seconds(5));
  EXPECT_EQ(track.due(spec, start), std::nullopt);
  track.answered(spec, ProbeKind::Liveness, true);
  EXPECT_EQ(track.due(spec, start), start + Duration::seconds(15));
}

TEST(PodMachineProbes, ReadinessFollowsItsProbe) {
  Play play(
      "containers: [{name: a, readinessProbe: {httpGet: {port: 80}, initialDelaySeconds: 3, periodSeconds: 5, "
      "failureThreshold: 2}}]");
  EXPECT_EQ(play.pass(3), "0 volumes, start a; 3 Readiness a");
  EXPECT_EQ(play.status(), "Running a:running");
  play.probed("a", ProbeKind::Readiness, true);
  EXPECT_EQ(play.status(), "Running a:ready");
  EXPECT_EQ(play.pass(5), "8 Readiness a");
  play.probed("a", ProbeKind::Readiness, false);
  EXPECT_TRUE(play.noted("Unhealthy: Readiness probe failed: no"));
  EXPECT_EQ(play.status(), "Running a:ready");
  play.pass(5);
  play.probed("a", ProbeKind::Readiness, false);
  EXPECT_EQ(play.status(), "Running a:running");
  EXPECT_EQ(play.pass(4), "");  // it is never killed for that
}

TEST(PodMachineProbes, LivenessRestartsAfterItsThreshold) {
  Play play(
      "terminationGracePeriodSeconds: 30, containers: [{name: a, livenessProbe: {exec: {command: [x]}, "
      "periodSeconds: 1, failureThreshold: 3}}]");
  EXPECT_EQ(play.step(), "volumes, start a, Liveness a");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(play.probed("a", ProbeKind::Liveness, false), "");
    play.pass(1);
  }
  EXPECT_EQ(play.probed("a", ProbeKind::Liveness, false), "TERM a");
  EXPECT_TRUE(play.noted("Killing: Container a failed liveness probe, will be restarted"));
  EXPECT_EQ(play.pass(10), "");  // no more probes of this run
  EXPECT_EQ(play.exit("a", 143, SIGTERM), "start a, Liveness a");
  EXPECT_EQ(play.report("a").restarts, 1);
}

TEST(PodMachineProbes, AProbesOwnGrace) {
  Play play(
      "terminationGracePeriodSeconds: 600, containers: [{name: a, livenessProbe: {exec: {command: [x]}, "
      "failureThreshold: 1, terminationGracePeriodSeconds: 5}}]");
  play.step();
  EXPECT_EQ(play.probed("a", ProbeKind::Liveness, false), "TERM a");
  EXPECT_EQ(play.pass(5), "5 KILL a, start a, Liveness a");
}

TEST(PodMachineProbes, WithoutARestartTheContainerStaysDead) {
  Play play(
      "restartPolicy: Never, containers: [{name: a, livenessProbe: {exec: {command: [x]}, failureThreshold: 1}}]");
  play.obedient = true;
  play.step();
  EXPECT_EQ(play.probed("a", ProbeKind::Liveness, false), "TERM a, clean up");
  EXPECT_TRUE(play.noted("Killing: Container a failed liveness probe"));
  EXPECT_FALSE(play.noted("will be restarted"));
  EXPECT_EQ(play.status(), "Failed a:ended(143)");
}

TEST(PodMachineProbes, TheStartupProbeComesBeforeTheOthers) {
  const char* spec =
      "containers: [{name: a, startupProbe: {exec: {command: [x]}, periodSeconds: 1, failureThreshold: 2}, "
      "livenessProbe: {exec: {command: [y]}, periodSeconds: 7}, readinessProbe: {exec: {command: [z]}}}]";
  Play play(spec);
  EXPECT_EQ(play.step(), "volumes, start a, Startup a");
  EXPECT_FALSE(play.report("a").started);
  EXPECT_EQ(play.probed("a", ProbeKind::Startup, true), "Liveness a, Readiness a");
  EXPECT_TRUE(play.report("a").started);
  EXPECT_FALSE(play.report("a").ready);
  play.probed("a", ProbeKind::Liveness, true);
  play.probed("a", ProbeKind::Readiness, true);
  EXPECT_EQ(play.status(), "Running a:ready");
  EXPECT_EQ(play.pass(7), "7 Liveness a");  // the startup probe is over
  Play fails(spec);
  fails.step();
  fails.probed("a", ProbeKind::Startup, false);
  fails.pass(1);
  EXPECT_EQ(fails.probed("a", ProbeKind::Startup, false), "TERM a");
  EXPECT_TRUE(fails.noted("Container a failed startup probe, will be restarted"));
  EXPECT_EQ(fails.exit("a", 143, SIGTERM), "start a, Startup a");
}

TEST(PodMachineProbes, ADeletedPodIsOnlyAskedWhetherItIsReady) {
  Play play(
      "containers: [{name: a, livenessProbe: {exec: {command: [x]}, periodSeconds: 1}, readinessProbe: {exec: "
      "{command: [x]}, periodSeconds: 1}}]");
  play.step();
  play.probed("a", ProbeKind::Liveness, true);
  play.probed("a", ProbeKind::Readiness, true);
  play.remove(30);
  EXPECT_EQ(play.pass(1), "1 Readiness a");
}

TEST(PodMachineProbes, NamedPortsAreLookedUp) {
  const text::Object pod = Play::parse(
      "{spec: {containers: [{name: a, ports: [{name: web, containerPort: 8080}], livenessProbe: {httpGet: {port: web, "
      "path: /x, scheme: HTTPS, httpHeaders: [{name: H, value: v}]}}, readinessProbe: {tcpSocket: {port: nope}}, "
      "startupProbe: {grpc: {port: 5}}}]}}");
  const ContainerSpec spec = read_pod_spec(pod).containers.at(0);
  EXPECT_EQ(spec.liveness->action.port, 8080);
  EXPECT_EQ(spec.liveness->action.path, "/x");
  EXPECT_TRUE(spec.liveness->action.tls);
  EXPECT_EQ(spec.liveness->action.headers.at(0).second, "v");
  EXPECT_EQ(spec.readiness->action.port, 0);
  EXPECT_EQ(spec.startup->action.means, Means::Grpc);
}

}  // namespace
}  // namespace basalt::node
