#include "control/loop/reconcile_loop.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "control/loop/event_recorder.h"
#include "kube/api/object_fields.h"

namespace basalt::loop {
namespace {

using testing::ElementsAre;

constexpr Instant kStart = Instant::from_unix_seconds(1'700'000'000);
const api::GroupVersionResource kPods{.group = "", .version = "v1", .plural = "pods"};
const KindId kPodKind(0U);

// A server with one kind, that refuses what the test says.
class ToyServer final : public client::ObjectClient {
 public:
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    if (call.verb == api::Verb::List) return done(list());
    if (call.verb == api::Verb::Get) return done(std::unexpected(api::not_found("", "pods", call.name)));
    const std::string name = call.name.empty() ? std::string(api::name_of(call.body.get_object())) : call.name;
    log.push_back(fmt::format("{} {}", call.verb == api::Verb::Create ? "create" : "delete", name));
    if (refusing.contains(name)) return done(std::unexpected(api::internal_error("no")));
    if (call.verb == api::Verb::Delete) {
      objects.erase(name);
      return done(client::Reply{});
    }
    client::Reply reply;
    reply.object = put(name);
    done(std::move(reply));
  }
  std::unique_ptr<client::Watch> watch(api::Call /*call*/, std::function<void(client::WatchEvent)> receive) override {
    receive_ = std::move(receive);
    return std::make_unique<client::Watch>();
  }

  client::ObjectPtr put(const std::string& name) {
    text::Object metadata{{"name", name}, {"resourceVersion", std::to_string(++version_)}};
    objects[name] = std::make_shared<const text::Value>(text::Object{{"metadata", std::move(metadata)}});
    return objects[name];
  }
  void push(client::WatchEventType type, const client::ObjectPtr& object) {
    receive_({.type = type, .object = object});
  }

  std::map<std::string, client::ObjectPtr> objects;
  std::set<std::string> refusing;
  std::vector<std::string> log;
  bool served = true;

 private:
  client::ReplyOrError list() const {
    if (!served) return std::unexpected(api::no_such_path());
    client::Reply reply{.resource_version = std::to_string(version_)};
    for (const auto& [name, object] : objects) reply.items.push_back(object);
    return reply;
  }
  int64_t version_ = 0;
  std::function<void(client::WatchEvent)> receive_;
};

// Remembers names, and plans what the test laid out.
class ToyMind final : public Reconciler {
 public:
  void learn(KindId /*kind*/, const client::ObjectPtr& object, Instant /*now*/) override {
    known.insert(std::string(api::name_of(object->get_object())));
  }
  void forget(KindId /*kind*/, const std::string& key, Instant /*now*/) override { known.erase(key); }
  [[nodiscard]] std::vector<std::string> keys(KindId /*kind*/) const override { return {known.begin(), known.end()}; }
  [[nodiscard]] WritePlan plan(const Item& item, Instant /*now*/) override {
    planned.push_back(item.name);
    if (plans.empty()) return {};
    WritePlan next = std::move(plans.front());
    plans.pop_front();
    return next;
  }
  [[nodiscard]] NextStep answered(const Item& /*item*/, const Ask& /*ask*/, const CallResult& answer,
                                  Instant /*now*/) override {
    answers.push_back(answer.good);
    return answer.good ? NextStep::PlanAgain : NextStep::Retry;
  }
  void refused(const Item& item, const api::Call& call, const api::ApiError& error,
               std::vector<EventNote>& notes) override {
    refusals.push_back(fmt::format("{} {} {}", item.name, call.resource.plural, error.code));
    notes.push_back({.regarding = {{"name", "x"}, {"uid", "u"}}, .warning = true, .reason = "Failed", .message = "no"});
  }
  void requeue_all(Instant /*now*/) override {}

