#include "control/volcano/pod_group/pod_group_controller.h"

#include <gmock/gmock.h>

#include "control/volcano/controllers_fixture.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct PodText {
  std::string name = "p";
  std::string owner;  // "apps/v1 ReplicaSet rs"; its uid is "u-rs"
  std::string annotations, labels;
  std::string scheduler = "volcano";
  std::string created = "2023-11-14T22:13:10Z";
  std::string cpu = "2";
  std::string more_spec, phase = "Pending", more_metadata;
};

std::string owner_text(const std::string& owner) {
  const size_t first = owner.find(' ');
  const size_t second = owner.rfind(' ');
  const std::string name = owner.substr(second + 1);
  return fmt::format(R"([{{"apiVersion":"{}","kind":"{}","name":"{}","uid":"u-{}","controller":true}}])",
                     owner.substr(0, first), owner.substr(first + 1, second - first - 1), name, name);
}
std::string pod(const PodText& pod) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"namespace":"n","name":"{}","uid":"u-{}",
          "creationTimestamp":"{}","annotations":{{{}}},"labels":{{{}}},"ownerReferences":{}{}}},
          "spec":{{"schedulerName":"{}","containers":[{{"name":"c","resources":{{"requests":{{"cpu":"{}",
          "nvidia.com/gpu":"1"}}}}}}]{}}},"status":{{"phase":"{}"}}}})",
      pod.name, pod.name, pod.created, pod.annotations, pod.labels, pod.owner.empty() ? "[]" : owner_text(pod.owner),
      pod.more_metadata, pod.scheduler, pod.cpu, pod.more_spec, pod.phase);
}
std::string workload(const std::string& api_version, const std::string& kind, const std::string& name, int replicas,
                     const std::string& annotations = "") {
  return fmt::format(
      R"({{"apiVersion":"{}","kind":"{}","metadata":{{"namespace":"n","name":"{}","uid":"u-{}",
          "annotations":{{{}}}}},"spec":{{"replicas":{}}}}})",
      api_version, kind, name, name, annotations, replicas);
}
std::string replica_set(int replicas, const std::string& annotations = "") {
  return workload("apps/v1", "ReplicaSet", "rs", replicas, annotations);
}
constexpr std::string_view kRs = "apps/v1 ReplicaSet rs";
constexpr std::string_view kMin3 = R"("scheduling.volcano.sh/group-min-member":"3")";
constexpr std::string_view kItem = "n/podgroup-u-rs";

class PodGroupController : public ::testing::Test {
 protected:
  Lines run(std::string_view item) { return fixture.run(controller, std::string(item)); }
  std::string group(std::string_view key, std::initializer_list<std::string_view> path) {
    return fixture.json(VolcanoKind::PodGroup, key, path);
  }

  ControllersFixture fixture;
  const VolcanoController controller = pod_group_controller();
};

TEST_F(PodGroupController, BarePodGetsItsOwnGroupThenItsAnnotation) {
  EXPECT_THAT(fixture.see(pod({}), controller), ElementsAre("n/podgroup-u-p"));
  EXPECT_THAT(run("n/podgroup-u-p"), ElementsAre("create podgroups/n/podgroup-u-p", "then",
                                                 R"(patch pods/n/p {"metadata":{"annotations":)"
                                                 R"({"scheduling.k8s.io/group-name":"podgroup-u-p"}}})"));
  EXPECT_EQ(group("n/podgroup-u-p", {"spec"}),
            R"({"minMember":1,"minResources":{"count/pods":"1","cpu":"2","nvidia.com/gpu":"1","pods":"1",)"
            R"("requests.cpu":"2","requests.nvidia.com/gpu":"1"}})");
  EXPECT_EQ(group("n/podgroup-u-p", {"metadata", "ownerReferences"}),
            R"([{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u-p","controller":true,"blockOwnerDeletion":true}])");
  EXPECT_THAT(fixture.seen().ungrouped(), IsEmpty());
  EXPECT_THAT(run("n/podgroup-u-p"), IsEmpty());
}

TEST_F(PodGroupController, OthersAreNotOurs) {
  EXPECT_THAT(fixture.see(pod({.scheduler = "default-scheduler"}), controller), IsEmpty());
  EXPECT_THAT(fixture.see(pod({.name = "q", .annotations = R"("scheduling.k8s.io/group-name":"g")"}), controller),
              IsEmpty());
  EXPECT_THAT(run("n/podgroup-u-p"), IsEmpty());
  for (const std::string item : {"", "/", "n", "n/other", "podgroup-u-p"}) EXPECT_THAT(run(item), IsEmpty()) << item;
}

