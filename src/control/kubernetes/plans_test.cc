// Plans as tables: what was observed, what is to be written.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "control/kubernetes/kubernetes_controller_fixture.h"

namespace basalt::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::string_view kLeaving = R"(,"deletionTimestamp":"2023-11-14T22:13:20Z")";

std::string map_json(std::string_view name, std::string_view more = "") {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{0}","namespace":"ns","uid":"u-{0}"{1}}}}})", name,
      more);
}

std::string owner(std::string_view name, bool blocks = true) {
  return fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap","name":"{0}","uid":"u-{0}","blockOwnerDeletion":{1}}})",
                     name, blocks);
}

std::string owned(const std::vector<std::string>& owners) {
  return fmt::format(R"(,"ownerReferences":[{}])", fmt::join(owners, ","));
}

std::string item_of(const KubernetesControllerFixture& fixture, std::string_view name) {
  return fmt::format("{}|ns/{}", fixture.kinds().builtin("", "ConfigMap").id.value, name);
}

TEST(OwnerPlan, AsksBeforeItDeletes) {
  KubernetesControllerFixture fixture;
  EXPECT_THAT(fixture.see(map_json("child", owned({owner("gone")})), owner_controller()),
              ElementsAre(item_of(fixture, "child")));
  EXPECT_THAT(fixture.plan(owner_controller(), item_of(fixture, "child")),
              ElementsAre("ask configmaps/ns/gone for u-gone"));
  fixture.cache().note_absent("u-gone", "ns");
  EXPECT_THAT(fixture.plan(owner_controller(), item_of(fixture, "child")),
              ElementsAre("delete configmaps/ns/child Background"));
}

TEST(OwnerPlan, ADeletionThatWasSeenNeedsNoQuestion) {
  KubernetesControllerFixture fixture;
  fixture.see(map_json("a"));
  fixture.see(map_json("b"));
  fixture.see(map_json("child", owned({owner("a")})));
  fixture.see(map_json("shared", owned({owner("a"), owner("b")})));
  EXPECT_THAT(fixture.plan(owner_controller(), item_of(fixture, "child")), IsEmpty());
  EXPECT_THAT(fixture.lose("", "ConfigMap", "ns/a", owner_controller()),
              ElementsAre(item_of(fixture, "child"), item_of(fixture, "shared")));
  EXPECT_THAT(fixture.plan(owner_controller(), item_of(fixture, "child")),
              ElementsAre("delete configmaps/ns/child Background"));
  EXPECT_THAT(
      fixture.plan(owner_controller(), item_of(fixture, "shared")),
      ElementsAre(fmt::format(R"(patch configmaps/ns/shared {{"metadata":{{"ownerReferences":[{}]}}}})", owner("b"))));
}

TEST(OwnerPlan, WaitingOwnersWaitForThoseThatBlockOnly) {
  KubernetesControllerFixture fixture;
  fixture.see(map_json("child", owned({owner("a")})));
  fixture.see(map_json("loose", owned({owner("a", false)})));
  const std::string waiting = map_json("a", fmt::format(R"({},"finalizers":["foregroundDeletion"])", kLeaving));
  EXPECT_THAT(fixture.see(waiting, owner_controller()),
              ElementsAre(item_of(fixture, "a"), item_of(fixture, "child"), item_of(fixture, "loose")));
  EXPECT_THAT(fixture.plan(owner_controller(), item_of(fixture, "a")), IsEmpty());
  EXPECT_THAT(fixture.plan(owner_controller(), item_of(fixture, "child")),
              ElementsAre("delete configmaps/ns/child Background"));
  EXPECT_THAT(fixture.lose("", "ConfigMap", "ns/child", owner_controller()), ElementsAre(item_of(fixture, "a")));
  EXPECT_THAT(fixture.plan(owner_controller(), item_of(fixture, "a")),
              ElementsAre(R"(patch configmaps/ns/a {"metadata":{"finalizers":[]}})"));
}

TEST(OwnerPlan, OrphansFirst) {
  KubernetesControllerFixture fixture;
  fixture.see(map_json("child", owned({owner("a")})));
  fixture.see(map_json("a", fmt::format(R"({},"finalizers":["orphan"])", kLeaving)));
  EXPECT_THAT(fixture.plan(owner_controller(), item_of(fixture, "a")),
              ElementsAre(R"(patch configmaps/ns/child {"metadata":{"ownerReferences":null}})"));
  fixture.see(map_json("child"));
  EXPECT_THAT(fixture.plan(owner_controller(), item_of(fixture, "a")),
              ElementsAre(R"(patch configmaps/ns/a {"metadata":{"finalizers":[]}})"));
}

