#include "control/node/local/container_environment.h"

#include <fmt/format.h>

#include <algorithm>

#include "control/node/local/object_fixture.h"

namespace basalt::node {
namespace {

class EnvironmentTest : public ::testing::Test {
 protected:
  EnvironmentTest() {
    world.put(
        R"json({"kind": "ConfigMap", "metadata": {"name": "settings"},
                  "data": {"color": "red", "a=b": "x", "n": "5"}})json");
    world.put(
        R"json({"kind": "Secret", "metadata": {"name": "keys"}, "data": {"pass": "czNjcmV0", "zero": "AA=="}})json");
    world.put(R"json({"kind": "Service", "metadata": {"name": "my-db"}, "spec": {"clusterIP": "127.96.0.5",
                  "ports": [{"name": "sql-main", "port": 5432},
                            {"name": "dns", "port": 53, "protocol": "UDP"}]}})json");
    world.put(R"json({"kind": "Service", "metadata": {"name": "headless"}, "spec": {"clusterIP": "None",
                  "ports": [{"port": 1}]}})json");
    world.put(R"json({"kind": "Service", "metadata": {"name": "far", "namespace": "red"},
                  "spec": {"clusterIP": "127.96.0.6", "ports": [{"port": 1}]}})json");
    world.put(R"json({"kind": "Service", "metadata": {"name": "kubernetes", "namespace": "default"},
                  "spec": {"clusterIP": "127.96.0.1", "ports": [{"name": "https", "port": 443}]}})json");
  }

  Result<Environment> make(std::string_view container, std::string_view spec = "{}") {
    text::Object pod = json(R"json({"metadata": {"name": "web-0", "namespace": "blue", "uid": "u"}})json");
    pod["spec"] = json(spec);
    return make_environment(pod, json(container), host, {.pod_address = "127.64.0.3"}, world.lookup());
  }
  std::string error(std::string_view container) {
    const auto made = make(container);
    return made ? "(none)" : made.error().message;
  }
  static std::string value(const Result<Environment>& made, std::string_view name) {
    if (!made) return made.error().message;
    const auto found = made->all.find(name);
    return found == made->all.end() ? "(unset)" : found->second;
  }

  ObjectFixture world;
  NodeEnvironment host = {.variables = {{"PATH", "/bin"}, {"HOME", "/root"}}, .api_address = {}, .api_port = {}};
};

TEST_F(EnvironmentTest, SourcesInTheirOrder) {
  const auto made = make(R"json({
    "envFrom": [{"configMapRef": {"name": "settings"}}, {"prefix": "S_", "secretRef": {"name": "keys"}}],
    "env": [{"name": "color", "value": "my $(color)"}, {"name": "LATER", "value": "$(NEXT) $(color) $(S_pass) $(DB)"},
            {"name": "NEXT", "value": "n"}, {"name": "DB", "value": "$(MY_DB_SERVICE_HOST):$(MY_DB_SERVICE_PORT)"},
            {"name": "HOME", "value": "/home"}, {"name": "EMPTY"}, {"name": "TWICE", "value": "1"},
            {"name": "TWICE", "value": "$(TWICE)2"}, {"name": "NOT", "value": "$(PATH) $$(color)"}]
})json");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(value(made, "color"), "my red");
  EXPECT_EQ(value(made, "LATER"), "$(NEXT) my red s3cret $(DB)");
  EXPECT_EQ(value(made, "DB"), "127.96.0.5:5432");
  EXPECT_EQ(value(made, "HOME"), "/home");
  EXPECT_EQ(value(made, "PATH"), "/bin");
  EXPECT_EQ(value(made, "EMPTY"), "");
  EXPECT_EQ(value(made, "TWICE"), "12");
  EXPECT_EQ(value(made, "NOT"), "$(PATH) $(color)") << "what the machine brings is not for expansion";
  EXPECT_EQ(value(made, "n"), "5");
  EXPECT_EQ(value(made, "HOSTNAME"), "web-0");
  EXPECT_EQ(value(made, "a=b"), "(unset)");
  EXPECT_EQ(value(made, "S_zero"), "(unset)");
  ASSERT_EQ(made->notes.size(), 2U);
  EXPECT_TRUE(made->notes[0].starts_with("Keys [a=b] from the EnvFrom configmap blue/settings were skipped"));
  const auto list = made->as_list();
  EXPECT_EQ(list.size(), made->all.size());
  EXPECT_NE(std::ranges::find(list, "color=my red"), list.end());
}

TEST_F(EnvironmentTest, References) {
  const auto made = make(R"json({"name": "main", "env": [
    {"name": "COLOR", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "color"}}},
    {"name": "PASS", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "pass"}}},
    {"name": "NO_MAP", "valueFrom": {"configMapKeyRef": {"name": "none", "key": "x", "optional": true}}},
    {"name": "NO_KEY", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "x", "optional": true}}},
    {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
    {"name": "CPUS", "valueFrom": {"resourceFieldRef": {"resource": "requests.cpu"}}}]})json");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(value(made, "COLOR"), "red");
  EXPECT_EQ(value(made, "PASS"), "s3cret");
  EXPECT_EQ(value(made, "NO_MAP"), "(unset)");
  EXPECT_EQ(value(made, "NO_KEY"), "(unset)");
  EXPECT_EQ(value(made, "IP"), "127.64.0.3");
  EXPECT_EQ(value(made, "CPUS"), "0");
}