TEST_F(PodGroupController, PodsThatAreOverNeedNone) {
  for (const std::string phase : {"Succeeded", "Failed"}) {
    fixture.see(pod({.phase = phase}));
    EXPECT_THAT(run("n/podgroup-u-p"), IsEmpty());
  }
  fixture.see(pod({.more_metadata = R"(,"deletionTimestamp":"2023-11-14T22:13:20Z")"}));
  EXPECT_THAT(run("n/podgroup-u-p"), IsEmpty());
}

TEST_F(PodGroupController, PodsOfOneOwnerShareAGroup) {
  fixture.see(replica_set(2, std::string(kMin3)));
  fixture.see(pod({.name = "b", .owner = std::string(kRs)}));
  EXPECT_THAT(fixture.see(pod({.name = "a", .owner = std::string(kRs)}), controller), ElementsAre(kItem));
  const Lines lines = run(kItem);
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[0], "create podgroups/n/podgroup-u-rs");
  EXPECT_THAT(lines[2], HasSubstr("patch pods/n/a "));
  EXPECT_THAT(lines[3], HasSubstr("patch pods/n/b "));
  EXPECT_EQ(group(kItem, {"spec", "minMember"}), "3");
  EXPECT_EQ(group(kItem, {"spec", "minResources", "cpu"}), R"("6")");
  EXPECT_EQ(group(kItem, {"metadata", "ownerReferences"}),
            R"([{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","uid":"u-rs","controller":true}])");
  EXPECT_THAT(run(kItem), IsEmpty());
}

TEST_F(PodGroupController, EveryKindOfOwnerIsAsked) {
  const std::string text = std::string(kMin3) + R"(,"volcano.sh/sla-waiting-time":"1h","other/key":"x")";
  for (const auto& [api_version, kind] : std::vector<std::pair<std::string, std::string>>{
           {"apps/v1", "ReplicaSet"}, {"apps/v1", "StatefulSet"}, {"apps/v1", "DaemonSet"}, {"batch/v1", "Job"}}) {
    std::string name = kind;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    fixture.see(workload(api_version, kind, name, 1, text));
    fixture.see(pod({.name = "p-" + name, .owner = api_version + " " + kind + " " + name}));
    run("n/podgroup-u-" + name);
    EXPECT_EQ(group("n/podgroup-u-" + name, {"spec", "minMember"}), "3") << kind;
    EXPECT_EQ(group("n/podgroup-u-" + name, {"metadata", "annotations"}), R"({"volcano.sh/sla-waiting-time":"1h"})");
  }
}

TEST_F(PodGroupController, AJobOfVolcanoIsNotAJobOfKubernetes) {
  fixture.see(workload("batch/v1", "Job", "j", 1, std::string(kMin3)));
  fixture.see(pod({.owner = "batch.volcano.sh/v1alpha1 Job j"}));
  run("n/podgroup-u-j");
  EXPECT_EQ(group("n/podgroup-u-j", {"spec", "minMember"}), "1");
}

TEST_F(PodGroupController, MalformedMinimaAreOne) {
  int number = 0;
  for (const std::string value : {"x", "", "-1", "1.5", "99999999999", " 2"}) {
    const std::string name = fmt::format("w{}", number++);
    fixture.see(workload("apps/v1", "ReplicaSet", name, 1,
                         fmt::format(R"("scheduling.volcano.sh/group-min-member":"{}")", value)));
    fixture.see(pod({.name = "p-" + name, .owner = "apps/v1 ReplicaSet " + name}));
    run("n/podgroup-u-" + name);
    EXPECT_EQ(group("n/podgroup-u-" + name, {"spec", "minMember"}), "1") << value;
  }
  fixture.see(workload("apps/v1", "ReplicaSet", "zero", 1, R"("scheduling.volcano.sh/group-min-member":"0")"));
  fixture.see(pod({.name = "z", .owner = "apps/v1 ReplicaSet zero"}));
  run("n/podgroup-u-zero");
  EXPECT_EQ(group("n/podgroup-u-zero", {"spec"}), R"({"minMember":0,"minResources":{}})");
}

