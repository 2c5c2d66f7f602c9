#include "server/discovery_documents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace basalt::server {
namespace {

api::ApiResourceTable sample_table() {
  const auto row = [](std::string group, std::string version, std::string kind, std::string plural) {
    api::ApiResource resource;
    resource.group = std::move(group);
    resource.version = std::move(version);
    resource.list_kind = kind + "List";
    resource.singular = kind;
    resource.kind = std::move(kind);
    resource.plural = std::move(plural);
    return resource;
  };
  api::ApiResource pods = row("", "v1", "Pod", "pods");
  pods.short_names = {"po"};
  pods.categories = {"all"};
  pods.has_status = true;
  pods.extra_subresources = {"log", "eviction", "binding"};
  api::ApiResource namespaces = row("", "v1", "Namespace", "namespaces");
  namespaces.namespaced = false;
  namespaces.verbs = {"watch", "list", "get", "create", "delete", "patch", "update"};
  api::ApiResource custom = row("aaa.example.com", "v1", "Widget", "widgets");
  custom.custom = true;
  custom.scale = api::ScalePaths{};
  api::ApiResource old_custom = row("aaa.example.com", "v1alpha1", "Widget", "widgets");
  old_custom.custom = true;
  return api::ApiResourceTable({pods, namespaces, custom, old_custom, row("apps", "v1", "Deployment", "deployments")});
}

TEST(Discovery, CoreVersions) {
  EXPECT_EQ(text::to_json(core_versions("127.0.0.1:6443")),
            R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":)"
            R"([{"clientCIDR":"0.0.0.0/0","serverAddress":"127.0.0.1:6443"}]})");
}

TEST(Discovery, GroupsOfCrdsComeAfterBuiltInOnes) {
  const text::Value groups = group_list(sample_table());
  EXPECT_EQ(groups.at("kind"), "APIGroupList");
  ASSERT_EQ(groups.at("groups").as_array().size(), 2U);
  EXPECT_EQ(groups.at("groups").at(0).at("name"), "apps");
  EXPECT_EQ(text::to_json(groups.at("groups").at(1)),
            R"({"name":"aaa.example.com","versions":[{"groupVersion":"aaa.example.com/v1","version":"v1"},)"
            R"({"groupVersion":"aaa.example.com/v1alpha1","version":"v1alpha1"}],)"
            R"("preferredVersion":{"groupVersion":"aaa.example.com/v1","version":"v1"}})");
}

TEST(Discovery, OneGroup) {
  const auto apps = group(sample_table(), "apps");
  ASSERT_TRUE(apps.has_value());
  EXPECT_EQ(apps->at("kind"), "APIGroup");
  EXPECT_EQ(apps->at("preferredVersion").at("groupVersion"), "apps/v1");
  EXPECT_FALSE(group(sample_table(), "nothing").has_value());
  EXPECT_FALSE(group(sample_table(), "").has_value());
}

TEST(Discovery, ResourcesAndSubresources) {
  const auto core = resource_list(sample_table(), "", "v1");
  ASSERT_TRUE(core.has_value());
  EXPECT_EQ(core->at("groupVersion"), "v1");
  std::string lines;
  for (const text::Value& resource : core->at("resources").as_array()) {
    lines += std::string(resource.at("name").as_string()) + " " + std::string(resource.at("kind").as_string()) + " " +
             text::to_json(resource.at("verbs")) + "\n";
  }
  EXPECT_EQ(lines,
            R"(namespaces Namespace ["create","delete","get","list","patch","update","watch"]
pods Pod ["create","delete","deletecollection","get","list","patch","update","watch"]
pods/binding Binding ["create"]
pods/eviction Eviction ["create"]
pods/log Pod ["get"]
pods/status Pod ["get","patch","update"]
)");
  EXPECT_EQ(text::to_json(core->at("resources").at(3)),
            R"({"name":"pods/eviction","singularName":"","namespaced":true,"group":"policy","version":"v1",)"
            R"("kind":"Eviction","verbs":["create"]})");
  EXPECT_EQ(text::to_json(core->at("resources").at(1).at("shortNames")), R"(["po"])");
  EXPECT_FALSE(resource_list(sample_table(), "apps", "v2").has_value());
}

TEST(Discovery, AggregatedFormHoldsEverything) {
  const text::Value core = aggregated(sample_table(), true);
  EXPECT_EQ(core.at("apiVersion"), "apidiscovery.k8s.io/v2");
  ASSERT_EQ(core.at("items").as_array().size(), 1U);
  EXPECT_FALSE(core.at("items").at(0).at("metadata").as_object().contains("name"));
  const text::Value& pods = core.at("items").at(0).at("versions").at(0).at("resources").at(1);
  EXPECT_EQ(pods.at("scope"), "Namespaced");
  EXPECT_EQ(text::to_json(pods.at("responseKind")), R"({"group":"","version":"v1","kind":"Pod"})");
  EXPECT_EQ(text::to_json(pods.at("subresources").at(1)),
            R"({"subresource":"eviction","responseKind":{"group":"policy","version":"v1","kind":"Eviction"},)"
            R"("verbs":["create"]})");

  const text::Value rest = aggregated(sample_table(), false);
  ASSERT_EQ(rest.at("items").as_array().size(), 2U);
  const text::Value& custom = rest.at("items").at(1);
  EXPECT_EQ(custom.at("metadata").at("name"), "aaa.example.com");
  ASSERT_EQ(custom.at("versions").as_array().size(), 2U);
  EXPECT_EQ(custom.at("versions").at(0).at("freshness"), "Current");
  EXPECT_EQ(
      text::to_json(custom.at("versions").at(0).at("resources").at(0).at("subresources").at(0).at("responseKind")),
      R"({"group":"autoscaling","version":"v1","kind":"Scale"})");
}

TEST(Discovery, PathsAreSorted) {
  const text::Array list = paths(sample_table()).at("paths").as_array();
  EXPECT_TRUE(std::is_sorted(list.begin(), list.end(),
                             [](const text::Value& a, const text::Value& b) { return a.as_string() < b.as_string(); }));
  EXPECT_NE(std::find(list.begin(), list.end(), text::Value("/apis/aaa.example.com/v1alpha1")), list.end());
}

}  // namespace
}  // namespace basalt::server
