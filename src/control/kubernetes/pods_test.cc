// Which finished pods may be collected, and which are still counted by somebody.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "control/kubernetes/kubernetes_controller_fixture.h"

namespace basalt::kubernetes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::string_view kAll = "/";  // the item of all finished pods

struct PodText {
  std::string name = "p", phase = "Succeeded", owner = "", node = "", group = "", more = "";

  [[nodiscard]] std::string json() const {
    return fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{0}","namespace":"ns","uid":"u-{0}",)"
                       R"("annotations":{{"scheduling.k8s.io/group-name":"{4}"}}{5}{2}}},"spec":{{"nodeName":"{3}"}},)"
                       R"("status":{{"phase":"{1}"}}}})",
                       name, phase, owner.empty() ? "" : fmt::format(R"(,"ownerReferences":[{}])", owner), node, group,
                       more);
  }
};

std::string owned_by(std::string_view version, std::string_view kind) {
  return fmt::format(R"({{"apiVersion":"{}","kind":"{}","name":"o","uid":"u-o","controller":true}})", version, kind);
}

std::string owner_text(std::string_view version, std::string_view kind, std::string_view status) {
  return fmt::format(
      R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"o","namespace":"ns","uid":"u-o"}},"status":{}}})",
      version, kind, status);
}

struct OwnerCase {
  std::string_view version, kind, status;
  bool counts;
};

TEST(FinishedPods, AreCountedUntilTheirOwnerIsOver) {
  constexpr std::string_view kVolcano = "batch.volcano.sh/v1alpha1";
  const OwnerCase cases[] = {
      {kVolcano, "Job", "{}", true},
      {kVolcano, "Job", R"({"state":{"phase":"Running"}})", true},
      {kVolcano, "Job", R"({"state":{"phase":"Restarting"}})", true},
      {kVolcano, "Job", R"({"state":{"phase":"Completing"}})", true},
      {kVolcano, "Job", R"({"state":{"phase":"Aborted"}})", true},  // a resumed job goes on with what had finished
      {kVolcano, "Job", R"({"state":{"phase":"Completed"}})", false},
      {kVolcano, "Job", R"({"state":{"phase":"Failed"}})", false},
      {kVolcano, "Job", R"({"state":{"phase":"Terminated"}})", false},
      {"batch/v1", "Job", R"({"succeeded":1})", true},
      {"batch/v1", "Job", R"({"conditions":[{"type":"SuccessCriteriaMet","status":"True"}]})", true},
      {"batch/v1", "Job", R"({"conditions":[{"type":"Complete","status":"False"}]})", true},
      {"batch/v1", "Job", R"({"conditions":[{"type":"Complete","status":"True"}]})", false},
      {"batch/v1", "Job", R"({"conditions":[{"type":"Failed","status":"True"}]})", false},
      {"apps/v1", "ReplicaSet", "{}", false},
      {"apps/v1", "StatefulSet", "{}", false},
      {"apps/v1", "DaemonSet", "{}", false},
      {"v1", "ReplicationController", "{}", false},
      {"v1", "Pod", R"({"phase":"Running"})", true},  // a Spark driver owns its executors
      {"v1", "Pod", R"({"phase":"Failed"})", false},
      {"v1", "ConfigMap", "{}", true},  // says nothing of an end
      {"example.com/v1", "TrainJob", R"({"conditions":[{"type":"Created","status":"True"}]})", true},
      {"example.com/v1", "TrainJob", R"({"conditions":[{"type":"Succeeded","status":"True"}]})", false},
      {"example.com/v1", "TrainJob", R"({"completionTime":"2023-11-14T22:13:20Z"})", false},
  };
  for (const OwnerCase& one : cases) {
    SCOPED_TRACE(fmt::format("{} {} {}", one.version, one.kind, one.status));
    KubernetesControllerFixture fixture;
    fixture.define("batch.volcano.sh", "v1alpha1", "Job", "jobs");
    fixture.define("example.com", "v1", "TrainJob", "trainjobs");
    fixture.periods.terminated_pods = 1;
    fixture.see(owner_text(one.version, one.kind, one.status));
    fixture.see(PodText{.name = "a", .owner = owned_by(one.version, one.kind)}.json());
    fixture.see(PodText{.name = "b", .owner = owned_by(one.version, one.kind)}.json());
    const auto lines = fixture.plan(pod_controller(), std::string(kAll));
    if (one.counts) {
      EXPECT_THAT(lines, IsEmpty());
    } else {
      EXPECT_THAT(lines, testing::Contains(StartsWith("delete pods/ns/")));
    }
  }
}

TEST(FinishedPods, OfAnOwnerThatIsNotThereAreTheGarbageCollectors) {
  KubernetesControllerFixture fixture;
  fixture.periods.terminated_pods = 1;
  for (const char* name : {"a", "b"}) {
    fixture.see(PodText{.name = name, .owner = owned_by("example.com/v1", "TrainJob")}.json());
    fixture.see(PodText{.name = std::string(name) + "2", .owner = owned_by("batch/v1", "Job")}.json());
  }
  EXPECT_THAT(fixture.plan(pod_controller(), std::string(kAll)), IsEmpty());
}

TEST(FinishedPods, WithFinalizersWaitForWhoeverSetThem) {
  KubernetesControllerFixture fixture;
  fixture.periods.terminated_pods = 1;
  fixture.see(PodText{.name = "a", .more = R"(,"finalizers":["batch.kubernetes.io/job-tracking"])"}.json());
  fixture.see(PodText{.name = "b", .more = R"(,"finalizers":["batch.kubernetes.io/job-tracking"])"}.json());
  EXPECT_THAT(fixture.plan(pod_controller(), std::string(kAll)), IsEmpty());
  fixture.see(PodText{.name = "a"}.json());
  EXPECT_THAT(fixture.see(PodText{.name = "b"}.json(), pod_controller()), ElementsAre(std::string(kAll)));
  EXPECT_THAT(fixture.plan(pod_controller(), std::string(kAll)), ElementsAre("delete pods/ns/a Background"));
}

