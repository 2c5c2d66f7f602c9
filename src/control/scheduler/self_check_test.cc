#include "control/scheduler/self_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "control/scheduler/scheduler_kinds.h"
#include "control/scheduler/state_fixture.h"

namespace basalt::scheduler {
namespace {

using model::TaskStatus;

std::vector<std::string> whats(const std::vector<Difference>& differences) {
  std::vector<std::string> names;
  for (const Difference& difference : differences) names.push_back(difference.what);
  return names;
}

using Names = std::vector<std::string>;

TEST(SelfCheck, StatesFedInAnyOrderAreEqual) {
  const auto rebuilt = state_with(whole_cluster());
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string_view> objects = whole_cluster();
    std::shuffle(objects.begin(), objects.end(), random);
    const auto live = state_with(objects);
    EXPECT_EQ(whats(compare(live->state, rebuilt->state)), Names());
    EXPECT_EQ(whats(compare(rebuilt->state, live->state)), Names());
  }
}

TEST(SelfCheck, NamesThatOnlyOneSideHasEverSeenDoNotShow) {
  const auto rebuilt = state_with(whole_cluster());
  StateFixture live;
  live.apply(with(kNodeB, "cpu: \"8\"", "example.com/fpga: \"2\", cpu: \"8\""));
  live.apply(with(with(kRunning, "uid: u1", "uid: gone"), "cpu: \"2\"", "example.com/fpga: \"1\""));
  for (const std::string_view yaml : whole_cluster()) live.apply(yaml);
  live.state.remove_task("gone");
  EXPECT_EQ(whats(compare(live.state, rebuilt->state)), Names());
}

struct Change {
  std::string_view object, from, to;
  std::string what;
};

// Every input of decisions that an event may bring and the live state may have missed.
TEST(SelfCheck, FindsEachFieldThatDiffers) {
  const std::string waiting = "pod team/train-worker-0 (u0) ", running = "pod team/train-worker-1 (u1) ";
  const std::vector<Change> changes = {
      {kNodeA, "cpu: \"16\"", "cpu: \"15\"", "node node-a allocatable"},
      {kNodeA, "nvidia.com/gpu: \"4\"", "nvidia.com/gpu: \"3\"", "node node-a allocatable"},
      {kNodeA, "disk: ssd", "disk: hdd", "node node-a labels"},
      {kNodeA, "NoSchedule", "NoExecute", "node node-a taints"},
      {kNodeA, "sizeBytes: 1000", "sizeBytes: 1001", "node node-a images"},
      {kNodeA, "spec: {", "spec: {unschedulable: true, ", "node node-a unschedulable"},
      {kQueue, "weight: 2", "weight: 3", "queue default weight"},
      {kQueue, "cpu: \"20\"", "cpu: \"21\"", "queue default capability"},
      {kQueue, "nvidia.com/gpu: \"2\"", "nvidia.com/gpu: \"1\"", "queue default deserved"},
      {kQueue, "state: Open", "state: Closed", "queue default state"},
      {kQueue, "weight: 2", "weight: 2, reclaimable: false", "queue default reclaimable"},
      {kQueue, "weight: 2", "weight: 2, parent: up", "queue default parent"},
      {kQueue, "weight: 2", "weight: 2, guarantee: {resource: {cpu: 1}}", "queue default guarantee"},
      {kClass, "value: 1000", "value: 1001", "job team/train priority"},
      {kNamespace, "owner: ann", "owner: bob", "namespace team labels"},
      {kQuota, "used: {cpu: \"2\"}", "used: {cpu: \"3\"}", "resource quota team/quota used"},
      {kQuota, "hard: {cpu: \"10\"}", "hard: {cpu: \"11\"}", "resource quota team/quota hard"},
      {kBudget, "disruptionsAllowed: 1", "disruptionsAllowed: 0", "disruption budget team/budget disruptions allowed"},
      {kBudget, "app: web", "app: db", "disruption budget team/budget selector"},
      {kGroup, "minMember: 2", "minMember: 3", "job team/train min available"},
      {kGroup, "worker: 1", "worker: 2", "job team/train min task members"},
      {kGroup, "cpu: \"2\"", "cpu: \"3\"", "job team/train min resources"},
      {kGroup, "phase: Inqueue", "phase: Pending", "job team/train phase"},
      {kGroup, "phase: Inqueue", "phase: Inqueue, running: 1", "job team/train status counts"},
      {kGroup, "queue: default", "queue: other", "job team/train queue"},
      {kGroup, "uid: g1", "uid: g2", "job team/train pod group"},
      {kGroup, "phase: Inqueue", "phase: Inqueue, conditions: [{type: Unschedulable, status: \"True\"}]",
       "job team/train conditions"},
      {kWaiting, "cpu: \"1\"", "cpu: \"2\"", waiting + "shape"},
      {kWaiting, "disk: ssd, ", "", waiting + "shape"},
      {kWaiting, "key: gpu,", "key: tpu,", waiting + "shape"},
      {kWaiting, "[db, cache]", "[db]", waiting + "shape"},
      {kWaiting, "topologyKey: zone", "topologyKey: rack", waiting + "shape"},
      {kWaiting, "hostPort: 80", "hostPort: 81", waiting + "shape"},
      {kWaiting, "image: \"worker:1\"", "image: \"worker:2\"", waiting + "shape"},
      {kWaiting, "app: web", "app: db", waiting + "labels"},
      {kWaiting, "00:00:01Z", "00:00:02Z", waiting + "created"},
      {kWaiting, "schedulerName: volcano", "schedulerName: volcano, schedulingGates: [{name: x}]", waiting + "gates"},
      {kWaiting, "schedulerName: volcano", "schedulerName: volcano, priority: 5", waiting + "priority"},
      {kWaiting, "group-name: train", "group-name: train, volcano.sh/preemptable: \"false\"", waiting + "preemption"},
      {kWaiting, "phase: Pending", "phase: Pending, nominatedNodeName: node-a", waiting + "nominated node"},
      {kRunning, "phase: Running", "phase: Running, startTime: \"2026-01-01T00:00:05Z\"", running + "started"},
  };
  const auto live = state_with(whole_cluster());
  for (const Change& change : changes) {
    // YAML in flow style has no room for a second key in a block mapping: split what must be block style.
    std::string to(change.to);
    if (change.object == kWaiting && change.from == "schedulerName: volcano") {
      to = with(change.to, ", ", "\n  ");
    }
    const auto rebuilt = state_with(whole_cluster());
    rebuilt->apply(with(change.object, change.from, to));
    const std::vector<Difference> found = compare(live->state, rebuilt->state);
    EXPECT_EQ(whats(found), Names{change.what}) << change.to;
    for (const Difference& difference : found) EXPECT_NE(difference.live, difference.rebuilt);
    EXPECT_EQ(whats(compare(rebuilt->state, live->state)), Names{change.what}) << "the other way round";
  }
}

TEST(SelfCheck, SaysBothSides) {
  const auto live = state_with(whole_cluster()), rebuilt = state_with(whole_cluster());
  rebuilt->apply(with(kGroup, "minMember: 2", "minMember: 3"));
  const std::vector<Difference> found = compare(live->state, rebuilt->state);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].live, "2");
  EXPECT_EQ(found[0].rebuilt, "3");
}