TEST(NamespacePlan, PodsThenTheRestThenItself) {
  KubernetesControllerFixture fixture;
  fixture.see(fmt::format(R"({{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"ns","uid":"u"{}}},)"
                          R"("spec":{{"finalizers":["kubernetes"]}}}})",
                          kLeaving));
  EXPECT_THAT(fixture.see(map_json("a"), namespace_controller()), ElementsAre("ns"));
  fixture.see(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns","uid":"u-p"}})");
  EXPECT_THAT(fixture.plan(namespace_controller(), "ns"), ElementsAre("delete all pods/ns"));
  fixture.lose("", "Pod", "ns/p");
  EXPECT_THAT(fixture.plan(namespace_controller(), "ns"), ElementsAre("delete all configmaps/ns"));
  fixture.see(map_json("a", fmt::format(R"({},"finalizers":["x.io/y"])", kLeaving)));
  EXPECT_THAT(fixture.plan(namespace_controller(), "ns"),
              ElementsAre(HasSubstr("Some resources are remaining: configmaps. has 1 resource instances")));
  fixture.lose("", "ConfigMap", "ns/a");
  EXPECT_THAT(fixture.plan(namespace_controller(), "ns"), ElementsAre("put namespaces/ns/finalize"));
}

struct NodeCase {
  std::string_view what, conditions, taints, expected;
};

TEST(NodePlan, TaintsFollowConditions) {
  const NodeCase cases[] = {
      {"no condition: left alone", "", R"({"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"})", ""},
      {"ready: no taint", R"({"type":"Ready","status":"True"})",
       R"({"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"})", R"(patch nodes/n {"spec":{"taints":null}})"},
      {"other taints stay", R"({"type":"Ready","status":"True"})",
       R"({"key":"gpu","effect":"NoSchedule"},{"key":"node.kubernetes.io/unreachable","effect":"NoExecute"})",
       R"(patch nodes/n {"spec":{"taints":[{"key":"gpu","effect":"NoSchedule"}]}})"},
      {"not ready", R"({"type":"Ready","status":"False"})",
       R"({"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"})",
       R"(patch nodes/n {"spec":{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"},)"
       R"({"key":"node.kubernetes.io/not-ready","effect":"NoExecute","timeAdded":"2023-11-14T22:13:20Z"}]}})"},
      {"pressure", R"({"type":"Ready","status":"True"},{"type":"DiskPressure","status":"True"})", "",
       R"(patch nodes/n {"spec":{"taints":[{"key":"node.kubernetes.io/disk-pressure","effect":"NoSchedule",)"
       R"("timeAdded":"2023-11-14T22:13:20Z"}]}})"}};
  for (const NodeCase& one : cases) {
    SCOPED_TRACE(one.what);
    KubernetesControllerFixture fixture;
    fixture.see(fmt::format(R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"n","uid":"u"}},)"
                            R"("spec":{{"taints":[{}]}},"status":{{"conditions":[{}]}}}})",
                            one.taints, one.conditions));
    const auto lines = fixture.plan(node_controller(), "n");
    EXPECT_EQ(fmt::format("{}", fmt::join(lines, "\n")), one.expected);
  }
}

struct TolerationCase {
  std::string_view what, tolerations, expected;
};

TEST(EvictionPlan, TolerationsDecideWhen) {
  const TolerationCase cases[] = {
      {"none", "", "patch pods/ns/p/status"},
      {"for ever", R"({"operator":"Exists"})", ""},
      {"another effect", R"({"operator":"Exists","effect":"NoSchedule"})", "patch pods/ns/p/status"},
      {"a while", R"({"key":"gone","operator":"Exists","effect":"NoExecute","tolerationSeconds":300})",
       "again in 290 s"},
      {"the value counts", R"({"key":"gone","value":"other","effect":"NoExecute"})", "patch pods/ns/p/status"},
      {"the value is right", R"({"key":"gone","value":"v","effect":"NoExecute"})", ""},
      {"over", R"({"key":"gone","operator":"Exists","tolerationSeconds":5})", "patch pods/ns/p/status"}};
  for (const TolerationCase& one : cases) {
    SCOPED_TRACE(one.what);
    KubernetesControllerFixture fixture;
    fixture.see(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","uid":"u"},)"
                R"("spec":{"taints":[{"key":"gone","value":"v","effect":"NoExecute",)"
                R"("timeAdded":"2023-11-14T22:13:10Z"}]}})");
    fixture.see(fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p","namespace":"ns",)"
                            R"("uid":"u-p"}},"spec":{{"nodeName":"n","tolerations":[{}]}}}})",
                            one.tolerations));
    const auto lines = fixture.plan(eviction_controller(), "ns/p");
    if (one.expected.empty()) {
      EXPECT_THAT(lines, IsEmpty());
    } else {
      ASSERT_FALSE(lines.empty());
      EXPECT_THAT(lines.front(), StartsWith(std::string(one.expected)));
    }
  }
}

TEST(BudgetPlan, PodsOfAControllerWithoutScaleMayNotBeDisturbed) {
  KubernetesControllerFixture fixture;
  fixture.see(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b",)"
              R"("namespace":"ns","uid":"u"},"spec":{"maxUnavailable":1,"selector":{}}})");
  fixture.see(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns","uid":"u-p",)"
              R"("ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"u-j",)"
              R"("controller":true}]},"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  EXPECT_THAT(fixture.plan(budget_controller(), "ns/b"),
              ElementsAre(testing::AllOf(HasSubstr(R"("disruptionsAllowed":0)"), HasSubstr("SyncFailed"))));
}

}  // namespace
}  // namespace basalt::kubernetes
