#include "control/loop/control_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <string>
#include <vector>

#include "kube/api/object_fields.h"

namespace basalt::loop {
namespace {

using testing::ElementsAre;

constexpr Instant kLoopStart = Instant::from_unix_seconds(1'700'000'000);
const api::GroupVersionResource kLoopPods{.group = "", .version = "v1", .plural = "pods"};
const KindId kLoopPodKind(0U);

client::ObjectPtr object_called(const std::string& name) {
  return std::make_shared<const text::Value>(
      text::Object{{"metadata", text::Object{{"name", name}, {"resourceVersion", "2"}}}});
}

// Answers lists with what the test put into it; watches stay open and can be driven.
class ListServer final : public client::ObjectClient {
 public:
  void send(api::Call /*call*/, std::function<void(client::ReplyOrError)> done) override {
    if (!served) return done(std::unexpected(api::internal_error("away")));
    client::Reply reply{.resource_version = "1"};
    for (const std::string& name : names) reply.items.push_back(object_called(name));
    done(std::move(reply));
  }
  std::unique_ptr<client::Watch> watch(api::Call /*call*/, std::function<void(client::WatchEvent)> receive) override {
    receive_ = std::move(receive);
    return std::make_unique<client::Watch>();
  }
  void push(client::WatchEventType type, const client::ObjectPtr& object) {
    receive_({.type = type, .object = object});
  }

  std::vector<std::string> names;
  bool served = true;

 private:
  std::function<void(client::WatchEvent)> receive_;
};

// Writes down what the loop calls, in order. Busy: every turn says that it did something.
class RecordingWork : public LoopWork {
 public:
  void object_changed(KindId /*kind*/, const client::ObjectPtr& object, Source source, Instant /*now*/) override {
    known.emplace_back(api::name_of(object->get_object()));
    calls.push_back((source == Source::List ? "listed " : "watched ") + known.back());
  }
  void object_deleted(KindId /*kind*/, const text::Object& last, Instant /*now*/) override {
    calls.push_back("deleted " + std::string(api::name_of(last)));
  }
  void object_gone(KindId /*kind*/, const std::string& key, Instant /*now*/) override {
    calls.push_back("gone " + key);
  }
  [[nodiscard]] std::vector<std::string> keys(KindId /*kind*/) const override { return known; }
  bool turn(Instant now, bool heard) override {
    turns.push_back(now);
    if (heard) calls.emplace_back("turn");
    return busy;
  }
  [[nodiscard]] std::optional<Instant> work_due() const override { return due; }
  void before_step(Instant /*now*/) override { calls.emplace_back("before"); }
  void after_step() override { calls.emplace_back("after"); }

  std::vector<std::string> calls, known;
  std::vector<Instant> turns;
  bool busy = false;
  std::optional<Instant> due;
};

TEST(ControlLoop, WhatWasHeardComesBeforeTheTurn) {
  ListServer server;
  server.names = {"a"};
  RecordingWork work;
  ControlLoop loop(server, work, {});
  loop.follow(kLoopPodKind, kLoopPods);
  loop.step(kLoopStart);
  EXPECT_TRUE(loop.is_synced());
  EXPECT_THAT(work.calls, ElementsAre("before", "listed a", "after"));

  work.calls.clear();
  server.push(client::WatchEventType::Modified, object_called("a"));
  server.push(client::WatchEventType::Deleted, object_called("a"));
  loop.step(kLoopStart);
  EXPECT_THAT(work.calls, ElementsAre("before", "watched a", "deleted a", "turn", "after"));
}

TEST(ControlLoop, WhatAListNoLongerHasIsGone) {
  ListServer server;
  server.names = {"b"};
  RecordingWork work;
  work.known = {"a"};
  ControlLoop loop(server, work, {});
  loop.follow(kLoopPodKind, kLoopPods);
  loop.step(kLoopStart);
  EXPECT_THAT(work.calls, ElementsAre("before", "listed b", "gone a", "after"));
}

TEST(ControlLoop, HealthNamesWhatIsNotListedYet) {
  ListServer server;
  server.served = false;
  RecordingWork work;
  ControlLoop loop(server, work, {});
  loop.follow(kLoopPodKind, kLoopPods);
  loop.step(kLoopStart);
  EXPECT_FALSE(loop.is_synced());
  EXPECT_EQ(loop.health().unsynced(), "pods");
  server.served = true;
  loop.step(*loop.next_due());
  EXPECT_EQ(loop.health().unsynced(), "");
}

TEST(ControlLoop, AStepEndsThoughTheWorkDoesNot) {
  ListServer server;
  RecordingWork work;
  work.busy = true;
  ControlLoop loop(server, work, {});
  loop.step(kLoopStart);
  EXPECT_EQ(work.turns.size(), kMaxTurnsPerStep);
  EXPECT_TRUE(std::ranges::all_of(work.turns, [](Instant at) { return at == kLoopStart; })) << "time stands still";
}

// Work that never rests until the clock has gone on by a tenth of a second. The clock goes on by being read.
class ImpatientWork final : public RecordingWork {
 public:
  bool turn(Instant now, bool heard) override {
    RecordingWork::turn(now, heard);
    if (now - turns.front() < Duration::millis(100)) return true;
    if (!std::exchange(told_, true)) done.set_value(turns.size());
    return false;
  }
  std::promise<size_t> done;

 private:
  bool told_ = false;
};

TEST(ControlLoop, TimeGoesOnInAThreadThatIsAlwaysBusy) {
  ListServer server;
  ImpatientWork work;
  int64_t reads = 0;  // by the loop's thread only
  ControlLoop loop(server, work, {.clock = [&] { return kLoopStart + Duration::millis(++reads); }, .batch_delay = {}});
  loop.start();
  const size_t turns = work.done.get_future().get();
  loop.stop();
  EXPECT_LE(turns, 101U) << "what is due in a tenth of a second does not wait for the end of the step";
}

}  // namespace
}  // namespace basalt::loop
