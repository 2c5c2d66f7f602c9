#include "control/scheduler/picture.h"

#include <gmock/gmock.h>

#include "control/scheduler/scheduler_test_world.h"

namespace basalt::scheduler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Picture, IgnoresWhatIsNotLater) {
  SmallCluster cluster;
  EXPECT_TRUE(cluster.picture.learn(Kind::Pod, pod_object({.version = 7, .cpu = "2"})).fresh);
  EXPECT_FALSE(cluster.picture.learn(Kind::Pod, pod_object({.version = 6, .cpu = "3"})).taken);
  EXPECT_FALSE(cluster.picture.learn(Kind::Pod, pod_object({.version = 7, .cpu = "3"})).taken);
  EXPECT_TRUE(cluster.picture.learn(Kind::Pod, pod_object({.version = 10, .cpu = "4"})).taken);
  const model::TaskId task = cluster.state.find_task("u0");
  ASSERT_TRUE(task.valid());
  EXPECT_EQ(cluster.state.shape_of(task).request.front().amount, 4000);
}

TEST(Picture, AListIsRightThoughItIsOlder) {
  SmallCluster cluster;
  cluster.picture.learn(Kind::Pod, pod_object({.version = 7, .cpu = "2"}));
  EXPECT_FALSE(cluster.picture.learn(Kind::Pod, pod_object({.version = 7}), Picture::Source::Listed).taken);
  EXPECT_TRUE(cluster.picture.learn(Kind::Pod, pod_object({.version = 3}), Picture::Source::Listed).taken);
  EXPECT_TRUE(cluster.picture.learn(Kind::Pod, pod_object({.version = 4})).taken);
}

TEST(Picture, AnotherUidReplacesTheNamesake) {
  SmallCluster cluster;
  cluster.picture.learn(Kind::Node, node_object("n1", "4"));
  cluster.picture.learn(Kind::Pod, pod_object({.uid = "old", .version = 5, .node = "n1", .phase = "Running"}));
  EXPECT_EQ(cluster.picture.learn(Kind::Pod, pod_object({.uid = "new", .version = 9})).replaced, "old");
  EXPECT_EQ(cluster.task("old"), "");
  EXPECT_EQ(cluster.task("new"), "Pending -");
  EXPECT_EQ(cluster.state.verify(), "");
  // A late word about the former one.
  EXPECT_FALSE(cluster.picture.learn(Kind::Pod, pod_object({.uid = "old", .version = 6, .node = "n1"})).taken);
  EXPECT_EQ(cluster.task("old"), "");
}

TEST(Picture, ABadObjectIsToldOnceAndChangesNothing) {
  SmallCluster cluster;
  cluster.picture.learn(Kind::Pod, pod_object({.version = 1, .cpu = "1"}));
  const client::ObjectPtr bad = pod_object({.version = 2, .cpu = "lots"});
  cluster.picture.learn(Kind::Pod, bad);
  cluster.picture.learn(Kind::Pod, bad);
  EXPECT_EQ(cluster.picture.bad_objects(), 1U);
  EXPECT_THAT(cluster.log, ElementsAre(HasSubstr("Pod default/p-t-0")));
  EXPECT_EQ(cluster.task("u0"), "Pending -");
  cluster.picture.learn(Kind::Pod, pod_object({.version = 3, .cpu = "2"}));
  EXPECT_EQ(cluster.picture.bad_objects(), 0U);
}

TEST(Picture, WrongTypesNeverHarm) {
  SmallCluster cluster;
  for (const char* json :
       {"null", "5", "[]", "{}", R"({"metadata":5})", R"({"metadata":{"name":"x","resourceVersion":5}})",
        R"({"metadata":{"name":"x"},"spec":[],"status":"no"})",
        R"({"metadata":{"name":"x"},"spec":{"minMember":{}}})"}) {
    for (size_t kind = 0; kind < kFollowedKinds; ++kind) cluster.picture.learn(static_cast<Kind>(kind), parsed(json));
  }
  for (size_t kind = 0; kind < kFollowedKinds; ++kind) {
    for (const std::string& key : cluster.picture.keys(static_cast<Kind>(kind))) {
      cluster.picture.forget(static_cast<Kind>(kind), key);
    }
    EXPECT_TRUE(cluster.picture.keys(static_cast<Kind>(kind)).empty());
  }
  EXPECT_EQ(cluster.picture.bad_objects(), 0U);
  EXPECT_EQ(cluster.state.verify(), "");
}

TEST(Picture, AVictimStaysReleasingUntilItsDeletionIsSeen) {
  SmallCluster cluster;
  cluster.picture.learn(Kind::Node, node_object("n1", "4"));
  const PodDraft running{.version = 1, .node = "n1", .phase = "Running"};
  cluster.picture.learn(Kind::Pod, pod_object(running));
  cluster.picture.note_evicting("u0", kTestStart);
  PodDraft marked = running;
  marked.version = 2;
  cluster.picture.learn(Kind::Pod, pod_object(marked));
  EXPECT_EQ(cluster.task("u0"), "Releasing n1");
  cluster.picture.spare("u0");
  marked.version = 3;
  cluster.picture.learn(Kind::Pod, pod_object(marked));
  EXPECT_EQ(cluster.task("u0"), "Running n1");
  cluster.picture.note_evicting("u0", kTestStart);
  marked.version = 4;
  marked.more_meta = R"(,"deletionTimestamp":"2026-01-01T00:01:00Z")";
  cluster.picture.learn(Kind::Pod, pod_object(marked));
  EXPECT_FALSE(cluster.picture.is_evicting("u0"));
  EXPECT_EQ(cluster.task("u0"), "Releasing n1");
}

TEST(Picture, OnlyAnOutcomeTakesABindBack) {
  SmallCluster cluster;
  cluster.picture.learn(Kind::Node, node_object("n1", "4"));
  cluster.picture.learn(Kind::PodGroup, group_object("g", 1));
  cluster.picture.learn(Kind::Pod, pod_object({.version = 1}));
  EXPECT_EQ(cluster.cycle().decisions.binds.size(), 1U);
  EXPECT_EQ(cluster.task("u0"), "Binding n1");
  const client::ObjectPtr older = pod_object({.version = 2});
  cluster.picture.learn(Kind::Pod, older);
  EXPECT_EQ(cluster.task("u0"), "Binding n1");
  cluster.picture.hold("u0");
  cluster.picture.learn(Kind::Pod, older, Picture::Source::Outcome);  // the same version: what was ignored is read
  EXPECT_EQ(cluster.task("u0"), "Pending - gated");
  EXPECT_TRUE(cluster.cycle().decisions.binds.empty());
  cluster.picture.release("u0");
  cluster.picture.learn(Kind::Pod, older, Picture::Source::Outcome);
  EXPECT_EQ(cluster.cycle().decisions.binds.size(), 1U);
}

TEST(Picture, AnEchoOfAStatusWriteIsNoEvent) {
  SmallCluster cluster;
  cluster.picture.learn(Kind::Pod, pod_object({.version = 1}));
  const uint64_t version = cluster.state.version();
  cluster.picture.learn(
      Kind::Pod,
      pod_object({.version = 2,
                  .more_status = R"(,"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",
                                      "message":"no"}])"}));
  EXPECT_EQ(cluster.state.version(), version);
  EXPECT_EQ(cluster.picture.pod("default/p-t-0")->words.reason, mark_of("Unschedulable"));
}

}  // namespace
}  // namespace basalt::scheduler