TEST(SelfCheck, FindsEachKindOfMissingObject) {
  const std::vector<std::pair<std::string_view, Names>> gone = {
      {kNodeA, {"node node-a"}},
      {kNodeB,
       {"node node-b", "pod team/train-worker-1 (u1) counted on its node", "pod team/train-worker-1 (u1) node"}},
      {kQueue, {"job team/train queue", "queue default"}},
      {kClass, {"job team/train priority"}},
      {kNamespace, {"namespace team"}},
      {kQuota, {"resource quota team/quota"}},
      {kBudget, {"disruption budget team/budget"}},
      {kWaiting, {"pod team/train-worker-0 (u0)"}},
      {kRunning, {"pod team/train-worker-1 (u1)"}},
  };
  const auto rebuilt = state_with(whole_cluster());
  for (const auto& [yaml, expected] : gone) {
    const auto live = state_with(whole_cluster());
    live->remove(yaml);
    EXPECT_EQ(whats(compare(live->state, rebuilt->state)), expected);
    EXPECT_EQ(whats(compare(rebuilt->state, live->state)), expected);
  }
  const auto live = state_with(whole_cluster());
  live->remove(kGroup);
  EXPECT_NE(whats(compare(live->state, rebuilt->state)), Names());
}

TEST(SelfCheck, APodThatWasReplacedUnderItsNameIsTwoDifferences) {
  const auto live = state_with(whole_cluster()), rebuilt = state_with(whole_cluster());
  rebuilt->remove(kWaiting);
  rebuilt->apply(with(kWaiting, "uid: u0", "uid: u9"));
  EXPECT_EQ(whats(compare(live->state, rebuilt->state)),
            (Names{"pod team/train-worker-0 (u0)", "pod team/train-worker-0 (u9)"}));
}

