// Whole stories of things that go: namespaces, owners and their dependents, definitions.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include "tests/upkeep/small_cluster.h"

namespace basalt {
namespace {

using testing::HasSubstr;

constexpr std::string_view kToys = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: toys.play.io}
spec:
  group: play.io
  names: {plural: toys, singular: toy, kind: Toy, listKind: ToyList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

std::string namespace_manifest(std::string_view name) {
  return fmt::format("{{apiVersion: v1, kind: Namespace, metadata: {{name: {}}}}}", name);
}

struct Owner {
  std::string api_version, kind, name, uid;
  bool blocks = true;
};

std::string owner_list(const std::vector<Owner>& owners) {
  std::string list;
  for (const Owner& owner : owners) {
    list += fmt::format("{{apiVersion: {}, kind: {}, name: {}, uid: {}, blockOwnerDeletion: {}}},", owner.api_version,
                        owner.kind, owner.name, owner.uid, owner.blocks);
  }
  return list;
}

std::string map_of(std::string_view ns, std::string_view name, const std::vector<Owner>& owners = {},
                   std::string_view finalizers = "") {
  return fmt::format(
      "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {}, namespace: {}, ownerReferences: [{}], finalizers: "
      "[{}]}}}}",
      name, ns, owner_list(owners), finalizers);
}

Owner owned_by(std::string name, std::string uid, bool blocks = true) {
  return {.api_version = "v1", .kind = "ConfigMap", .name = std::move(name), .uid = std::move(uid), .blocks = blocks};
}

TEST(Namespaces, ANewOneGetsItsServiceAccountAndKeepsIt) {
  KubeControllersFixture cluster;
  EXPECT_TRUE(cluster.exists("v1/serviceaccounts/default/default"));
  cluster.create(namespace_manifest("red"));
  EXPECT_EQ(cluster.settle(), 1U);
  EXPECT_TRUE(cluster.exists("v1/serviceaccounts/red/default"));
  cluster.remove("v1/serviceaccounts/red/default");
  cluster.settle();
  EXPECT_TRUE(cluster.exists("v1/serviceaccounts/red/default"));
  EXPECT_EQ(cluster.settle(), 0U);
}

TEST(Namespaces, IsEmptiedPodsFirstAndWaitsForFinalizers) {
  KubeControllersFixture cluster;
  cluster.create(kToys);
  cluster.create(namespace_manifest("red"));
  cluster.settle();
  cluster.create("{apiVersion: v1, kind: Node, metadata: {name: n1}}");
  cluster.create(map_of("red", "free"));
  cluster.create(map_of("red", "held", {}, "example.com/hold"));
  cluster.create("{apiVersion: play.io/v1, kind: Toy, metadata: {name: bear, namespace: red}}");
  cluster.create(
      "{apiVersion: v1, kind: Pod, metadata: {name: bound, namespace: red}, spec: {nodeName: n1, containers: [{name: "
      "c, image: i}]}}");
  cluster.remove("v1/namespaces/red");
  cluster.settle();
  EXPECT_TRUE(cluster.exists("v1/configmaps/red/free")) << "pods go first";
  EXPECT_NE(cluster.at("v1/pods/red/bound", "metadata.deletionTimestamp"), "") << "with grace, so it is still there";
  EXPECT_THAT(cluster.at("v1/namespaces/red", "status.conditions"), HasSubstr("pods. has 1 resource instances"));

  api::Call end{.verb = api::Verb::Delete,
                .resource = {.group = "", .version = "v1", .plural = "pods"},
                .namespace_name = "red",
                .name = "bound",
                .body = text::Object{{"gracePeriodSeconds", 0}}};
  ASSERT_TRUE(cluster.client().call(end).has_value());
  cluster.settle();
  EXPECT_FALSE(cluster.exists("v1/configmaps/red/free"));
  EXPECT_FALSE(cluster.exists("play.io/v1/toys/red/bear"));
  EXPECT_TRUE(cluster.exists("v1/configmaps/red/held"));
  EXPECT_THAT(cluster.at("v1/namespaces/red", "status.conditions"),
              HasSubstr("example.com/hold in 1 resource instances"));
  EXPECT_EQ(cluster.settle(), 0U) << "nothing to do while somebody holds the object";

  cluster.patch("v1/configmaps/red/held", R"({"metadata":{"finalizers":null}})");
  cluster.settle();
  EXPECT_FALSE(cluster.exists("v1/namespaces/red"));
}

TEST(Owners, BackgroundTakesDependentsOfDependents) {
  KubeControllersFixture cluster;
  const std::string a = cluster.create(map_of("default", "a"));
  const std::string b = cluster.create(map_of("default", "b", {owned_by("a", a)}));
  cluster.create(map_of("default", "c", {owned_by("b", b)}));
  const std::string other = cluster.create(map_of("default", "other"));
  cluster.create(map_of("default", "shared", {owned_by("a", a), owned_by("other", other)}));
  EXPECT_EQ(cluster.settle(), 0U);
  cluster.remove("v1/configmaps/default/a", "Background");
  cluster.settle();
  EXPECT_FALSE(cluster.exists("v1/configmaps/default/b"));
  EXPECT_FALSE(cluster.exists("v1/configmaps/default/c"));
  EXPECT_EQ(cluster.at("v1/configmaps/default/shared", "metadata.ownerReferences.0.name"), "other");
  EXPECT_EQ(cluster.at("v1/configmaps/default/shared", "metadata.ownerReferences.1.name"), "");
}

TEST(Owners, AnOwnerElsewhereOrWithAnotherUidIsAbsentAndAnUnknownKindIsLeftAlone) {
  KubeControllersFixture cluster;
  cluster.create(namespace_manifest("red"));
  const std::string a = cluster.create(map_of("default", "a"));
  cluster.create(map_of("red", "stranger", {owned_by("a", a)}));
  cluster.create(map_of("default", "stale", {owned_by("a", "00000000-0000-0000-0000-000000000001")}));
  cluster.create(map_of("default", "child", {owned_by("a", a)}));
  cluster.create(
      map_of("default", "riddle", {{.api_version = "no.such/v1", .kind = "Thing", .name = "x", .uid = "u-1"}}));
  cluster.settle();
  EXPECT_FALSE(cluster.exists("v1/configmaps/red/stranger"));
  EXPECT_FALSE(cluster.exists("v1/configmaps/default/stale"));
  EXPECT_TRUE(cluster.exists("v1/configmaps/default/child"));
  EXPECT_TRUE(cluster.exists("v1/configmaps/default/riddle"));
}

TEST(Owners, ForegroundGoesAfterThoseThatBlock) {
  KubeControllersFixture cluster;
  const std::string a = cluster.create(map_of("default", "a"));
  const std::string b = cluster.create(map_of("default", "b", {owned_by("a", a)}));
  cluster.create(map_of("default", "c", {owned_by("b", b)}, "example.com/hold"));
  cluster.create(map_of("default", "loose", {owned_by("a", a, false)}, "example.com/hold"));
  cluster.settle();
  cluster.remove("v1/configmaps/default/a", "Foreground");
  cluster.settle();
  EXPECT_TRUE(cluster.exists("v1/configmaps/default/a"));
  EXPECT_TRUE(cluster.exists("v1/configmaps/default/b")) << "its own dependent holds it";
  EXPECT_NE(cluster.at("v1/configmaps/default/c", "metadata.deletionTimestamp"), "");
  EXPECT_NE(cluster.at("v1/configmaps/default/loose", "metadata.deletionTimestamp"), "");
  cluster.patch("v1/configmaps/default/c", R"({"metadata":{"finalizers":null}})");
  cluster.settle();
  EXPECT_FALSE(cluster.exists("v1/configmaps/default/b"));
  EXPECT_FALSE(cluster.exists("v1/configmaps/default/a"));
  EXPECT_TRUE(cluster.exists("v1/configmaps/default/loose")) << "goes in its own time, and blocks nobody";
}

TEST(Owners, ACircleThatWaitsForItselfIsBroken) {
  KubeControllersFixture cluster;
  const std::string a = cluster.create(map_of("default", "a"));
  const std::string b = cluster.create(map_of("default", "b", {owned_by("a", a)}));
  cluster.patch("v1/configmaps/default/a",
                fmt::format(R"({{"metadata":{{"ownerReferences":[{{"apiVersion":"v1","kind":"ConfigMap","name":"b",)"
                            R"("uid":"{}","blockOwnerDeletion":true}}]}}}})",
                            b));
  cluster.settle();
  cluster.remove("v1/configmaps/default/a", "Foreground");
  cluster.settle();
  EXPECT_FALSE(cluster.exists("v1/configmaps/default/a"));
  EXPECT_FALSE(cluster.exists("v1/configmaps/default/b"));
}

TEST(Owners, OrphansForgetTheirOwner) {
  KubeControllersFixture cluster;
  const std::string a = cluster.create(map_of("default", "a"));
  const std::string b = cluster.create(map_of("default", "b", {owned_by("a", a)}));
  cluster.create(map_of("default", "c", {owned_by("b", b)}));
  cluster.settle();
  cluster.remove("v1/configmaps/default/a", "Orphan");
  cluster.settle();
  EXPECT_FALSE(cluster.exists("v1/configmaps/default/a"));
  EXPECT_TRUE(cluster.exists("v1/configmaps/default/b"));
  EXPECT_EQ(cluster.at("v1/configmaps/default/b", "metadata.ownerReferences"), "");
  EXPECT_EQ(cluster.at("v1/configmaps/default/c", "metadata.ownerReferences.0.name"), "b");
}

TEST(Owners, WhatHappenedWhileNobodyLookedIsMadeUpFor) {
  KubeControllersFixture cluster;
  const std::string a = cluster.create(map_of("default", "a"));
  cluster.create(map_of("default", "b", {owned_by("a", a)}));
  cluster.remove("v1/configmaps/default/a");
  cluster.restart_upkeep();
  EXPECT_FALSE(cluster.exists("v1/configmaps/default/b"));
}

TEST(Definitions, TakeTheirObjectsAlongAndTheDependentsOfThose) {
  KubeControllersFixture cluster;
  cluster.create(kToys);
  cluster.settle();
  cluster.create("{apiVersion: play.io/v1, kind: Toy, metadata: {name: bear, namespace: default}}");
  const std::string held = cluster.create(
      "{apiVersion: play.io/v1, kind: Toy, metadata: {name: held, namespace: default, finalizers: "
      "[example.com/hold]}}");
  cluster.create(map_of("default", "box", {{.api_version = "play.io/v1", .kind = "Toy", .name = "held", .uid = held}}));
  cluster.settle();
  cluster.remove("apiextensions.k8s.io/v1/customresourcedefinitions/toys.play.io");
  cluster.settle();
  EXPECT_FALSE(cluster.exists("play.io/v1/toys/default/bear"));
  EXPECT_TRUE(cluster.exists("play.io/v1/toys/default/held"));
  EXPECT_THAT(cluster.at("apiextensions.k8s.io/v1/customresourcedefinitions/toys.play.io", "status.conditions"),
              HasSubstr("InstanceDeletionInProgress"));
  cluster.patch("play.io/v1/toys/default/held", R"({"metadata":{"finalizers":null}})");
  cluster.settle();
  EXPECT_FALSE(cluster.exists("apiextensions.k8s.io/v1/customresourcedefinitions/toys.play.io"));
  EXPECT_FALSE(cluster.exists("v1/configmaps/default/box"));
}

}  // namespace
}  // namespace basalt
