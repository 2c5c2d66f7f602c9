#include "control/scheduler/scheduler_cache.h"

#include <gmock/gmock.h>

#include "control/scheduler/scheduler_fixture.h"

namespace basalt::scheduler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SchedulerCache, IgnoresWhatIsNotLater) {
  SchedulerFixture cluster;
  EXPECT_TRUE(cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 7, .cpu = "2"})).fresh);
  EXPECT_FALSE(cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 6, .cpu = "3"})).taken);
  EXPECT_FALSE(cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 7, .cpu = "3"})).taken);
  EXPECT_TRUE(cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 10, .cpu = "4"})).taken);
  const model::TaskId task = cluster.state.find_task("u0");
  ASSERT_TRUE(task.valid());
  EXPECT_EQ(cluster.state.shape_of(task).request.front().amount, 4000);
}

TEST(SchedulerCache, AListIsRightThoughItIsOlder) {
  SchedulerFixture cluster;
  cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 7, .cpu = "2"}));
  EXPECT_FALSE(
      cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 7}), SchedulerCache::Source::Listed).taken);
  EXPECT_TRUE(
      cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 3}), SchedulerCache::Source::Listed).taken);
  EXPECT_TRUE(cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 4})).taken);
}

TEST(SchedulerCache, AnotherUidReplacesTheNamesake) {
  SchedulerFixture cluster;
  cluster.cache.learn(SchedulerKind::Node, node_object("n1", "4"));
  cluster.cache.learn(SchedulerKind::Pod, pod_object({.uid = "old", .version = 5, .node = "n1", .phase = "Running"}));
  EXPECT_EQ(cluster.cache.learn(SchedulerKind::Pod, pod_object({.uid = "new", .version = 9})).replaced, "old");
  EXPECT_EQ(cluster.task("old"), "");
  EXPECT_EQ(cluster.task("new"), "Pending -");
  EXPECT_EQ(cluster.state.verify(), "");
  // A late word about the former one.
  EXPECT_FALSE(cluster.cache.learn(SchedulerKind::Pod, pod_object({.uid = "old", .version = 6, .node = "n1"})).taken);
  EXPECT_EQ(cluster.task("old"), "");
}

TEST(SchedulerCache, ABadObjectIsToldOnceAndChangesNothing) {
  SchedulerFixture cluster;
  cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 1, .cpu = "1"}));
  const client::ObjectPtr bad = pod_object({.version = 2, .cpu = "lots"});
  cluster.cache.learn(SchedulerKind::Pod, bad);
  cluster.cache.learn(SchedulerKind::Pod, bad);
  EXPECT_EQ(cluster.cache.bad_objects(), 1U);
  EXPECT_THAT(cluster.log, ElementsAre(HasSubstr("Pod default/p-t-0")));
  EXPECT_EQ(cluster.task("u0"), "Pending -");
  cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 3, .cpu = "2"}));
  EXPECT_EQ(cluster.cache.bad_objects(), 0U);
}

TEST(SchedulerCache, AnAmountThatIsCutIsToldOnce) {
  SchedulerFixture cluster;
  cluster.cache.learn(SchedulerKind::Node, node_object("n1", "9Ti", 1));
  cluster.cache.learn(SchedulerKind::Node, node_object("n1", "9Ti", 2));
  cluster.cache.learn(SchedulerKind::Node, node_object("n2", "8Ti"));
  EXPECT_EQ(cluster.log,
            std::vector<std::string>{"Node n1: status.allocatable.cpu: 9Ti counts as 9007199254740, the most "
                                     "that can be counted"});
}

