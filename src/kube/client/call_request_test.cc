#include "kube/client/call_request.h"

#include <gtest/gtest.h>

namespace basalt::client {
namespace {

using api::Call;
using api::Verb;

const api::GroupVersionResource kPods{.group = "", .version = "v1", .plural = "pods"};
const api::GroupVersionResource kJobs{.group = "batch.volcano.sh", .version = "v1alpha1", .plural = "jobs"};

std::string line_of(const Call& call) {
  const auto request = request_of(call);
  return request ? request->method + " " + request->target : "error: " + request.error().message;
}

TEST(ResourcePath, EveryVerbHasItsMethodAndPath) {
  Call call{.resource = kJobs, .namespace_name = "team-a", .name = "train"};
  const std::string one = "/apis/batch.volcano.sh/v1alpha1/namespaces/team-a/jobs/train";
  const std::string all = "/apis/batch.volcano.sh/v1alpha1/namespaces/team-a/jobs";
  EXPECT_EQ(line_of(call), "GET " + one);
  call.verb = Verb::Update;
  EXPECT_EQ(line_of(call), "PUT " + one);
  call.verb = Verb::Patch;
  EXPECT_EQ(line_of(call), "PATCH " + one);
  call.verb = Verb::Delete;
  EXPECT_EQ(line_of(call), "DELETE " + one);
  call.verb = Verb::Create;
  EXPECT_EQ(line_of(call), "POST " + all);
  call.subresource = "status";
  call.verb = Verb::Update;
  EXPECT_EQ(line_of(call), "PUT " + one + "/status");
  call = {.verb = Verb::List, .resource = kJobs, .namespace_name = "team-a"};
  EXPECT_EQ(line_of(call), "GET " + all);
  call.verb = Verb::DeleteCollection;
  EXPECT_EQ(line_of(call), "DELETE " + all);
  call.verb = Verb::Watch;
  EXPECT_EQ(line_of(call), "GET " + all + "?watch=true");
}

TEST(ResourcePath, CoreGroupClusterScopeAndSubresources) {
  EXPECT_EQ(line_of({.resource = {.version = "v1", .plural = "namespaces"}, .name = "x"}), "GET /api/v1/namespaces/x");
  EXPECT_EQ(line_of({.verb = Verb::List, .resource = kPods}), "GET /api/v1/pods");
  EXPECT_EQ(
      line_of({.verb = Verb::Create, .resource = kPods, .namespace_name = "n", .name = "p", .subresource = "binding"}),
      "POST /api/v1/namespaces/n/pods/p/binding");
}

TEST(ResourcePath, OptionsOfLogs) {
  Call call{.resource = kPods, .namespace_name = "n", .name = "p", .subresource = "log"};
  EXPECT_EQ(line_of(call), "GET /api/v1/namespaces/n/pods/p/log");
  call.log = api::PodLogOptions{
      .container = "c", .since_time = "2026-11-15T18:46:31.5Z", .timestamps = true, .previous = true};
  EXPECT_EQ(line_of(call),
            "GET /api/v1/namespaces/n/pods/p/log?container=c&sinceTime=2026-11-15T18%3A46%3A31.5Z&timestamps=true&"
            "previous=true");
}

TEST(ResourcePath, ListAndWatchOptions) {
  Call call{.verb = Verb::List,
            .resource = kPods,
            .label_selector = "a=b,c in (d)",
            .field_selector = "spec.nodeName=n1",
            .resource_version = "12",
            .version_match = api::ResourceVersionMatch::NotOlderThan,
            .continue_token = "to+ken=",
            .limit = 500};
  EXPECT_EQ(line_of(call),
            "GET /api/v1/pods?labelSelector=a%3Db%2Cc%20in%20%28d%29&fieldSelector=spec.nodeName%3Dn1"
            "&resourceVersion=12&resourceVersionMatch=NotOlderThan&continue=to%2Bken%3D&limit=500");
  call = {.verb = Verb::Watch,
          .resource = kPods,
          .name = "p1",
          .field_selector = "spec.nodeName=n1",
          .resource_version = "7",
          .bookmarks = true,
          .send_initial_events = true,
          .timeout_seconds = 300};
  EXPECT_EQ(line_of(call),
            "GET /api/v1/pods?watch=true&fieldSelector=metadata.name%3Dp1%2Cspec.nodeName%3Dn1&resourceVersion=7"
            "&timeoutSeconds=300&allowWatchBookmarks=true&sendInitialEvents=true");
}

TEST(ResourcePath, WriteOptionsAndMediaTypes) {
  Call call{.verb = Verb::Patch,
            .resource = kPods,
            .namespace_name = "n",
            .name = "p",
            .body = text::Object{{"a", 1}},
            .patch = api::PatchType::Apply,
            .dry_run = true,
            .force = true,
            .field_manager = "vcctl",
            .field_validation = api::FieldValidation::Strict};
  auto request = request_of(call);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->target,
            "/api/v1/namespaces/n/pods/p?dryRun=All&fieldManager=vcctl&fieldValidation=Strict&force=true");
  EXPECT_EQ(request->content_type, "application/apply-patch+yaml");
  EXPECT_EQ(request->body, R"({"a":1})");
  call.patch = api::PatchType::Json;  // force is for apply only: a server refuses it elsewhere
  EXPECT_FALSE(request_of(call)->target.contains("force"));
  EXPECT_EQ(request_of(call)->content_type, "application/json-patch+json");
  call.patch = api::PatchType::Merge;
  EXPECT_EQ(request_of(call)->content_type, "application/merge-patch+json");
  call.patch = api::PatchType::Strategic;
  EXPECT_EQ(request_of(call)->content_type, "application/strategic-merge-patch+json");
}

TEST(ResourcePath, DeleteOptionsTravelInTheBody) {
  Call call{.verb = Verb::Delete, .resource = kPods, .namespace_name = "n", .name = "p"};
  EXPECT_EQ(request_of(call)->content_type, "");
  call.dry_run = true;
  EXPECT_EQ(request_of(call)->target, "/api/v1/namespaces/n/pods/p?dryRun=All");
  call.body = text::Object{{"propagationPolicy", "Foreground"}};
  const auto request = request_of(call);
  EXPECT_EQ(request->target, "/api/v1/namespaces/n/pods/p");
  EXPECT_EQ(request->body,
            R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground","dryRun":["All"]})");
}

TEST(ResourcePath, HolesInAPathAreRefused) {
  for (const Verb verb : {Verb::Get, Verb::Update, Verb::Patch, Verb::Delete}) {
    EXPECT_FALSE(request_of({.verb = verb, .resource = kPods, .namespace_name = "n"}));
  }
  EXPECT_FALSE(request_of({.verb = Verb::List}));
  for (const char* name : {".", "..", "a/b", "a%2Fb"}) {
    EXPECT_FALSE(request_of({.resource = kPods, .namespace_name = "n", .name = name})) << name;
    EXPECT_FALSE(request_of({.resource = kPods, .namespace_name = name, .name = "x"})) << name;
  }
  EXPECT_EQ(line_of({.resource = kPods, .namespace_name = "n", .name = "a b?c#d"}),
            "GET /api/v1/namespaces/n/pods/a%20b%3Fc%23d");
}

}  // namespace
}  // namespace basalt::client
