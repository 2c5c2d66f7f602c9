// Probes and hooks with real commands.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kube/api/object_fields.h"
#include "tests/local/local_node_fixture.h"

namespace basalt {
namespace {

class LocalProbes : public testing::Test {
 protected:
  LocalProbes() { fixture.start_node(); }
  LocalNodeFixture fixture;
};

TEST_F(LocalProbes, AFailingLivenessProbeRestarts) {
  fixture.create_pod(
      "p",
      "terminationGracePeriodSeconds: 1, volumes: [{name: v, emptyDir: {}}], containers: [{name: a, image: "
      "x, command: [sh, -c, 'test -e /data/seen || touch /data/ill; touch /data/seen; exec sleep 1000'], "
      "volumeMounts: [{name: v, mountPath: /data}], livenessProbe: {exec: {command: [sh, -c, 'if test -e "
      "/data/ill; then rm /data/ill; echo ill; exit 1; fi']}, periodSeconds: 1, failureThreshold: 1}}]");
  ASSERT_TRUE(fixture.wait("p", [](const text::Object& pod) {
    const text::Array* list = api::array_at(pod, {"status", "containerStatuses"});
    if (list == nullptr) return false;
    const text::Object& a = list->at(0).get_object();
    return api::int_at(a, {"restartCount"}) == 1 && api::object_at(a, {"state", "running"}) != nullptr;
  }));
  EXPECT_EQ(fixture.wait_event("p", "Unhealthy"), "Liveness probe failed: ill");
  EXPECT_EQ(fixture.wait_event("p", "Killing"), "Container a failed liveness probe, will be restarted");
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.lastState.terminated.exitCode"), "143");
}

TEST_F(LocalProbes, ReadinessByCommand) {
  fixture.create_pod(
      "p",
      "terminationGracePeriodSeconds: 0, volumes: [{name: v, emptyDir: {}}], containers: [{name: a, image: "
      "x, command: [sh, -c, 'touch /data/ready; exec sleep 1000'], volumeMounts: [{name: v, mountPath: "
      "/data}], readinessProbe: {exec: {command: [test, -e, /data/ready]}, periodSeconds: 1}}]");
  ASSERT_TRUE(fixture.wait_ready("p"));
}

TEST_F(LocalProbes, ReadinessByPageAndByConnectionOnThePodsAddress) {
  const std::string server =
      "import os, http.server; http.server.HTTPServer((os.environ[\"IP\"], 8099), "
      "http.server.SimpleHTTPRequestHandler).serve_forever()";
  // Two pods with the same port: each has an address of its own.
  for (const char* name : {"p", "q"}) {
    fixture.create_pod(
        name, fmt::format("terminationGracePeriodSeconds: 0, containers: [{{name: a, image: x, command: [python3, -c, "
                          "'{}'], workingDir: /etc, env: [{{name: IP, valueFrom: {{fieldRef: {{fieldPath: "
                          "status.podIP}}}}}}], ports: [{{name: web, containerPort: 8099}}], readinessProbe: {{{}, "
                          "periodSeconds: 1, failureThreshold: 100}}, livenessProbe: {{tcpSocket: {{port: 8099}}, "
                          "initialDelaySeconds: 30}}}}]",
                          server, "httpGet: {port: web, path: /hostname}"));
  }
  ASSERT_TRUE(fixture.wait_ready("p"));
  ASSERT_TRUE(fixture.wait_ready("q"));
  EXPECT_NE(fixture.at("p", "status.podIP"), fixture.at("q", "status.podIP"));
}

TEST_F(LocalProbes, APageThatIsNotThere) {
  const std::string server =
      "import os, http.server; http.server.HTTPServer((os.environ[\"IP\"], 8098), "
      "http.server.SimpleHTTPRequestHandler).serve_forever()";
  fixture.create_pod("p",
                     fmt::format("terminationGracePeriodSeconds: 0, containers: [{{name: a, image: x, command: "
                                 "[python3, -c, '{}'], env: [{{name: IP, valueFrom: {{fieldRef: {{fieldPath: "
                                 "status.podIP}}}}}}], startupProbe: {{tcpSocket: {{port: 8098}}, periodSeconds: 1, "
                                 "failureThreshold: 100}}, readinessProbe: {{httpGet: {{port: 8098, path: "
                                 "/no-such-page}}}}}}]",
                                 server));
  ASSERT_TRUE(fixture.wait_event_text("p", "Readiness probe failed: HTTP probe failed with statuscode: 404"));
}

TEST_F(LocalProbes, GrpcIsRefusedWithAWord) {
  fixture.create_pod("p",
                     "terminationGracePeriodSeconds: 0, containers: [{name: a, image: x, command: [sleep, '1000'], "
                     "readinessProbe: {grpc: {port: 5}}}]");
  EXPECT_NE(fixture.wait_event("p", "Unhealthy").find("gRPC"), std::string::npos);
}

TEST_F(LocalProbes, ACommandThatTakesTooLong) {
  fixture.create_pod("p",
                     "terminationGracePeriodSeconds: 0, containers: [{name: a, image: x, command: [sleep, '1000'], "
                     "readinessProbe: {exec: {command: [sleep, '1000']}, timeoutSeconds: 1}}]");
  EXPECT_EQ(fixture.wait_event("p", "Unhealthy"), "Readiness probe failed: command timed out");
}

TEST_F(LocalProbes, HooksRunInTheContainer) {
  fixture.create_pod(
      "p",
      "restartPolicy: Never, terminationGracePeriodSeconds: 30, volumes: [{name: v, hostPath: {path: " +
          fixture.directory().string() +
          "}}], containers: [{name: a, image: x, env: [{name: WHO, value: me}], command: [sh, -c, 'trap \"echo term >> "
          "/data/hooks; exit 0\" TERM; while true; do sleep 0.05; done'], volumeMounts: [{name: v, mountPath: /data}], "
          "lifecycle: {postStart: {exec: {command: [sh, -c, 'echo began $WHO >> /data/hooks']}}, preStop: {exec: "
          "{command: [sh, -c, 'echo stopping $WHO >> /data/hooks']}}}}]");
  ASSERT_TRUE(fixture.wait_ready("p"));
  fixture.remove_pod("p", 30);
  ASSERT_TRUE(fixture.wait_gone("p"));
  EXPECT_EQ(fixture.read(fixture.directory() / "hooks"), "began me\nstopping me\nterm\n");
}

TEST_F(LocalProbes, APostStartHookThatFails) {
  fixture.create_pod(
      "p",
      "restartPolicy: Never, terminationGracePeriodSeconds: 0, containers: [{name: a, image: x, command: "
      "[sleep, '1000'], lifecycle: {postStart: {exec: {command: [sh, -c, 'echo broken; exit 4']}}}}]");
  EXPECT_EQ(fixture.wait_event("p", "FailedPostStartHook"), "PostStartHook failed: broken");
  ASSERT_TRUE(fixture.wait_phase("p", "Failed"));
}

}  // namespace
}  // namespace basalt