TEST_F(EnvironmentTest, WhatIsMissingIsNamed) {
  EXPECT_EQ(error(R"json({"envFrom": [{"configMapRef": {"name": "x"}}]})json"), "configmap \"x\" not found");
  EXPECT_EQ(error(R"json({"envFrom": [{"secretRef": {"name": "x"}}]})json"), "secret \"x\" not found");
  EXPECT_EQ(error(R"json({"envFrom": [{"secretRef": {"name": "x", "optional": true}}]})json"), "(none)");
  EXPECT_EQ(error(R"json({"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "x", "key": "y"}}}]})json"),
            "configmap \"x\" not found");
  EXPECT_EQ(
      error(R"json({"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "y"}}}]})json"),
      "couldn't find key y in ConfigMap blue/settings");
  EXPECT_EQ(error(R"json({"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "y"}}}]})json"),
            "couldn't find key y in Secret blue/keys");
  EXPECT_EQ(error(R"json({"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}]})json"),
            "unsupported fieldPath: x");
}

TEST_F(EnvironmentTest, ServicesByVariables) {
  const auto made = make("{}");
  EXPECT_EQ(value(made, "MY_DB_SERVICE_HOST"), "127.96.0.5");
  EXPECT_EQ(value(made, "MY_DB_SERVICE_PORT"), "5432");
  EXPECT_EQ(value(made, "MY_DB_SERVICE_PORT_SQL_MAIN"), "5432");
  EXPECT_EQ(value(made, "MY_DB_PORT"), "tcp://127.96.0.5:5432");
  EXPECT_EQ(value(made, "MY_DB_PORT_5432_TCP"), "tcp://127.96.0.5:5432");
  EXPECT_EQ(value(made, "MY_DB_PORT_5432_TCP_PROTO"), "tcp");
  EXPECT_EQ(value(made, "MY_DB_PORT_5432_TCP_PORT"), "5432");
  EXPECT_EQ(value(made, "MY_DB_PORT_53_UDP_ADDR"), "127.96.0.5");
  EXPECT_EQ(value(made, "HEADLESS_SERVICE_HOST"), "(unset)");
  EXPECT_EQ(value(made, "FAR_SERVICE_HOST"), "(unset)");
  EXPECT_EQ(value(made, "KUBERNETES_SERVICE_HOST"), "127.96.0.1");

  const auto alone = make("{}", R"json({"enableServiceLinks": false})json");
  EXPECT_EQ(value(alone, "MY_DB_SERVICE_HOST"), "(unset)");
  EXPECT_EQ(value(alone, "KUBERNETES_SERVICE_PORT_HTTPS"), "443");

  host.api_address = "127.0.0.1";
  host.api_port = "6443";
  EXPECT_EQ(value(make("{}"), "KUBERNETES_SERVICE_HOST"), "127.0.0.1");
  EXPECT_EQ(value(make("{}"), "KUBERNETES_PORT"), "tcp://127.0.0.1:6443");
}

TEST_F(EnvironmentTest, CommandLines) {
  const text::Object container =
      json(R"json({"command": ["run", "$(WHO)", "$(HOSTNAME)"], "args": ["--x=$(WHO)", "$$(WHO)"],
                                          "env": [{"name": "WHO", "value": "me"}]})json");
  const auto made = make(text::to_json(container));
  const auto line = command_line(container, *made);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->command, (std::vector<std::string>{"run", "me", "$(HOSTNAME)"}));
  EXPECT_EQ(line->args, (std::vector<std::string>{"--x=me", "$(WHO)"}));
  EXPECT_TRUE(command_line({}, *made)->command.empty());
}

TEST_F(EnvironmentTest, BombsAndBrokenInputAreErrors) {
  std::string list = R"json({"name": "V0", "value": "xxxxxxxxxxxxxxxx"})json";
  for (int i = 1; i < 64; ++i) {
    list += fmt::format(R"json(,{{"name": "V{}", "value": "$(V{})$(V{})"}})json", i, i - 1, i - 1);
  }
  EXPECT_NE(error("{\"env\": [" + list + "]}").find("is longer than 131071 bytes"), std::string::npos);

  std::string wide = R"json({"name": "BIG", "value": ")json" + std::string(100'000, 'x') + "\"}";
  for (int i = 0; i < 20; ++i) wide += fmt::format(R"json(,{{"name": "W{}", "value": "$(BIG)"}})json", i);
  EXPECT_NE(error("{\"env\": [" + wide + "]}").find("at most 1048576 can be passed"), std::string::npos);

  EXPECT_NE(error(R"json({"env": [{"name": "A", "value": "a\u0000b"}]})json").find("zero byte"), std::string::npos);
  EXPECT_NE(error(R"json({"env": [{"name": "A=B", "value": "x"}]})json").find("no name"), std::string::npos);
  EXPECT_NE(error(R"json({"env": [{"value": "x"}]})json").find("no name"), std::string::npos);
  EXPECT_NE(error(R"json({"env": [{"name": "A", "valueFrom": {"fileKeyRef": {}}}]})json").find("valueFrom"),
            std::string::npos);
  EXPECT_EQ(error(R"json({"env": [1, null, [], "x"], "envFrom": [1, {}, {"configMapRef": 5}]})json"), "(none)");
  EXPECT_EQ(error(R"json({"env": {"name": "A"}, "envFrom": "x"})json"), "(none)");
  const auto made = make("{}");
  EXPECT_FALSE(command_line(json(R"json({"command": ["a\u0000b"]})json"), *made));
  EXPECT_TRUE(command_line(json(R"json({"command": "x", "args": {"a": 1}})json"), *made));
}

TEST(HostVariables, HaveAPathAndAHome) {
  const Variables variables = host_variables();
  EXPECT_TRUE(variables.contains("PATH"));
  EXPECT_TRUE(variables.contains("HOME"));
}

}  // namespace
}  // namespace basalt::node