TEST(SchedulerCache, WrongTypesNeverHarm) {
  SchedulerFixture cluster;
  for (const char* json :
       {"null", "5", "[]", "{}", R"({"metadata":5})", R"({"metadata":{"name":"x","resourceVersion":5}})",
        R"({"metadata":{"name":"x"},"spec":[],"status":"no"})",
        R"({"metadata":{"name":"x"},"spec":{"minMember":{}}})"}) {
    for (size_t kind = 0; kind < kFollowedKinds; ++kind)
      cluster.cache.learn(static_cast<SchedulerKind>(kind), parsed(json));
  }
  for (size_t kind = 0; kind < kFollowedKinds; ++kind) {
    for (const std::string& key : cluster.cache.keys(static_cast<SchedulerKind>(kind))) {
      cluster.cache.forget(static_cast<SchedulerKind>(kind), key);
    }
    EXPECT_TRUE(cluster.cache.keys(static_cast<SchedulerKind>(kind)).empty());
  }
  EXPECT_EQ(cluster.cache.bad_objects(), 0U);
  EXPECT_EQ(cluster.state.verify(), "");
}

TEST(SchedulerCache, AVictimStaysReleasingUntilItsDeletionIsSeen) {
  SchedulerFixture cluster;
  cluster.cache.learn(SchedulerKind::Node, node_object("n1", "4"));
  const TestPod running{.version = 1, .node = "n1", .phase = "Running"};
  cluster.cache.learn(SchedulerKind::Pod, pod_object(running));
  cluster.cache.note_evicting("u0", kTestStart);
  TestPod marked = running;
  marked.version = 2;
  cluster.cache.learn(SchedulerKind::Pod, pod_object(marked));
  EXPECT_EQ(cluster.task("u0"), "Releasing n1");
  cluster.cache.stop_evicting("u0");
  marked.version = 3;
  cluster.cache.learn(SchedulerKind::Pod, pod_object(marked));
  EXPECT_EQ(cluster.task("u0"), "Running n1");
  cluster.cache.note_evicting("u0", kTestStart);
  marked.version = 4;
  marked.more_meta = R"(,"deletionTimestamp":"2026-01-01T00:01:00Z")";
  cluster.cache.learn(SchedulerKind::Pod, pod_object(marked));
  EXPECT_FALSE(cluster.cache.is_evicting("u0"));
  EXPECT_EQ(cluster.task("u0"), "Releasing n1");
}

TEST(SchedulerCache, OnlyAnOutcomeTakesABindBack) {
  SchedulerFixture cluster;
  cluster.cache.learn(SchedulerKind::Node, node_object("n1", "4"));
  cluster.cache.learn(SchedulerKind::PodGroup, group_object("g", 1));
  cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 1}));
  EXPECT_EQ(cluster.cycle().decisions.binds.size(), 1U);
  EXPECT_EQ(cluster.task("u0"), "Binding n1");
  const client::ObjectPtr older = pod_object({.version = 2});
  cluster.cache.learn(SchedulerKind::Pod, older);
  EXPECT_EQ(cluster.task("u0"), "Binding n1");
  cluster.cache.hold("u0");
  cluster.cache.learn(SchedulerKind::Pod, older,
                      SchedulerCache::Source::Outcome);  // the same version: what was ignored is read
  EXPECT_EQ(cluster.task("u0"), "Pending - gated");
  EXPECT_TRUE(cluster.cycle().decisions.binds.empty());
  cluster.cache.release("u0");
  cluster.cache.learn(SchedulerKind::Pod, older, SchedulerCache::Source::Outcome);
  EXPECT_EQ(cluster.cycle().decisions.binds.size(), 1U);
}

TEST(SchedulerCache, AnEchoOfAStatusWriteIsNoEvent) {
  SchedulerFixture cluster;
  cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 1}));
  const uint64_t version = cluster.state.version();
  cluster.cache.learn(
      SchedulerKind::Pod,
      pod_object({.version = 2,
                  .more_status = R"(,"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",
                                      "message":"no"}])"}));
  EXPECT_EQ(cluster.state.version(), version);
  EXPECT_EQ(cluster.cache.pod("default/p-t-0")->words.reason, text_hash("Unschedulable"));
}

}  // namespace
}  // namespace basalt::scheduler
