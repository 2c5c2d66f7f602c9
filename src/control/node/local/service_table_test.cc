#include "control/node/local/service_table.h"

#include <fmt/format.h>

#include "control/node/local/object_fixture.h"

namespace basalt::node {
namespace {

class ServicesTest : public ::testing::Test {
 protected:
  ServicesTest() {
    add("web-0", "127.64.0.1", true, 8080);
    add("web-1", "127.64.0.2", true, 9090);  // the same name for another port
    add("web-2", "127.64.0.3", false, 8080);
  }
  void add(const std::string& name, std::string address, bool ready, int port) {
    pods.push_back(pod_endpoint_of(
        json(fmt::format(R"({{"metadata": {{"name": "{}", "namespace": "blue", "labels": {{"app": "web"}}}},
             "spec": {{"containers": [{{"ports": [{{"name": "http", "containerPort": {}}}]}}]}},
             "status": {{"phase": "Running", "conditions": [{{"type": "Ready", "status": "{}"}}]}}}})",
                         name, port, ready ? "True" : "False")),
        std::move(address)));
  }
  // "127.96.0.2:80 -> 127.64.0.1:8080 127.64.0.2:9090"
  std::vector<std::string> lines() {
    table = service_table(world.services(), pods, options);
    std::vector<std::string> out;
    for (const auto& [at, backends] : table.rows) {
      std::string line = at.text() + " ->";
      for (const net::Endpoint& backend : backends) line += " " + backend.text();
      out.push_back(std::move(line));
    }
    return out;
  }

  using Lines = std::vector<std::string>;
  ObjectFixture world;
  std::vector<PodEndpoint> pods;
  ServiceOptions options;
  ServiceTable table;
};

TEST_F(ServicesTest, TargetsByNumberByNameAndByDefault) {
  world.put(R"({"kind": "Service", "metadata": {"name": "web"}, "spec": {"clusterIP": "127.96.0.2",
    "selector": {"app": "web"}, "ports": [{"name": "a", "port": 80, "targetPort": "http"},
    {"name": "b", "port": 81, "targetPort": 7000}, {"name": "c", "port": 82},
    {"name": "d", "port": 83, "targetPort": "nix"}]}})");
  EXPECT_EQ(lines(), (Lines{"127.96.0.2:80 -> 127.64.0.1:8080 127.64.0.2:9090",
                            "127.96.0.2:81 -> 127.64.0.1:7000 127.64.0.2:7000",
                            "127.96.0.2:82 -> 127.64.0.1:82 127.64.0.2:82", "127.96.0.2:83 ->"}));
  EXPECT_TRUE(table.notes.empty());
}

TEST_F(ServicesTest, NodePortsAndPodsThatAreNotReady) {
  world.put(R"({"kind": "Service", "metadata": {"name": "web"}, "spec": {"type": "NodePort", "clusterIP": "127.96.0.2",
    "selector": {"app": "web"}, "publishNotReadyAddresses": true,
    "ports": [{"port": 80, "targetPort": 1, "nodePort": 30080}]}})");
  options.node_port_address = "0.0.0.0";
  EXPECT_EQ(lines(), (Lines{"0.0.0.0:30080 -> 127.64.0.1:1 127.64.0.2:1 127.64.0.3:1",
                            "127.96.0.2:80 -> 127.64.0.1:1 127.64.0.2:1 127.64.0.3:1"}));
}

TEST_F(ServicesTest, WhatCannotBeServedIsSaidOnce) {
  for (const char* name : {"a", "b"}) {
    world.put(fmt::format(R"({{"kind": "Service", "metadata": {{"name": "{}"}}, "spec": {{"type": "NodePort",
      "clusterIP": "10.0.0.{}", "selector": {{"app": "web"}}, "ports": [{{"port": 80, "nodePort": {}}},
      {{"port": 53, "protocol": "UDP"}}]}}}})",
                          name, *name - 'a' + 1, 30000 + *name));
  }
  EXPECT_EQ(lines(), (Lines{"127.0.0.1:30097 -> 127.64.0.1:80 127.64.0.2:80",
                            "127.0.0.1:30098 -> 127.64.0.1:80 127.64.0.2:80"}));
  ASSERT_EQ(table.notes.size(), 2U);
  EXPECT_NE(table.notes[0].find("service blue/a has 10.0.0.1"), std::string::npos) << table.notes[0];
  EXPECT_NE(table.notes[1].find("only TCP"), std::string::npos) << table.notes[1];
}

TEST_F(ServicesTest, LeftOut) {
  world.put(R"({"kind": "Service", "metadata": {"name": "headless"}, "spec": {"clusterIP": "None",
    "selector": {"app": "web"}, "ports": [{"port": 80}]}})");
  world.put(R"({"kind": "Service", "metadata": {"name": "external"}, "spec": {"type": "ExternalName",
    "selector": {"app": "web"}, "ports": [{"port": 80}]}})");
  world.put(R"({"kind": "Service", "metadata": {"name": "by-hand"}, "spec": {"clusterIP": "127.96.0.3",
    "ports": [{"port": 80}]}})");
  world.put(R"({"kind": "Service", "metadata": {"name": "far", "namespace": "red"}, "spec": {"clusterIP": "127.96.0.4",
    "selector": {"app": "web"}, "ports": [{"port": 80}]}})");
  world.put(R"({"kind": "Service", "metadata": {"name": "odd"}, "spec": {"clusterIP": "127.96.0.5",
    "selector": {"app": "web"}, "ports": [{"port": 0}, {"port": 70000}, {"port": "x"}, 5, {},
    {"port": 1, "targetPort": 99999}]}})");
  world.put(R"({"kind": "Service", "metadata": {"name": "broken"}, "spec": 5})");
  EXPECT_EQ(lines(), (Lines{"127.96.0.4:80 ->", "127.96.0.5:1 ->"}));
}

TEST_F(ServicesTest, HostPortsOfPods) {
  const auto with_ports = [&](const char* name, const char* address, const char* ports) {
    pods.push_back(pod_endpoint_of(json(fmt::format(R"({{"metadata": {{"name": "{}", "namespace": "blue"}},
      "spec": {{"containers": [{{"ports": {}}}]}}}})",
                                                    name, ports)),
                                   address));
  };
  with_ports("own", "127.64.0.9", R"([{"containerPort": 80, "hostPort": 8080},
    {"containerPort": 53, "hostPort": 8053, "protocol": "UDP"}, {"containerPort": 81}])");
  with_ports("host", "127.0.0.1", R"([{"containerPort": 90, "hostPort": 90}])");
  EXPECT_EQ(lines(), Lines{});
  options.host_ports = true;
  EXPECT_EQ(lines(), Lines{"127.0.0.1:8080 -> 127.64.0.9:80"});
}

TEST_F(ServicesTest, TheApiServerItself) {
  world.put(R"({"kind": "Service", "metadata": {"name": "kubernetes", "namespace": "default"},
    "spec": {"clusterIP": "127.96.0.1", "ports": [{"port": 443, "targetPort": 6443}]}})");
  EXPECT_EQ(lines(), Lines{});
  options.api_server = net::Endpoint{.address = "127.0.0.1", .port = 7443};
  EXPECT_EQ(lines(), Lines{"127.96.0.1:443 -> 127.0.0.1:7443"});
}

}  // namespace
}  // namespace basalt::node