TEST_F(PodGroupController, WhatThePodSays) {
  fixture.see(replica_set(1, R"("volcano.sh/preemptable":"false","volcano.sh/revocable-zone":"*")"));
  fixture.see(pod({.owner = std::string(kRs),
                   .annotations = R"("scheduling.volcano.sh/queue-name":"q","volcano.sh/preemptable":"true",
                                   "volcano.sh/cooldown-time":"5m","volcano.sh/jdb-min-available":"1",
                                   "volcano.sh/jdb-max-unavailable":"50%","volcano.sh/network-topology-mode":"SOFT",
                                   "volcano.sh/network-topology-highest-tier":"2")",
                   .labels = R"("volcano.sh/preemptable":"true","app":"x")",
                   .more_spec = R"(,"priorityClassName":"high")"}));
  run(kItem);
  EXPECT_EQ(group(kItem, {"spec", "queue"}), R"("q")");
  EXPECT_EQ(group(kItem, {"spec", "priorityClassName"}), R"("high")");
  EXPECT_EQ(group(kItem, {"spec", "networkTopology"}), R"({"mode":"soft","highestTierAllowed":2})");
  EXPECT_EQ(group(kItem, {"metadata", "labels"}), R"({"volcano.sh/preemptable":"true"})");
  EXPECT_EQ(group(kItem, {"metadata", "annotations"}),
            R"({"volcano.sh/preemptable":"true","volcano.sh/revocable-zone":"*","volcano.sh/cooldown-time":"5m",)"
            R"("volcano.sh/jdb-min-available":"1"})");
}

TEST_F(PodGroupController, MalformedTopologies) {
  const auto topology = [&](const std::string& annotations) {
    static int number = 0;
    const std::string name = fmt::format("t{}", number++);
    fixture.see(pod({.name = name, .annotations = annotations}));
    run("n/podgroup-u-" + name);
    return group("n/podgroup-u-" + name, {"spec", "networkTopology"});
  };
  EXPECT_EQ(topology(""), "");
  EXPECT_EQ(topology(R"("volcano.sh/network-topology-mode":"wild")"), R"({"mode":"hard"})");
  EXPECT_EQ(topology(R"("volcano.sh/network-topology-highest-tier":"two")"), R"({"mode":"hard"})");
  EXPECT_EQ(topology(R"("volcano.sh/network-topology-highest-tier":"-2")"), R"({"mode":"hard"})");
}

TEST_F(PodGroupController, WithoutInheritance) {
  fixture.options.inherit_owner_annotations = false;
  fixture.see(replica_set(1, std::string(kMin3) + R"(,"volcano.sh/preemptable":"true")"));
  fixture.see(pod({.owner = std::string(kRs)}));
  run(kItem);
  EXPECT_EQ(group(kItem, {"spec", "minMember"}), "1");
  EXPECT_EQ(group(kItem, {"metadata", "annotations"}), "");
  EXPECT_THAT(run(kItem), IsEmpty());
}

