#include "server/bootstrap.h"

#include <gtest/gtest.h>

#include "kube/api/object_fields.h"
#include "server/api_server.h"
#include "server/in_process_client.h"
#include "server/store/store.h"

namespace basalt::server {
namespace {

// A server that is started again and again on the same store.
struct PolicyShown : testing::Test {
  std::unique_ptr<store::Store> store = store::Store::in_memory();
  ApiServer api{*store, {.clock = [] { return Instant::from_unix_seconds(1'767'225'600); }}};
  InProcessClient client{api, {.name = "system:basalt", .uid = "", .groups = {"system:masters"}}, "basalt"};

  std::string start(std::string_view policy, std::string_view file = "") {
    const auto done = bootstrap(client, {.policy = policy, .policy_file = file});
    EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
    return std::string(api::string_at(map().get_object(), {"data", "volcano-scheduler.conf"}));
  }
  text::Value map() {
    const auto outcome = client.call({.verb = api::Verb::Get,
                                      .resource = {.group = "", .version = "v1", .plural = "configmaps"},
                                      .namespace_name = "volcano-system",
                                      .name = "volcano-scheduler-configmap"});
    EXPECT_TRUE(outcome.has_value());
    return outcome ? *outcome->object : text::Value(text::Object());
  }
  void edit(std::string_view policy) {
    text::Value changed = map();
    changed.as_object()["data"].as_object()["volcano-scheduler.conf"] = policy;
    const auto outcome = client.call({.verb = api::Verb::Update,
                                      .resource = {.group = "", .version = "v1", .plural = "configmaps"},
                                      .namespace_name = "volcano-system",
                                      .name = "volcano-scheduler-configmap",
                                      .body = changed});
    EXPECT_TRUE(outcome.has_value());
  }
};

TEST_F(PolicyShown, WhatTheOwnerMadeOfItStays) {
  EXPECT_EQ(start("built-in"), "built-in");
  edit("mine");
  EXPECT_EQ(start("built-in"), "mine");
}

TEST_F(PolicyShown, AFileIsShownWhileItRulesAndGivesBackWhatWasThere) {
  start("built-in");
  edit("mine");
  EXPECT_EQ(start("of the file", "f.conf"), "of the file");
  EXPECT_EQ(start("of the file, edited", "f.conf"), "of the file, edited");
  EXPECT_EQ(start("built-in"), "mine");
  EXPECT_EQ(api::string_at(map().get_object(), {"metadata", "annotations", "basalt.sh/policy-file"}), "");
}

TEST_F(PolicyShown, AFileFromTheStartGivesWayToTheBuiltInPolicy) {
  EXPECT_EQ(start("of the file", "f.conf"), "of the file");
  EXPECT_EQ(start("built-in"), "built-in");
}

}  // namespace
}  // namespace basalt::server