  std::deque<WritePlan> plans;
  std::set<std::string> known;
  std::vector<std::string> planned, refusals;
  std::vector<bool> answers;
};

api::Call create(const std::string& name) {
  return {
      .verb = api::Verb::Create, .resource = kPods, .body = text::Object{{"metadata", text::Object{{"name", name}}}}};
}

struct ToyWorld {
  ToyServer server;
  ToyMind reconciler;
  ReconcileLoop loop{server, reconciler, {.component = "toy"}};
  ToyWorld() { loop.follow(kPodKind, kPods); }
  void wake(const std::string& item, Instant due = kStart) { loop.wake({.controller = 0, .name = item}, due); }
};

TEST(ReconcileLoop, AStageWaitsForTheOneBeforeIt) {
  ToyWorld fixture;
  WritePlan plan;
  plan.write(create("a"));
  plan.write(create("b"));
  plan.then();
  plan.write(create("c"));
  fixture.reconciler.plans.push_back(std::move(plan));
  fixture.wake("x");
  fixture.loop.step(kStart);
  EXPECT_THAT(fixture.server.log, ElementsAre("create a", "create b", "create c"));
  EXPECT_THAT(fixture.reconciler.known, ElementsAre("a", "b", "c")) << "own writes are learned without a watch";
  EXPECT_EQ(fixture.loop.next_due(), std::nullopt);
}

TEST(ReconcileLoop, ARefusalEndsThePlanAndBringsItBackLater) {
  ToyWorld fixture;
  fixture.server.refusing = {"a"};
  WritePlan plan;
  plan.write(create("a"));
  plan.write(create("b"));
  plan.then();
  plan.write(create("c"));
  fixture.reconciler.plans.push_back(std::move(plan));
  fixture.wake("x");
  fixture.loop.step(kStart);
  EXPECT_THAT(fixture.server.log, ElementsAre("create a", "create b", testing::StartsWith("create x.")));
  EXPECT_THAT(fixture.reconciler.refusals, ElementsAre("x pods 500"));
  ASSERT_TRUE(fixture.loop.next_due().has_value());
  EXPECT_EQ(*fixture.loop.next_due(), kStart + kFirstRetry);
  fixture.loop.step(kStart + kFirstRetry);
  EXPECT_THAT(fixture.reconciler.planned, ElementsAre("x", "x"));
  EXPECT_EQ(fixture.loop.counters().refused, 1U);
}

TEST(ReconcileLoop, WhatAWriteDidIsToldWhenItIsDone) {
  const auto about = [](const std::string& name) {
    return EventNote{.regarding = {{"name", name}, {"uid", name}}, .reason = "Created", .message = name};
  };
  ToyWorld fixture;
  fixture.server.refusing = {"b"};
  WritePlan plan;
  plan.write(create("a"), about("a"));
  plan.write(create("b"), about("b"));
  plan.write(create("c"));
  plan.write(create("d"), about("d"));
  plan.then();
  plan.write(create("e"), about("e"));
  fixture.reconciler.plans.push_back(std::move(plan));
  fixture.wake("x");
  fixture.loop.step(kStart);
  using testing::StartsWith;
  EXPECT_THAT(fixture.server.log, testing::Contains(StartsWith("create a.")));
  EXPECT_THAT(fixture.server.log, testing::Contains(StartsWith("create d.")));
  EXPECT_THAT(fixture.server.log, testing::Not(testing::Contains(StartsWith("create b."))));
  EXPECT_THAT(fixture.server.log, testing::Not(testing::Contains(StartsWith("create e")))) << "was never sent";
}

TEST(ReconcileLoop, NothingIsPlannedBeforeEverythingIsKnown) {
  ToyWorld fixture;
  fixture.loop.follow(KindId(1U), {.group = "flow.volcano.sh", .version = "v1alpha1", .plural = "jobflows"});
  fixture.server.put("there");
  fixture.wake("x");
  fixture.server.served = false;  // a kind that nobody serves has no objects
  fixture.loop.step(kStart);
  EXPECT_THAT(fixture.reconciler.planned, ElementsAre("x"));
  EXPECT_TRUE(fixture.reconciler.known.empty());
  fixture.server.served = true;
  fixture.loop.step(kStart + kLastRetry);
  EXPECT_THAT(fixture.reconciler.known, ElementsAre("there")) << "and is looked for again";
}

TEST(ReconcileLoop, AListForgetsWhatIsGone) {
  ToyWorld fixture;
  fixture.server.put("a");
  fixture.server.put("b");
  fixture.loop.step(kStart);
  EXPECT_THAT(fixture.reconciler.known, ElementsAre("a", "b"));
  fixture.server.objects.erase("a");
  fixture.server.push(client::WatchEventType::Error, nullptr);  // the watch is over
  fixture.loop.step(kStart);
  EXPECT_THAT(fixture.reconciler.known, ElementsAre("b"));
  fixture.server.push(client::WatchEventType::Deleted, fixture.server.objects["b"]);
  fixture.loop.step(kStart);
  EXPECT_TRUE(fixture.reconciler.known.empty());
}

TEST(ReconcileLoop, LooksAgainWhenThePlanSaysSo) {
  ToyWorld fixture;
  WritePlan plan;
  plan.look_again(kStart + Duration::seconds(30));
  plan.look_again(kStart + Duration::seconds(20));
  fixture.reconciler.plans.push_back(std::move(plan));
  fixture.wake("x");
  fixture.loop.step(kStart);
  EXPECT_EQ(fixture.loop.next_due(), kStart + Duration::seconds(20));
  fixture.loop.step(kStart + Duration::seconds(19));
  EXPECT_THAT(fixture.reconciler.planned, ElementsAre("x"));
  fixture.loop.step(kStart + Duration::seconds(20));
  EXPECT_THAT(fixture.reconciler.planned, ElementsAre("x", "x"));
}

TEST(ReconcileLoop, WithoutAProberNoProbeIsGood) {
  ToyWorld fixture;
  WritePlan plan;
  plan.asks.emplace_back(Probe{.host = "h", .port = 80});
  fixture.reconciler.plans.push_back(std::move(plan));
  fixture.wake("x");
  fixture.loop.step(kStart);
  EXPECT_THAT(fixture.reconciler.answers, ElementsAre(false));
  EXPECT_EQ(fixture.loop.next_due(), kStart + kFirstRetry);
}

TEST(EventRecorder, TellsOnceAndThenCounts) {
  EventRecorder log("toy");
  const EventNote note{.regarding = {{"name", "j"}, {"namespace", "ns"}, {"uid", "u1"}}, .reason = "R", .message = "m"};
  const auto first = log.record(note, kStart);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->verb, api::Verb::Create);
  EXPECT_EQ(first->namespace_name, "ns");
  EXPECT_EQ(log.record(note, kStart + Duration::seconds(59)), std::nullopt);
  const auto later = log.record(note, kStart + Duration::seconds(60));
  ASSERT_TRUE(later);
  EXPECT_EQ(later->verb, api::Verb::Patch);
  EXPECT_EQ(later->name, api::name_of(first->body.get_object()));
  EXPECT_EQ(api::int_at(later->body.get_object(), {"count"}), 3);
}

}  // namespace
}  // namespace basalt::loop
