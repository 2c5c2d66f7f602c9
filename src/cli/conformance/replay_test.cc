#include "cli/conformance/replay.h"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/conformance/facts.h"
#include "policy/build_policy.h"

namespace basalt::cli {
namespace {

// One node with room for two; a gang of two that fits and a gang of three that does not.
constexpr std::string_view kCase = R"({
  "name": "small", "custom": false, "cycles": 2,
  "conf": {"nilFlags": "default", "actions": ["enqueue", "allocate"],
           "tiers": [{"plugins": [{"name": "gang"}]}, {"plugins": [{"name": "predicates"}, {"name": "nodeorder"}]}]},
  "objects": {
    "nodes": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
               "status": {"allocatable": {"cpu": "2", "memory": "4Gi", "pods": "10"}}}],
    "pods": [PODS],
    "podGroups": [
      {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "a", "namespace": "ns"},
       "spec": {"minMember": 2, "queue": "q"}, "status": {"phase": "Pending"}},
      {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "b", "namespace": "ns"},
       "spec": {"minMember": 3, "queue": "q"}, "status": {"phase": "Pending"}}],
    "queues": [{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "q"},
                "spec": {"weight": 1}, "status": {"state": "Open"}}]},
  "expectTiebreakName": {"cycles": [
    {"bindCount": 2, "queueBoundCounts": {"q": 2}, "jobBoundCounts": {"ns/a": 2}, "boundPods": ["ns/a-0", "ns/a-1"],
     "nodes": {"ns/a-0": "n1", "ns/a-1": "n1"}, "evictCount": 0, "evictedPods": [], "pipelinedPods": [],
     "podGroupPhases": {"ns/a": "Inqueue", "ns/b": "Inqueue"}, "unstable": []},
    {"bindCount": 0, "nodes": {}, "podGroupPhases": {"ns/a": "Running", "ns/b": "Inqueue"}, "unstable": []}]}
})";

std::string pod(const std::string& job, int index) {
  const std::string name = job + "-" + std::to_string(index);
  return R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "ns", "name": ")" + name + R"(", "uid": ")" +
         name + R"(", "annotations": {"scheduling.k8s.io/group-name": ")" + job +
         R"("}}, "spec": {"schedulerName": "volcano", "containers": [{"name": "c", "image": "i", "resources": )" +
         R"({"requests": {"cpu": "1", "memory": "1Gi"}}}]}, "status": {"phase": "Pending"}})";
}

std::string case_text() {
  std::string pods = pod("a", 0) + "," + pod("a", 1);
  for (int i = 0; i < 3; ++i) pods += "," + pod("b", i);
  std::string text(kCase);
  return text.replace(text.find("PODS"), 4, pods);
}

Result<RecordedCase> read_text(const std::string& text) {
  const std::string path = testing::TempDir() + "basalt-case.json";
  std::ofstream(path) << text;
  return read_case(path);
}

TEST(Replay, PlaysTheCyclesOfACaseAndTheWorldInBetween) {
  const auto recorded = read_text(case_text());
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
  EXPECT_EQ(recorded->kind, CaseKind::Generated);
  EXPECT_TRUE(recorded->missing.empty());
  const auto policy = policy::build_policy(recorded->policy);
  ASSERT_TRUE(policy.has_value()) << policy.error().message;

  auto replay = Replay::start(*recorded);
  ASSERT_TRUE(replay.has_value()) << replay.error().message;
  std::vector<CycleOutcome> outcomes;
  outcomes.push_back((*replay)->run_cycle(*policy));
  ASSERT_TRUE((*replay)->settle().has_value());
  EXPECT_EQ((*replay)->state().task((*replay)->state().find_task("a-0")).status, model::TaskStatus::Running);
  EXPECT_EQ((*replay)->state().verify(), "");
  outcomes.push_back((*replay)->run_cycle(*policy));

  const Comparison facts = compare_with_name_ties(*recorded, outcomes);
  EXPECT_TRUE(facts.all_equal()) << facts.differences.front();
  EXPECT_EQ(facts.compared, 12);  // nine levels of the first cycle, three of the second
}

TEST(RecordedCase, SaysWhatIsMissing) {
  std::string text = case_text();
  text.replace(text.find(R"({"name": "gang"})"), 16, R"({"name": "crystal-ball"})");
  const auto recorded = read_text(text);
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
  EXPECT_EQ(recorded->missing, std::vector<std::string>{"plugin crystal-ball"});
  EXPECT_FALSE(read_text("{}").has_value());
  EXPECT_FALSE(read_text("{").has_value());
}

}  // namespace
}  // namespace basalt::cli
