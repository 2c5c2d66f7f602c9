// What containers are given, what is kept of them, and how they follow each other.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "kube/api/object_fields.h"
#include "tests/local/local_node_fixture.h"

namespace basalt {
namespace {

class LocalPods : public testing::Test {
 protected:
  LocalPods() { fixture.start_node(); }
  LocalNodeFixture fixture;
};

TEST_F(LocalPods, TheNodeRegistersItself) {
  fixture.create_pod("p", "restartPolicy: Never, containers: [{name: a, image: x, command: ['true']}]");
  ASSERT_TRUE(fixture.wait_phase("p", "Succeeded"));
  const client::ObjectPtr node = fixture.get("nodes", LocalNodeFixture::kNode);
  ASSERT_NE(node, nullptr);
  const text::Object& object = node->get_object();
  EXPECT_EQ(api::string_at(object, {"metadata", "labels", "basalt.sh/runtime"}), "local");
  EXPECT_EQ(api::string_at(object, {"status", "capacity", "pods"}), "110");
  EXPECT_NE(api::string_at(object, {"status", "capacity", "cpu"}), "");
  EXPECT_NE(api::string_at(object, {"status", "capacity", "memory"}), "");
  api::Call lease{.verb = api::Verb::Get, .resource = {"coordination.k8s.io", "v1", "leases"}};
  lease.namespace_name = "kube-node-lease";
  lease.name = LocalNodeFixture::kNode;
  EXPECT_TRUE(fixture.client().call(lease).has_value());
}

TEST_F(LocalPods, TwoContainersWithTheirLogsAndExitCodes) {
  fixture.create_pod(
      "p",
      "restartPolicy: Never, containers: [{name: a, image: x, command: [sh, -c, 'echo one; echo two >&2']}, "
      "{name: b, image: x, command: [sh, -c], args: ['echo three; exit 3']}]");
  ASSERT_TRUE(fixture.wait_phase("p", "Failed"));
  EXPECT_EQ(fixture.log("p", "b"), "three");
  const std::string log = fixture.log("p", "a");
  EXPECT_TRUE(log == "one|two" || log == "two|one") << log;  // two pipes: their order is not told
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.state.terminated.exitCode"), "0");
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.state.terminated.reason"), "Completed");
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.1.state.terminated.exitCode"), "3");
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.1.state.terminated.reason"), "Error");
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.1.restartCount"), "0");
}

TEST_F(LocalPods, ASignalIsTold) {
  fixture.create_pod("p",
                     "restartPolicy: Never, containers: [{name: a, image: x, command: [sh, -c, 'kill -SEGV $$$$']}]");
  ASSERT_TRUE(fixture.wait_phase("p", "Failed"));
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.state.terminated.exitCode"), "139");
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.state.terminated.signal"), "11");
}

TEST_F(LocalPods, LastWordsAreTold) {
  const std::string user = ::geteuid() == 0 ? "securityContext: {runAsUser: 65534}, " : "";
  fixture.create_pod("p",
                     "restartPolicy: Never, " + user +
                         "containers: [{name: a, image: x, command: [sh, -c, 'echo lost > /dev/termination-log; "
                         "exit 3']}, {name: b, image: x, terminationMessagePath: /last/words, command: [sh, -c, "
                         "'printf done > /last/words']}, {name: c, image: x, terminationMessagePolicy: "
                         "FallbackToLogsOnError, command: [sh, -c, 'echo the reason >&2; exit 1']}, {name: d, image: "
                         "x, command: [sh, -c, 'echo not a reason; exit 1']}]");
  ASSERT_TRUE(fixture.wait_phase("p", "Failed"));
  const auto words = [&](int i) {
    return fixture.at("p", fmt::format("status.containerStatuses.{}.state.terminated.message", i));
  };
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.state.terminated.exitCode"), "3");
  EXPECT_EQ(words(0), "lost\n");
  EXPECT_EQ(words(1), "done");
  EXPECT_EQ(words(2), "the reason\n");
  EXPECT_EQ(words(3), "");
}

TEST_F(LocalPods, AProgramThatIsNotThere) {
  fixture.create_pod("p", "restartPolicy: Never, containers: [{name: a, image: x, command: [no-such-program-here]}]");
  ASSERT_TRUE(fixture.wait_phase("p", "Failed"));
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.state.terminated.exitCode"), "128");
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.state.terminated.reason"), "StartError");
  EXPECT_NE(fixture.at("p", "status.containerStatuses.0.state.terminated.message").find("no-such-program-here"),
            std::string::npos);
  EXPECT_NE(fixture.wait_event("p", "Failed").find("no-such-program-here"), std::string::npos);
}

TEST_F(LocalPods, NoCommandAndNoImageIsExplained) {
  fixture.create_pod("p", "restartPolicy: Never, containers: [{name: a, image: some/image}]");
  EXPECT_NE(fixture.wait_event("p", "Failed").find("some/image"), std::string::npos);
  ASSERT_TRUE(fixture.wait(
      "p", [](const text::Object& pod) { return api::array_at(pod, {"status", "containerStatuses"}) != nullptr; }));
  EXPECT_EQ(fixture.at("p", "status.phase"), "Pending");
}

TEST_F(LocalPods, EnvironmentFromConfigMapsSecretsAndTheirAbsence) {
  // The pod comes first: it waits for what it needs.
  fixture.create_pod(
      "p",
      "restartPolicy: Never, containers: [{name: a, image: x, command: [sh, -c, 'echo $GREETING $WHO $(NODE) "
      "$SECRET'], "
      "envFrom: [{configMapRef: {name: words}}], env: [{name: WHO, value: 'dear $(NAME)'}, {name: NODE, valueFrom: "
      "{fieldRef: {fieldPath: spec.nodeName}}}, {name: SECRET, valueFrom: {secretKeyRef: {name: s, key: k}}}]}]");
  EXPECT_EQ(fixture.wait_event("p", "Failed"), "Error: configmap \"words\" not found");
  ASSERT_TRUE(fixture.wait("p", [](const text::Object& pod) {
    const text::Array* list = api::array_at(pod, {"status", "containerStatuses"});
    return list != nullptr &&
           api::string_at(list->at(0).get_object(), {"state", "waiting", "reason"}) == "CreateContainerConfigError";
  }));
  fixture.create("{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {k: hush}}");
  fixture.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: words}, data: {GREETING: hello, NAME: world}}");
  ASSERT_TRUE(fixture.wait_phase("p", "Succeeded"));
  EXPECT_EQ(fixture.log("p", "a"), "hello dear world here hush");
}

