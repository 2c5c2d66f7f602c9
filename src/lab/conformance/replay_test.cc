#include "lab/conformance/replay.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/policy/build_policy.h"
#include "lab/conformance/conformance_verb.h"
#include "lab/conformance/outcome_comparison.h"

namespace basalt::lab {
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

// The case with `events` among its objects.
std::string with_events(const std::string& events) {
  std::string text = case_text();
  return text.insert(text.find(R"("nodes": [{"apiVersion")"), R"("events": )" + events + ", ");
}

TEST(Replay, PodsEndAndComeBetweenCycles) {
  const auto recorded = read_text(
      with_events(R"([{"afterCycle": 1, "finish": ["ns/a-0", "ns/b-0"], "fail": ["ns/a-1"], "delete": ["ns/b-2"]},)"
                  R"( {"afterCycle": 2, "addPods": [)" +
                  pod("b", 7) + "]}]"));
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
  EXPECT_TRUE(recorded->missing.empty());
  const auto policy = policy::build_policy(recorded->policy);
  auto replay = Replay::start(*recorded);
  ASSERT_TRUE(replay.has_value()) << replay.error().message;
  const model::ClusterState& state = (*replay)->state();
  (*replay)->run_cycle(*policy);
  ASSERT_TRUE((*replay)->settle().has_value());
  EXPECT_EQ(state.task(state.find_task("a-0")).status, model::TaskStatus::Succeeded);
  EXPECT_EQ(state.task(state.find_task("a-1")).status, model::TaskStatus::Failed);
  EXPECT_EQ(state.task(state.find_task("b-0")).status, model::TaskStatus::Pending) << "it was not bound";
  EXPECT_FALSE(state.find_task("b-2").valid());
  EXPECT_FALSE(state.find_task("b-7").valid());
  (*replay)->run_cycle(*policy);
  ASSERT_TRUE((*replay)->settle().has_value());
  EXPECT_TRUE(state.find_task("b-7").valid());
  EXPECT_FALSE(read_text(with_events(R"([{"afterCycle": 1, "explode": ["ns/a-0"]}])")).has_value());
}

int run(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return run_conformance(pointers);
}

TEST(Conformance, ACaseWithNothingToCompareFails) {
  const std::string folder = testing::TempDir() + "basalt-conformance";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/small-001.json", floors = folder + "/floors";
  const auto topic = "basalt-conformance/small";
  std::ofstream(file) << case_text();
  std::ofstream(floors) << topic << " 1 12\n";
  EXPECT_EQ(run({"--floors", floors, file}), cli::kOk);
  std::ofstream(floors) << topic << " 1 13\n";
  EXPECT_EQ(run({"--floors", floors, file}), cli::kFailed) << "fewer facts than the floor";
  std::ofstream(floors) << topic << " many\n";
  EXPECT_EQ(run({"--floors", floors, file}), cli::kUsage);
  std::string mute = case_text();
  mute.replace(mute.find(R"("expectTiebreakName")"), std::string::npos,
               R"("expectTiebreakName": {"cycles": [{}, {}]}})");
  std::ofstream(file) << mute;
  EXPECT_EQ(run({file}), cli::kFailed);
  std::filesystem::remove_all(folder);
}

TEST(RecordedCase, FactsThatNobodyComparesAreKnown) {
  std::string text = case_text();
  text.replace(text.find(R"("evictCount": 0)"), 15, R"("claims": {"ns/c": "gpu-1"})");
  const auto recorded = read_text(text);
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
  EXPECT_EQ(unknown_facts(recorded->root), std::vector<std::string>{"claims"});
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
}  // namespace basalt::lab