TEST_F(PodGroupController, AnOwnerNotSeenYetIsWaitedFor) {
  fixture.now = Instant::from_unix_seconds(1'699'999'991);  // a second after the pod's creation
  fixture.see(pod({.owner = std::string(kRs)}));
  EXPECT_THAT(run(kItem), ElementsAre("again in 4 s"));
  EXPECT_THAT(fixture.see(replica_set(1, std::string(kMin3)), controller), ElementsAre(kItem));
  run(kItem);
  EXPECT_EQ(group(kItem, {"spec", "minMember"}), "3");
}

TEST_F(PodGroupController, AnOwnerThatNeverComesDoesNotHoldUp) {
  fixture.see(pod({.owner = std::string(kRs)}));
  run(kItem);
  EXPECT_EQ(group(kItem, {"spec", "minMember"}), "1");
  // One of a kind that is not asked for is not waited for.
  fixture.now = Instant::from_unix_seconds(1'699'999'991);
  fixture.see(pod({.name = "m", .owner = "kubeflow.org/v1 MPIJob m"}));
  EXPECT_THAT(run("n/podgroup-u-m"), SizeIs(3));
}

TEST_F(PodGroupController, AnnotationsOfTheOwnerChangeTheGroup) {
  fixture.see(replica_set(1, std::string(kMin3)));
  fixture.see(pod({.owner = std::string(kRs), .annotations = R"("volcano.sh/preemptable":"true")"}));
  run(kItem);
  EXPECT_THAT(fixture.see(replica_set(1, R"("scheduling.volcano.sh/group-min-member":"5","volcano.sh/preemptable":"no",
                                          "volcano.sh/sla-waiting-time":"1h")"),
                          controller),
              ElementsAre(kItem));
  EXPECT_THAT(run(kItem), SizeIs(1));
  EXPECT_EQ(group(kItem, {"spec", "minMember"}), "5");
  EXPECT_EQ(group(kItem, {"spec", "minResources"}),
            R"({"count/pods":"5","cpu":"10","nvidia.com/gpu":"5","pods":"5","requests.cpu":"10",)"
            R"("requests.nvidia.com/gpu":"5"})");
  EXPECT_EQ(group(kItem, {"metadata", "annotations"}),
            R"({"volcano.sh/preemptable":"true","volcano.sh/sla-waiting-time":"1h"})");
  EXPECT_THAT(run(kItem), IsEmpty());
  EXPECT_THAT(fixture.see(replica_set(1, "\"scheduling.volcano.sh/group-min-member\":\"oops\""), controller),
              SizeIs(1));
  EXPECT_THAT(run(kItem), IsEmpty());
}

TEST_F(PodGroupController, ANewPodOfAReplicaSetBringsTheGroupInStep) {
  fixture.see(replica_set(2));
  fixture.see(pod({.name = "a", .owner = std::string(kRs), .annotations = R"("scheduling.volcano.sh/queue-name":"q",
                 "volcano.sh/network-topology-highest-tier":"2")"}));
  run(kItem);
  fixture.see(pod({.name = "b", .owner = std::string(kRs), .created = "2023-11-14T22:13:12Z", .cpu = "4"}));
  const Lines lines = run(kItem);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0], R"(patch podgroups/n/podgroup-u-rs )"
                      R"({"spec":{"minResources":{"cpu":"4","requests.cpu":"4"},"networkTopology":null}})");
  EXPECT_EQ(group(kItem, {"spec", "queue"}), R"("q")");
  EXPECT_THAT(run(kItem), IsEmpty());
}

TEST_F(PodGroupController, PodsOfOtherControllersMayDiffer) {
  fixture.see(pod({.name = "launcher", .owner = "kubeflow.org/v1 MPIJob m", .cpu = "1"}));
  run("n/podgroup-u-m");
  fixture.see(pod({.name = "worker", .owner = "kubeflow.org/v1 MPIJob m", .created = "2023-11-14T22:13:12Z"}));
  EXPECT_THAT(run("n/podgroup-u-m"), SizeIs(1));  // the pod is told, the group stays
  EXPECT_EQ(group("n/podgroup-u-m", {"spec", "minResources", "cpu"}), R"("1")");
}

TEST_F(PodGroupController, ScaledToNoneTheGroupGoes) {
  fixture.see(replica_set(1));
  fixture.see(pod({.owner = std::string(kRs)}));
  run(kItem);
  EXPECT_THAT(fixture.see(replica_set(0), controller), ElementsAre(kItem));
  EXPECT_THAT(run(kItem), ElementsAre("delete podgroups/n/podgroup-u-rs Background"));
  EXPECT_THAT(run(kItem), IsEmpty());
  // The next pod comes before the news about its owner: only afterwards there is a group again.
  fixture.see(pod({.name = "q", .owner = std::string(kRs)}));
  EXPECT_THAT(run(kItem), IsEmpty());
  EXPECT_THAT(fixture.see(replica_set(1), controller), ElementsAre(kItem));
  EXPECT_THAT(run(kItem), SizeIs(3));
}

TEST_F(PodGroupController, OwnersWithoutGroupOrPodsAreNoWork) {
  EXPECT_THAT(fixture.see(replica_set(1), controller), IsEmpty());
  fixture.see(pod({.owner = std::string(kRs)}));
  run(kItem);
  EXPECT_THAT(fixture.see(replica_set(1), controller), IsEmpty());  // nothing of interest changed
  EXPECT_THAT(fixture.lose(VolcanoKind::ReplicaSet, "n/rs", controller), IsEmpty());
}

TEST_F(PodGroupController, AGroupThatIsLeavingIsWaitedFor) {
  fixture.see(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"namespace":"n",
               "name":"podgroup-u-p","deletionTimestamp":"2023-11-14T22:13:20Z"}})");
  fixture.see(pod({}));
  EXPECT_THAT(run("n/podgroup-u-p"), IsEmpty());
  EXPECT_THAT(fixture.lose(VolcanoKind::PodGroup, "n/podgroup-u-p", controller), ElementsAre("n/podgroup-u-p"));
  EXPECT_THAT(run("n/podgroup-u-p"), SizeIs(3));
}

TEST_F(PodGroupController, ACrashBeforeThePodsAreToldIsMadeGood) {
  fixture.see(pod({}));
  fixture.run(controller, "n/podgroup-u-p", 1);
  EXPECT_THAT(run("n/podgroup-u-p"), SizeIs(1));
  EXPECT_THAT(run("n/podgroup-u-p"), IsEmpty());
}

TEST_F(PodGroupController, ARefusedGroupIsExplained) {
  fixture.see(pod({}));
  std::vector<EventNote> notes;
  controller.refused(fixture.context(), "n/podgroup-u-p", {.verb = api::Verb::Create},
                     {.code = 403, .reason = "Forbidden", .message = "queue is closed"}, notes);
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_EQ(notes[0].message, "Failed to create PodGroup: queue is closed");
}

}  // namespace
}  // namespace basalt::volcano
