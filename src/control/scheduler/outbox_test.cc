#include "control/scheduler/outbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace basalt::scheduler {
namespace {

using testing::ElementsAre;

// Keeps calls open until the test answers them.
class SlowServer final : public client::ObjectClient {
 public:
  void send(api::Call call, std::function<void(client::Outcome)> done) override {
    sent.push_back(call.name);
    if (at_once) return done(client::Reply{});
    open.push_back(std::move(done));
  }
  std::unique_ptr<client::Watch> watch(api::Call /*call*/, std::function<void(client::WatchEvent)> /*r*/) override {
    return nullptr;
  }
  void answer_all() {
    for (auto& done : std::exchange(open, {})) done(client::Reply{});
  }
  std::vector<std::string> sent;
  std::vector<std::function<void(client::Outcome)>> open;
  bool at_once = false;
};

Errand errand(Duty duty, std::string key, std::string name) {
  Errand made{.duty = duty, .key = std::move(key)};
  made.call.name = std::move(name);
  return made;
}

struct OutboxTest : testing::Test {
  SlowServer server;
  loop::Bell bell;
  Outbox outbox{server, bell, 3};
  ~OutboxTest() override { server.answer_all(); }
};

TEST_F(OutboxTest, OneErrandAboutAnObjectAtATimeInOrder) {
  outbox.post(errand(Duty::MarkVictim, "a", "mark"));
  outbox.post(errand(Duty::DeleteVictim, "a", "delete"));
  outbox.post(errand(Duty::WriteGroup, "a", "group of the same name"));
  EXPECT_EQ(outbox.pump(), 2U);
  EXPECT_THAT(server.sent, ElementsAre("mark", "group of the same name"));
  server.answer_all();
  EXPECT_EQ(outbox.take().size(), 2U);
  EXPECT_EQ(outbox.pump(), 1U);
  EXPECT_THAT(server.sent, ElementsAre("mark", "group of the same name", "delete"));
}

TEST_F(OutboxTest, DecisionsOvertakeStatusAndStatusOvertakesEvents) {
  outbox.post(errand(Duty::Tell, "", "event"));
  outbox.post(errand(Duty::WritePod, "a", "condition"));
  outbox.post(errand(Duty::Bind, "b", "bind"));
  outbox.pump();
  EXPECT_THAT(server.sent, ElementsAre("bind", "condition", "event"));
}

TEST_F(OutboxTest, IsDecidingUntilTheLastAnswerIsTaken) {
  outbox.post(errand(Duty::WriteGroup, "g", "status"));
  outbox.pump();
  EXPECT_FALSE(outbox.is_deciding());
  outbox.post(errand(Duty::Bind, "b", "bind"));
  EXPECT_TRUE(outbox.is_deciding()) << "it waits";
  outbox.pump();
  EXPECT_TRUE(outbox.is_deciding()) << "it is under way";
  server.answer_all();
  EXPECT_EQ(outbox.take().size(), 2U);
  EXPECT_FALSE(outbox.is_deciding());
}

TEST_F(OutboxTest, NoMoreThanItsBoundIsUnderWay) {
  for (int i = 0; i < 5; ++i) outbox.post(errand(Duty::Bind, std::to_string(i), std::to_string(i)));
  EXPECT_EQ(outbox.pump(), 3U);
  EXPECT_FALSE(outbox.can_send());
  EXPECT_EQ(outbox.decisions_waiting(), 2U);
  EXPECT_TRUE(outbox.is_deciding());
  server.answer_all();
  EXPECT_EQ(outbox.pump(), 0U);  // answers that were not taken count
  EXPECT_EQ(outbox.take().size(), 3U);
  EXPECT_EQ(outbox.pump(), 2U);
}

TEST_F(OutboxTest, StatusLeavesConnectionsToDecisions) {
  Outbox wide(server, bell, 1000);
  for (size_t i = 0; i < 2 * kMaxStatusUnderWay; ++i) {
    wide.post(errand(Duty::WritePod, std::to_string(i), "status"));
  }
  EXPECT_EQ(wide.pump(), kMaxStatusUnderWay);
  EXPECT_FALSE(wide.can_send());
  wide.post(errand(Duty::Tell, "", "event"));
  EXPECT_FALSE(wide.can_send()) << "status waits";
  wide.post(errand(Duty::Bind, "b", "bind"));
  EXPECT_EQ(wide.pump(), 1U);
  EXPECT_EQ(server.sent.back(), "bind");
  server.answer_all();
  EXPECT_EQ(wide.take().size(), kMaxStatusUnderWay + 1);
  EXPECT_EQ(wide.pump(), kMaxStatusUnderWay + 1) << "the event goes behind the last status";
  server.answer_all();
}

TEST_F(OutboxTest, AnswersInsideSendAreTakenInOrder) {
  server.at_once = true;
  for (int i = 0; i < 2; ++i) outbox.post(errand(Duty::Bind, std::to_string(i), std::to_string(i)));
  EXPECT_EQ(outbox.pump(), 2U);
  const std::vector<Answer> answers = outbox.take();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].errand.key, "0");
  EXPECT_EQ(answers[1].errand.key, "1");
  EXPECT_TRUE(bell.wait(Duration{0}));
}

}  // namespace
}  // namespace basalt::scheduler
