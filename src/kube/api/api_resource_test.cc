#include "kube/api/api_resource.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace basalt::api {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ApiResource row(std::string group, std::string version, std::string plural, std::string kind) {
  ApiResource made;
  made.group = std::move(group);
  made.version = std::move(version);
  made.plural = std::move(plural);
  made.kind = std::move(kind);
  return made;
}

TEST(ApiResourceTable, FindsByPluralAndKind) {
  const ApiResourceTable table(builtin_resources());
  const ApiResource* pods = table.find("", "v1", "pods");
  ASSERT_NE(pods, nullptr);
  EXPECT_EQ(pods, table.find_kind("", "v1", "Pod"));
  EXPECT_EQ(pods->api_version(), "v1");
  EXPECT_EQ(pods->storage_name(), "pods");
  EXPECT_TRUE(pods->namespaced && pods->has_status);
  EXPECT_THAT(pods->short_names, ElementsAre("po"));
  EXPECT_THAT(pods->extra_subresources, ElementsAre("binding", "eviction", "exec", "log"));
  EXPECT_THAT(pods->selectable_fields, Contains("spec.nodeName"));
  EXPECT_EQ(table.find("", "v1", "pod"), nullptr);
  EXPECT_EQ(table.find("apps", "v1", "pods"), nullptr);
  EXPECT_EQ(table.find("", "v2", "pods"), nullptr);
  EXPECT_TRUE(table.has_group_version("apps", "v1"));
  EXPECT_FALSE(table.has_group_version("apps", "v1beta1"));
  EXPECT_FALSE(table.has_group_version("app", "v1"));
  EXPECT_FALSE(table.has_group_version("zzz", "v1"));
}

TEST(ApiResourceTable, OrderOfDiscovery) {
  const ApiResourceTable table({row("b.sh", "v1alpha1", "things", "Thing"), row("b.sh", "v1", "things", "Thing"),
                                row("b.sh", "v1beta1", "things", "Thing"), row("b.sh", "v2", "things", "Thing"),
                                row("a.sh", "v1", "others", "Other"), row("", "v1", "pods", "Pod"),
                                row("b.sh", "v1", "apples", "Apple"), row("b.sh", "odd", "things", "Thing")});
  std::vector<std::string> order;
  for (const ApiResource& one : table.rows()) order.push_back(one.api_version() + "/" + one.plural);
  EXPECT_THAT(order, ElementsAre("v1/pods", "a.sh/v1/others", "b.sh/v2/things", "b.sh/v1/apples", "b.sh/v1/things",
                                 "b.sh/v1beta1/things", "b.sh/v1alpha1/things", "b.sh/odd/things"));
}

TEST(ApiResourceTable, TheFirstOfTwoIsFound) {
  ApiResource first = row("g", "v1", "things", "Thing");
  first.singular = "first";
  const ApiResourceTable table({first, row("g", "v1", "things", "Thing")});
  EXPECT_EQ(table.find("g", "v1", "things")->singular, "first");
  EXPECT_EQ(table.find_kind("g", "v1", "Thing")->singular, "first");
}

TEST(ApiResourceTable, VersionsByPreference) {
  EXPECT_TRUE(prefers_version("v2", "v1"));
  EXPECT_TRUE(prefers_version("v10", "v2"));
  EXPECT_TRUE(prefers_version("v1", "v2beta1"));
  EXPECT_TRUE(prefers_version("v1beta2", "v1beta1"));
  EXPECT_TRUE(prefers_version("v1beta1", "v2alpha1"));
  EXPECT_TRUE(prefers_version("v1alpha1", "v1gamma1"));
  EXPECT_TRUE(prefers_version("a", "b"));
  EXPECT_FALSE(prefers_version("v1", "v1"));
}

TEST(BuiltinResources, EveryRowIsComplete) {
  std::set<std::string> seen;
  for (const ApiResource& one : builtin_resources()) {
    const std::string name = one.api_version() + "/" + one.plural;
    EXPECT_TRUE(seen.insert(name).second) << name << " twice";
    ASSERT_NE(one.schema, nullptr) << name;
    EXPECT_NE(one.rules, nullptr) << name;
    EXPECT_EQ(one.schema->shape, Shape::Object) << name;
    EXPECT_NE(one.schema->find("metadata"), nullptr) << name;
    EXPECT_NE(one.schema->find("kind"), nullptr) << name;
    EXPECT_TRUE(!one.has_status || one.schema->find("status") != nullptr) << name;
    EXPECT_FALSE(one.custom);
  }
  EXPECT_GE(seen.size(), 45U);
}

TEST(BuiltinResources, SpecialRows) {
  const ApiResourceTable table(builtin_resources());
  EXPECT_EQ(table.find("events.k8s.io", "v1", "events")->storage_name(),
            table.find("", "v1", "events")->storage_name());
  EXPECT_EQ(table.find("batch", "v1", "jobs")->storage_name(), "jobs.batch");
  EXPECT_THAT(table.find("", "v1", "bindings")->verbs, ElementsAre("create"));
  EXPECT_THAT(table.find("", "v1", "namespaces")->verbs, ::testing::Not(Contains("deletecollection")));
  EXPECT_THAT(table.find("", "v1", "pods")->verbs, IsEmpty());
  EXPECT_EQ(table.find("", "v1", "endpoints")->singular, "endpoints");
  EXPECT_EQ(table.find("apps", "v1", "deployments")->scale->spec_replicas, ".spec.replicas");
  EXPECT_FALSE(table.find("apps", "v1", "daemonsets")->scale.has_value());
  EXPECT_THAT(table.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")->short_names,
              ElementsAre("crd", "crds"));
}

}  // namespace
}  // namespace basalt::api