TEST(SelfCheck, ABindOnItsWayIsNoDifference) {
  const auto live = state_with(whole_cluster()), rebuilt = state_with(whole_cluster());
  live->state.move_task(live->task("u0"), TaskStatus::Binding, live->state.find_node("node-a"), true);
  EXPECT_EQ(whats(compare(live->state, rebuilt->state)), Names()) << "not yet written";
  const std::string bound = with(kWaiting, "  schedulerName: volcano", "  schedulerName: volcano\n  nodeName: node-a");
  rebuilt->apply(bound);
  EXPECT_EQ(whats(compare(live->state, rebuilt->state)), Names()) << "written, not yet seen";
  rebuilt->apply(with(bound, "nodeName: node-a", "nodeName: node-b"));
  EXPECT_EQ(whats(compare(live->state, rebuilt->state)), Names{"pod team/train-worker-0 (u0) node"});
  rebuilt->apply(with(with(bound, "cpu: \"1\"", "cpu: \"9\""), "node-a", "node-a"));
  EXPECT_EQ(whats(compare(live->state, rebuilt->state)), Names{"pod team/train-worker-0 (u0) shape"});
}

TEST(SelfCheck, OnlyOurOwnMovesAreExcused) {
  const auto live = state_with(whole_cluster()), rebuilt = state_with(whole_cluster());
  // The API still shows the pod as pending, and the live state takes it for running: a fault, not a decision.
  live->apply(with(with(kWaiting, "  schedulerName: volcano", "  schedulerName: volcano\n  nodeName: node-a"),
                   "phase: Pending", "phase: Running"));
  const Names found = whats(compare(live->state, rebuilt->state));
  EXPECT_TRUE(std::ranges::find(found, "pod team/train-worker-0 (u0) status") != found.end());
  EXPECT_TRUE(std::ranges::find(found, "pod team/train-worker-0 (u0) node") != found.end());
}

TEST(SelfCheck, AnEvictionOnItsWayIsNoDifference) {
  const auto live = state_with(whole_cluster()), rebuilt = state_with(whole_cluster());
  live->state.move_task(live->task("u1"), TaskStatus::Releasing, live->state.find_node("node-b"), true);
  EXPECT_EQ(whats(compare(live->state, rebuilt->state)), Names());
  EXPECT_NE(whats(compare(rebuilt->state, live->state)), Names()) << "the API says Releasing, we missed it";
}

TEST(SelfCheck, APodThatIsHeldBackMayBeGatedHere) {
  const auto live = state_with(whole_cluster()), rebuilt = state_with(whole_cluster());
  live->apply(with(kWaiting, "  schedulerName: volcano", "  schedulerName: volcano\n  schedulingGates: [{name: x}]"));
  EXPECT_EQ(whats(compare(live->state, rebuilt->state)), Names{"pod team/train-worker-0 (u0) gates"});
  EXPECT_EQ(whats(compare(live->state, rebuilt->state, [](std::string_view uid) { return uid == "u0"; })), Names());
  EXPECT_EQ(whats(compare(live->state, rebuilt->state, [](std::string_view uid) { return uid == "u1"; })).size(), 1U);
}

TEST(SelfCheck, DifferencesAreBounded) {
  const auto live = state_with(whole_cluster()), rebuilt = state_with(whole_cluster());
  for (size_t i = 0; i < kMaxDifferences + 50; ++i) {
    live->apply(with(kNodeB, "name: node-b", "name: extra-" + std::to_string(i)));
  }
  const std::vector<Difference> found = compare(live->state, rebuilt->state);
  EXPECT_EQ(found.size(), kMaxDifferences);
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
}

