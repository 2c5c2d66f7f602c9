// Services: by name, through the load balancer, to the pods that are ready.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/local/local_node_fixture.h"

namespace basalt {
namespace {

// Loopback addresses are the machine's: a port of our own keeps tests that run at the same time apart.
int own_port() { return 20'000 + getpid() % 10'000; }

// Says its host name to whoever connects.
constexpr std::string_view kServer =
    "import os, socket\\n"
    "s = socket.create_server((os.environ[\\\"POD_IP\\\"], int(os.environ[\\\"PORT\\\"])))\\n"
    "while True:\\n"
    "  c = s.accept()[0]\\n"
    "  c.sendall(os.environ[\\\"HOSTNAME\\\"].encode())\\n"
    "  c.close()\\n";

// Asks the service until WANT pods have answered; then four times, by its name and by its variables.
constexpr std::string_view kClient =
    "import os, socket\\n"
    "def ask(host, port): return socket.create_connection((host, int(port)), 20).recv(99).decode()\\n"
    "e = os.environ\\n"
    "heard = set()\\n"
    "while len(heard) < int(e[\\\"WANT\\\"]): heard.add(ask(\\\"web\\\", e[\\\"PORT\\\"]))\\n"
    "for i in range(2):\\n"
    "  print(ask(\\\"web\\\", e[\\\"PORT\\\"]))\\n"
    "  print(ask(e[\\\"WEB_SERVICE_HOST\\\"], e[\\\"WEB_SERVICE_PORT\\\"]))\\n";

void create_server(LocalNodeFixture& fixture, int index, std::string_view address = "") {
  fixture.create(fmt::format(
      R"({{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "web-{0}", "labels": {{"app": "web"}}}},
      "spec": {{"nodeName": "here", "terminationGracePeriodSeconds": 0, "containers": [{{"name": "a", "image": "x",
        "command": ["python3", "-c", "{1}"], "ports": [{{"name": "talk", "containerPort": {2}}}],
        "env": [{{"name": "PORT", "value": "{2}"}},
                {{"name": "POD_IP", {3}}}],
        "readinessProbe": {{"tcpSocket": {{"port": "talk"}}, "periodSeconds": 1}}}}]}}}})",
      index, kServer, own_port(),
      address.empty() ? R"("valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}})"
                      : fmt::format(R"("value": "{}")", address)));
}

std::string ask_four_times(LocalNodeFixture& fixture, std::string_view name, int want) {
  fixture.create_pod(name, fmt::format(R"("restartPolicy": "Never", "containers": [{{"name": "a", "image": "x",
    "command": ["python3", "-c", "{}"], "env": [{{"name": "PORT", "value": "{}"}},
    {{"name": "WANT", "value": "{}"}}]}}])",
                                       kClient, own_port(), want));
  return fixture.wait_phase(name, "Succeeded") ? fixture.log(name, "a") : "";
}

TEST(LocalServices, SpreadOverThePodsThatAreReady) {
  LocalNodeFixture fixture;
  fixture.start_node();
  fixture.create(fmt::format(R"({{"apiVersion": "v1", "kind": "Service", "metadata": {{"name": "web"}}, "spec":
    {{"selector": {{"app": "web"}}, "ports": [{{"port": {}, "targetPort": "talk"}}]}}}})",
                             own_port()));
  for (const int index : {0, 1}) create_server(fixture, index);
  ASSERT_TRUE(fixture.wait_ready("web-0"));
  ASSERT_TRUE(fixture.wait_ready("web-1"));
  const std::string said = ask_four_times(fixture, "client", 2);
  EXPECT_TRUE(said == "web-0|web-1|web-0|web-1" || said == "web-1|web-0|web-1|web-0") << said;

  fixture.remove_pod("web-0", 30);
  ASSERT_TRUE(fixture.wait_gone("web-0"));
  EXPECT_EQ(ask_four_times(fixture, "again", 1), "web-1|web-1|web-1|web-1");
}

class LocalServicesPorts : public testing::TestWithParam<node::OwnPorts> {};
INSTANTIATE_TEST_SUITE_P(Ports, LocalServicesPorts,
                         testing::Values(node::OwnPorts::None, node::OwnPorts::Declared, node::OwnPorts::All),
                         [](const auto& which) {
                           if (which.param == node::OwnPorts::None) return "Shared";
                           return which.param == node::OwnPorts::All ? "Own" : "Declared";
                         });

// A program that listens on all addresses, behind a service of the same port: the service's address leads there.
TEST_P(LocalServicesPorts, APodMayListenOnAllAddresses) {
  LocalNodeFixture fixture;
  fixture.options.own_ports = GetParam();
  fixture.start_node();
  fixture.create(fmt::format(R"({{"apiVersion": "v1", "kind": "Service", "metadata": {{"name": "web"}}, "spec":
    {{"selector": {{"app": "web"}}, "ports": [{{"port": {}, "targetPort": "talk"}}]}}}})",
                             own_port()));
  // A pod whose creation the balancer has seen: it would be listening by now.
  fixture.create_pod("first", "restartPolicy: Never, containers: [{name: a, image: x, command: ['true']}]");
  ASSERT_TRUE(fixture.wait_phase("first", "Succeeded"));
  create_server(fixture, 0, "0.0.0.0");
  ASSERT_TRUE(fixture.wait_ready("web-0"));
  EXPECT_EQ(fixture.at("web-0", "status.containerStatuses.0.restartCount"), "0");
  EXPECT_EQ(ask_four_times(fixture, "client", 1), "web-0|web-0|web-0|web-0");
}

}  // namespace
}  // namespace basalt
