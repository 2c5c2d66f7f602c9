#include "control/loop/loop.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "control/loop/event_log.h"
#include "kube/api/object_fields.h"

namespace basalt::loop {
namespace {

using testing::ElementsAre;

constexpr Instant kStart = Instant::from_unix_seconds(1'700'000'000);
const api::ResourceName kPods{.group = "", .version = "v1", .plural = "pods"};
const KindId kPodKind(0U);

// A server with one kind, that refuses what the test says.
class ToyServer final : public client::ObjectClient {
 public:
  void send(api::Call call, std::function<void(client::Outcome)> done) override {
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
  void push(client::EventType type, const client::ObjectPtr& object) { receive_({.type = type, .object = object}); }

  std::map<std::string, client::ObjectPtr> objects;
  std::set<std::string> refusing;
  std::vector<std::string> log;
  bool served = true;

 private:
  client::Outcome list() const {
    if (!served) return std::unexpected(api::no_such_path());
    client::Reply reply{.resource_version = std::to_string(version_)};
    for (const auto& [name, object] : objects) reply.items.push_back(object);
    return reply;
  }
  int64_t version_ = 0;
  std::function<void(client::WatchEvent)> receive_;
};

// Remembers names, and plans what the test laid out.
class ToyMind final : public Mind {
 public:
  void learn(KindId /*kind*/, const client::ObjectPtr& object, Instant /*now*/) override {
    known.insert(std::string(api::name_of(object->get_object())));
  }
  void forget(KindId /*kind*/, const std::string& key, Instant /*now*/) override { known.erase(key); }
  [[nodiscard]] std::vector<std::string> keys(KindId /*kind*/) const override { return {known.begin(), known.end()}; }
  [[nodiscard]] Plan plan(const Item& item, Instant /*now*/) override {
    planned.push_back(item.name);
    if (plans.empty()) return {};
    Plan next = std::move(plans.front());
    plans.pop_front();
    return next;
  }
  [[nodiscard]] Follow answered(const Item& /*item*/, const Ask& /*ask*/, const Answer& answer,
                                Instant /*now*/) override {
    answers.push_back(answer.good);
    return answer.good ? Follow::PlanAgain : Follow::Retry;
  }
  void refused(const Item& item, const api::Call& call, const api::ApiError& error, std::vector<Note>& notes) override {
    refusals.push_back(fmt::format("{} {} {}", item.name, call.resource.plural, error.code));
    notes.push_back({.regarding = {{"name", "x"}, {"uid", "u"}}, .warning = true, .reason = "Failed", .message = "no"});
  }
  void look_at_everything(Instant /*now*/) override {}

  std::deque<Plan> plans;
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
  ToyMind mind;
  Loop loop{server, mind, {.component = "toy"}};
  ToyWorld() { loop.follow(kPodKind, kPods); }
  void wake(const std::string& item, Instant due = kStart) { loop.wake({.controller = 0, .name = item}, due); }
};

TEST(Loop, AStageWaitsForTheOneBeforeIt) {
  ToyWorld world;
  Plan plan;
  plan.write(create("a"));
  plan.write(create("b"));
  plan.then();
  plan.write(create("c"));
  world.mind.plans.push_back(std::move(plan));
  world.wake("x");
  world.loop.step(kStart);
  EXPECT_THAT(world.server.log, ElementsAre("create a", "create b", "create c"));
  EXPECT_THAT(world.mind.known, ElementsAre("a", "b", "c")) << "own writes are learned without a watch";
  EXPECT_EQ(world.loop.next_due(), std::nullopt);
}

TEST(Loop, ARefusalEndsThePlanAndBringsItBackLater) {
  ToyWorld world;
  world.server.refusing = {"a"};
  Plan plan;
  plan.write(create("a"));
  plan.write(create("b"));
  plan.then();
  plan.write(create("c"));
  world.mind.plans.push_back(std::move(plan));
  world.wake("x");
  world.loop.step(kStart);
  EXPECT_THAT(world.server.log, ElementsAre("create a", "create b", testing::StartsWith("create x.")));
  EXPECT_THAT(world.mind.refusals, ElementsAre("x pods 500"));
  ASSERT_TRUE(world.loop.next_due().has_value());
  EXPECT_EQ(*world.loop.next_due(), kStart + kFirstRetry);
  world.loop.step(kStart + kFirstRetry);
  EXPECT_THAT(world.mind.planned, ElementsAre("x", "x"));
  EXPECT_EQ(world.loop.figures().refused, 1U);
}

TEST(Loop, NothingIsPlannedBeforeEverythingIsKnown) {
  ToyWorld world;
  world.loop.follow(KindId(1U), {.group = "flow.volcano.sh", .version = "v1alpha1", .plural = "jobflows"});
  world.server.put("there");
  world.wake("x");
  world.server.served = false;  // a kind that nobody serves has no objects
  world.loop.step(kStart);
  EXPECT_THAT(world.mind.planned, ElementsAre("x"));
  EXPECT_TRUE(world.mind.known.empty());
  world.server.served = true;
  world.loop.step(kStart + kLastRetry);
  EXPECT_THAT(world.mind.known, ElementsAre("there")) << "and is looked for again";
}

TEST(Loop, AListForgetsWhatIsGone) {
  ToyWorld world;
  world.server.put("a");
  world.server.put("b");
  world.loop.step(kStart);
  EXPECT_THAT(world.mind.known, ElementsAre("a", "b"));
  world.server.objects.erase("a");
  world.server.push(client::EventType::Error, nullptr);  // the watch is over
  world.loop.step(kStart);
  EXPECT_THAT(world.mind.known, ElementsAre("b"));
  world.server.push(client::EventType::Deleted, world.server.objects["b"]);
  world.loop.step(kStart);
  EXPECT_TRUE(world.mind.known.empty());
}

TEST(Loop, LooksAgainWhenThePlanSaysSo) {
  ToyWorld world;
  Plan plan;
  plan.look_again(kStart + Duration::seconds(30));
  plan.look_again(kStart + Duration::seconds(20));
  world.mind.plans.push_back(std::move(plan));
  world.wake("x");
  world.loop.step(kStart);
  EXPECT_EQ(world.loop.next_due(), kStart + Duration::seconds(20));
  world.loop.step(kStart + Duration::seconds(19));
  EXPECT_THAT(world.mind.planned, ElementsAre("x"));
  world.loop.step(kStart + Duration::seconds(20));
  EXPECT_THAT(world.mind.planned, ElementsAre("x", "x"));
}

TEST(Loop, WithoutAProberNoProbeIsGood) {
  ToyWorld world;
  Plan plan;
  plan.asks.emplace_back(Probe{.host = "h", .port = 80});
  world.mind.plans.push_back(std::move(plan));
  world.wake("x");
  world.loop.step(kStart);
  EXPECT_THAT(world.mind.answers, ElementsAre(false));
  EXPECT_EQ(world.loop.next_due(), kStart + kFirstRetry);
}

TEST(EventLog, TellsOnceAndThenCounts) {
  EventLog log("toy");
  const Note note{.regarding = {{"name", "j"}, {"namespace", "ns"}, {"uid", "u1"}}, .reason = "R", .message = "m"};
  const auto first = log.tell(note, kStart);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->verb, api::Verb::Create);
  EXPECT_EQ(first->namespace_name, "ns");
  EXPECT_EQ(log.tell(note, kStart + Duration::seconds(59)), std::nullopt);
  const auto later = log.tell(note, kStart + Duration::seconds(60));
  ASSERT_TRUE(later);
  EXPECT_EQ(later->verb, api::Verb::Patch);
  EXPECT_EQ(later->name, api::name_of(first->body.get_object()));
  EXPECT_EQ(api::int_at(later->body.get_object(), {"count"}), 3);
}

}  // namespace
}  // namespace basalt::loop