TEST_F(LocalPods, InitContainersInOrderAndAVolumeBetweenThem) {
  fixture.create_pod(
      "p",
      "restartPolicy: Never, volumes: [{name: v, emptyDir: {}}], initContainers: ["
      "{name: i, image: x, command: [sh, -c, 'echo i >> /data/order'], volumeMounts: [{name: v, mountPath: /data}]}, "
      "{name: j, image: x, command: [sh, -c, 'echo j >> /data/order'], volumeMounts: [{name: v, mountPath: /data}]}], "
      "containers: [{name: a, image: x, command: [sh, -c, 'cat /data/order; echo a'], volumeMounts: [{name: v, "
      "mountPath: /data}]}]");
  ASSERT_TRUE(fixture.wait_phase("p", "Succeeded"));
  EXPECT_EQ(fixture.log("p", "a"), "i|j|a");
  EXPECT_EQ(fixture.at("p", "status.initContainerStatuses.1.ready"), "true");
}

TEST_F(LocalPods, AnInitContainerThatFailsFailsThePod) {
  fixture.create_pod(
      "p",
      "restartPolicy: Never, initContainers: [{name: i, image: x, command: ['false']}], containers: [{name: "
      "a, image: x, command: [echo, never]}]");
  ASSERT_TRUE(fixture.wait_phase("p", "Failed"));
  EXPECT_EQ(fixture.log("p", "a"), "");
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.state.waiting.reason"), "PodInitializing");
}

TEST_F(LocalPods, AMissingVolumeIsToldAndAwaited) {
  fixture.create_pod(
      "p",
      "restartPolicy: Never, volumes: [{name: v, configMap: {name: files}}], containers: [{name: a, image: "
      "x, command: [cat, /etc/files/f], volumeMounts: [{name: v, mountPath: /etc/files}]}]");
  EXPECT_NE(fixture.wait_event("p", "FailedMount").find("configmap \"files\" not found"), std::string::npos);
  fixture.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: files}, data: {f: content}}");
  ASSERT_TRUE(fixture.wait_phase("p", "Succeeded"));
  EXPECT_EQ(fixture.log("p", "a"), "content");
}

TEST_F(LocalPods, OnFailureRunsUntilItSucceeds) {
  fixture.create_pod(
      "p",
      "restartPolicy: OnFailure, volumes: [{name: v, emptyDir: {}}], containers: [{name: a, image: x, command: [sh, "
      "-c, "
      "'echo run >> /data/runs; echo this is $(wc -l < /data/runs); test $(wc -l < /data/runs) -ge 3'], volumeMounts: "
      "[{name: v, mountPath: /data}]}]");
  ASSERT_TRUE(fixture.wait_phase("p", "Succeeded"));
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.restartCount"), "2");
  EXPECT_EQ(fixture.at("p", "status.containerStatuses.0.lastState.terminated.exitCode"), "1");
  EXPECT_EQ(fixture.log("p", "a"), "this is 3");
  EXPECT_EQ(fixture.log("p", "a", true), "this is 2");
  EXPECT_NE(fixture.wait_event("p", "BackOff"), "");
}

TEST_F(LocalPods, ASecondPodOfTheSameNameStartsWithItsOwnLogs) {
  fixture.create_pod("p", "restartPolicy: Never, containers: [{name: a, image: x, command: [echo, first]}]");
  ASSERT_TRUE(fixture.wait_phase("p", "Succeeded"));
  fixture.remove_pod("p", 0);
  ASSERT_TRUE(fixture.wait_gone("p"));
  fixture.create_pod("p", "restartPolicy: Never, containers: [{name: a, image: x, command: [echo, second]}]");
  ASSERT_TRUE(fixture.wait_phase("p", "Succeeded"));
  EXPECT_EQ(fixture.log("p", "a"), "second");
  EXPECT_EQ(fixture.log("p", "a", true), "");
}

}  // namespace
}  // namespace basalt