TEST(SelfCheck, OnlyWhatTwoChecksInARowFindIsAFault) {
  const Difference a{.what = "a", .live = "1", .rebuilt = "2"}, b{.what = "b", .live = "1", .rebuilt = "2"};
  const Difference moved{.what = "a", .live = "1", .rebuilt = "3"};
  SelfCheck check;
  EXPECT_FALSE(check.unsettled());
  EXPECT_TRUE(check.consider({a, b}).empty());
  EXPECT_TRUE(check.unsettled());
  EXPECT_EQ(whats(check.consider({moved, b})), Names{"b"}) << "a is another difference now";
  EXPECT_FALSE(check.unsettled()) << "this was the check that came sooner";
  EXPECT_EQ(whats(check.consider({moved, b})), (Names{"a", "b"})) << "as long as it stays";
  EXPECT_TRUE(check.consider({}).empty());
  EXPECT_TRUE(check.consider({b}).empty()) << "it went away in between";
}

// Answers lists page by page from objects in memory.
class ListingClient final : public client::ObjectClient {
 public:
  std::map<std::string, std::vector<client::ObjectPtr>> objects;  // by plural
  std::map<std::string, int> refused;                             // plural → code
  size_t page = 1, calls = 0;

  void add(std::string_view plural, std::string_view yaml) {
    const auto documents = text::parse_yaml_stream(yaml);
    ASSERT_TRUE(documents.has_value());
    text::Value value = documents->front().value;
    value.as_object().erase("kind");  // as in lists of a real server
    value.as_object().erase("apiVersion");
    objects[std::string(plural)].push_back(std::make_shared<const text::Value>(std::move(value)));
  }
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    ++calls;
    if (const auto code = refused.find(call.resource.plural); code != refused.end()) {
      return done(std::unexpected(api::ApiError{.code = code->second, .message = "no"}));
    }
    const auto& all = objects[call.resource.plural];
    const size_t from = call.continue_token.empty() ? 0 : std::stoul(call.continue_token);
    client::Reply reply;
    for (size_t i = from; i < std::min(all.size(), from + page); ++i) reply.items.push_back(all[i]);
    if (from + page < all.size()) reply.continue_token = std::to_string(from + page);
    done(std::move(reply));
  }
  std::unique_ptr<client::Watch> watch(api::Call, std::function<void(client::WatchEvent)>) override { return {}; }
};

TEST(Rebuild, ReadsEveryKindPageByPage) {
  ListingClient client;
  client.add("nodes", kNodeA);
  client.add("nodes", kNodeB);
  client.add("queues", kQueue);
  client.add("priorityclasses", kClass);
  client.add("namespaces", kNamespace);
  client.add("resourcequotas", kQuota);
  client.add("poddisruptionbudgets", kBudget);
  client.add("podgroups", kGroup);
  client.add("pods", kWaiting);
  client.add("pods", kRunning);
  const auto rebuilt = rebuild(client, {});
  ASSERT_TRUE(rebuilt.has_value()) << rebuilt.error().message;
  EXPECT_EQ(whats(compare(state_with(whole_cluster())->state, **rebuilt)), Names());
  EXPECT_EQ(client.calls, kStateKinds + 2) << "two kinds had two pages";
}

TEST(Rebuild, AKindThatNobodyServesIsEmptyAndOtherFailuresAreErrors) {
  ListingClient client;
  client.add("nodes", kNodeA);
  client.refused["podgroups"] = 404;
  EXPECT_TRUE(rebuild(client, {}).has_value());
  client.refused["pods"] = 503;
  const auto failed = rebuild(client, {});
  ASSERT_FALSE(failed.has_value());
  EXPECT_NE(failed.error().message.find("pods"), std::string::npos);
}

TEST(Rebuild, WhatCanNotBeReadIsLeftOut) {
  ListingClient client;
  client.add("nodes", kNodeA);
  client.add("nodes", with(kNodeB, "cpu: \"8\"", "cpu: lots"));
  client.objects["nodes"].push_back(nullptr);
  client.objects["nodes"].push_back(std::make_shared<const text::Value>(5));
  client.objects["pods"].push_back(std::make_shared<const text::Value>(text::Array{1, 2}));
  const auto rebuilt = rebuild(client, {});
  ASSERT_TRUE(rebuilt.has_value());
  EXPECT_TRUE((*rebuilt)->find_node("node-a").valid());
  EXPECT_FALSE((*rebuilt)->find_node("node-b").valid());
}

}  // namespace
}  // namespace basalt::scheduler