TEST(FinishedPods, AreCountedByThePodGroupOfPodsWithoutAnOwner) {
  KubernetesControllerFixture fixture;
  fixture.define("scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups");
  fixture.periods.terminated_pods = 1;
  const auto group = [](std::string_view phase, std::string_view more = "") {
    return fmt::format(R"({{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)"
                       R"("metadata":{{"name":"g","namespace":"ns","uid":"u-g"{}}},"status":{{"phase":"{}"}}}})",
                       more, phase);
  };
  fixture.see(group("Running"));
  for (const char* name : {"a", "b"}) fixture.see(PodText{.name = name, .group = "g"}.json());
  EXPECT_THAT(fixture.plan(pod_controller(), std::string(kAll)), IsEmpty());
  EXPECT_THAT(fixture.see(group("Completed"), pod_controller()), ElementsAre(std::string(kAll)));
  EXPECT_THAT(fixture.plan(pod_controller(), std::string(kAll)), ElementsAre("delete pods/ns/a Background"));
  fixture.see(group("Running"));
  EXPECT_THAT(fixture.plan(pod_controller(), std::string(kAll)), IsEmpty());
  fixture.lose("scheduling.volcano.sh", "PodGroup", "ns/g");
  EXPECT_THAT(fixture.plan(pod_controller(), std::string(kAll)), ElementsAre("delete pods/ns/a Background"));
  fixture.see(group("Running", R"(,"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u-a"}])"));
  fixture.see(PodText{.name = "c"}.json());
  EXPECT_THAT(fixture.plan(pod_controller(), std::string(kAll)), ElementsAre("delete pods/ns/a Background"))
      << "made for that pod alone; b is still counted";
  fixture.see(PodText{.name = "d"}.json());
  EXPECT_THAT(fixture.plan(pod_controller(), std::string(kAll)),
              ElementsAre("delete pods/ns/a Background", "delete pods/ns/c Background"));
}

TEST(FinishedPods, ThatAreCountedDoNotPressOthersOut) {
  KubernetesControllerFixture fixture;
  fixture.periods.terminated_pods = 2;
  fixture.see(owner_text("batch/v1", "Job", "{}"));
  for (int i = 0; i < 10; ++i) {
    fixture.see(PodText{.name = fmt::format("j{}", i), .owner = owned_by("batch/v1", "Job")}.json());
  }
  for (const char* name : {"x", "y"})
    EXPECT_THAT(fixture.see(PodText{.name = name}.json(), pod_controller()), IsEmpty());
  EXPECT_THAT(fixture.see(owner_text("batch/v1", "Job", R"({"conditions":[{"type":"Complete","status":"True"}]})"),
                          pod_controller()),
              ElementsAre(std::string(kAll)));
  EXPECT_EQ(fixture.plan(pod_controller(), std::string(kAll)).size(), 10U);
}

TEST(FinishedPods, AreAllKeptWithALimitOfZero) {
  KubernetesControllerFixture fixture;
  fixture.periods.terminated_pods = 0;
  EXPECT_THAT(fixture.see(PodText{}.json(), pod_controller()), IsEmpty());
  EXPECT_THAT(fixture.plan(pod_controller(), std::string(kAll)), IsEmpty());
}

TEST(FinishedPods, OfALostNodeStayWhileTheyAreCounted) {
  KubernetesControllerFixture fixture;
  fixture.see(owner_text("batch/v1", "Job", "{}"));
  fixture.see(PodText{.owner = owned_by("batch/v1", "Job"), .node = "gone"}.json());
  fixture.see(PodText{.name = "q", .phase = "Running", .owner = owned_by("batch/v1", "Job"), .node = "gone"}.json());
  fixture.now = fixture.now + fixture.periods.missing_node;
  EXPECT_THAT(fixture.plan(pod_controller(), "ns/p"), ElementsAre("again in 300 s"));
  EXPECT_THAT(fixture.plan(pod_controller(), "ns/q"),
              ElementsAre(StartsWith("patch pods/ns/q/status"), "delete pods/ns/q Background"));
  // A process that died between those two writes: the pod is deleted all the same, it did not finish by itself.
  std::string marked =
      PodText{.name = "q", .phase = "Failed", .owner = owned_by("batch/v1", "Job"), .node = "gone"}.json();
  marked.insert(marked.size() - 2,
                R"(,"conditions":[{"type":"DisruptionTarget","status":"True","reason":"DeletionByPodGC"}])");
  fixture.see(marked);
  EXPECT_THAT(fixture.plan(pod_controller(), "ns/q"), ElementsAre("delete pods/ns/q Background"));
  fixture.see(owner_text("batch/v1", "Job", R"({"completionTime":"2023-11-14T22:13:20Z"})"));
  EXPECT_THAT(fixture.plan(pod_controller(), "ns/p"), ElementsAre("delete pods/ns/p Background"));
}

TEST(FinishedPods, AreNotEvictedByTaints) {
  KubernetesControllerFixture fixture;
  fixture.see(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","uid":"u-n"},)"
              R"("spec":{"taints":[{"key":"gone","effect":"NoExecute","timeAdded":"2023-11-14T22:13:10Z"}]}})");
  fixture.see(PodText{.node = "n"}.json());
  EXPECT_THAT(fixture.plan(eviction_controller(), "ns/p"), IsEmpty());
}

}  // namespace
}  // namespace basalt::kubernetes
