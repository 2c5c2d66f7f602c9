#include <gmock/gmock.h>

#include "control/kubernetes/kubernetes_controller_fixture.h"

namespace basalt::kubernetes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Workloads, OneThatNobodyRunsGetsAnEvent) {
  KubernetesControllerFixture fixture;
  const KubernetesController controller = workload_controller();
  const std::string set =
      R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"db","namespace":"ns","uid":"u"}})";
  const std::vector<std::string> items = fixture.see(set, controller);
  ASSERT_THAT(items, ElementsAre("apps StatefulSet ns/db"));
  EXPECT_THAT(fixture.plan(controller, items[0]),
              ElementsAre("note StatefulSet NotRun: nobody runs a StatefulSet in this cluster: it is stored, and no "
                          "pods are made for it; use a Job of batch.volcano.sh/v1alpha1, or pods"));
  EXPECT_THAT(fixture.see(set, controller), IsEmpty()) << "told when it is new";
  fixture.lose("apps", "StatefulSet", "ns/db");
  EXPECT_THAT(fixture.plan(controller, items[0]), IsEmpty());
  EXPECT_THAT(fixture.see(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns"}})", controller),
              IsEmpty());
}

TEST(Workloads, APolicyThatNobodyEnforcesGetsAnEventUnlessAJobMadeIt) {
  KubernetesControllerFixture fixture;
  const KubernetesController controller = workload_controller();
  const auto policy = [](const std::string& name, const std::string& owners) {
    return R"({"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"namespace":"ns","uid":"u-)" +
           name + R"(","name":")" + name + "\"" + owners + "}}";
  };
  const std::vector<std::string> items = fixture.see(policy("closed", ""), controller);
  ASSERT_THAT(items, ElementsAre("networking.k8s.io NetworkPolicy ns/closed"));
  EXPECT_THAT(
      fixture.plan(controller, items[0]),
      ElementsAre("note NetworkPolicy NotRun: nobody acts on a NetworkPolicy in this cluster: it is stored, and "
                  "it keeps no traffic away; do not rely on it"));
  EXPECT_THAT(
      fixture.see(policy("train", R"(,"ownerReferences":[{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job",)"
                                  R"("name":"train","uid":"j","controller":true}])"),
                  controller),
      IsEmpty());
}

}  // namespace
}  // namespace basalt::kubernetes
