#include "control/scheduler/write_queue.h"

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
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
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
  std::vector<std::function<void(client::ReplyOrError)>> open;
  bool at_once = false;
};

PendingWrite write(WriteKind kind, std::string key, std::string name) {
  PendingWrite made{.kind = kind, .key = std::move(key)};
  made.call.name = std::move(name);
  return made;
}

struct WriteQueueTest : testing::Test {
  SlowServer server;
  loop::WakeUp wake_up;
  WriteQueue queue{server, wake_up, 3};
  ~WriteQueueTest() override { server.answer_all(); }
};

TEST_F(WriteQueueTest, OneWriteAboutAnObjectAtATimeInOrder) {
  queue.post(write(WriteKind::MarkVictim, "a", "mark"));
  queue.post(write(WriteKind::DeleteVictim, "a", "delete"));
  queue.post(write(WriteKind::WriteGroup, "a", "group of the same name"));
  EXPECT_EQ(queue.pump(), 2U);
  EXPECT_THAT(server.sent, ElementsAre("mark", "group of the same name"));
  server.answer_all();
  EXPECT_EQ(queue.take().size(), 2U);
  EXPECT_EQ(queue.pump(), 1U);
  EXPECT_THAT(server.sent, ElementsAre("mark", "group of the same name", "delete"));
}

TEST_F(WriteQueueTest, DecisionsOvertakeStatusAndStatusOvertakesEvents) {
  queue.post(write(WriteKind::SendEvent, "", "event"));
  queue.post(write(WriteKind::WritePod, "a", "condition"));
  queue.post(write(WriteKind::Bind, "b", "bind"));
  queue.pump();
  EXPECT_THAT(server.sent, ElementsAre("bind", "condition", "event"));
}

TEST_F(WriteQueueTest, IsDecidingUntilTheLastAnswerIsTaken) {
  queue.post(write(WriteKind::WriteGroup, "g", "status"));
  queue.pump();
  EXPECT_FALSE(queue.is_deciding());
  queue.post(write(WriteKind::Bind, "b", "bind"));
  EXPECT_TRUE(queue.is_deciding()) << "it waits";
  queue.pump();
  EXPECT_TRUE(queue.is_deciding()) << "it is under way";
  server.answer_all();
  EXPECT_EQ(queue.take().size(), 2U);
  EXPECT_FALSE(queue.is_deciding());
}

TEST_F(WriteQueueTest, NoMoreThanItsBoundIsUnderWay) {
  for (int i = 0; i < 5; ++i) queue.post(write(WriteKind::Bind, std::to_string(i), std::to_string(i)));
  EXPECT_EQ(queue.pump(), 3U);
  EXPECT_FALSE(queue.can_send());
  EXPECT_EQ(queue.decisions_waiting(), 2U);
  EXPECT_TRUE(queue.is_deciding());
  server.answer_all();
  EXPECT_EQ(queue.pump(), 0U);  // answers that were not taken count
  EXPECT_EQ(queue.take().size(), 3U);
  EXPECT_EQ(queue.pump(), 2U);
}

TEST_F(WriteQueueTest, StatusLeavesConnectionsToDecisions) {
  WriteQueue wide(server, wake_up, 1000);
  for (size_t i = 0; i < 2 * kMaxStatusUnderWay; ++i) {
    wide.post(write(WriteKind::WritePod, std::to_string(i), "status"));
  }
  EXPECT_EQ(wide.pump(), kMaxStatusUnderWay);
  EXPECT_FALSE(wide.can_send());
  wide.post(write(WriteKind::SendEvent, "", "event"));
  EXPECT_FALSE(wide.can_send()) << "status waits";
  wide.post(write(WriteKind::Bind, "b", "bind"));
  EXPECT_EQ(wide.pump(), 1U);
  EXPECT_EQ(server.sent.back(), "bind");
  server.answer_all();
  EXPECT_EQ(wide.take().size(), kMaxStatusUnderWay + 1);
  EXPECT_EQ(wide.pump(), kMaxStatusUnderWay + 1) << "the event goes behind the last status";
  server.answer_all();
}

TEST_F(WriteQueueTest, AnswersInsideSendAreTakenInOrder) {
  server.at_once = true;
  for (int i = 0; i < 2; ++i) queue.post(write(WriteKind::Bind, std::to_string(i), std::to_string(i)));
  EXPECT_EQ(queue.pump(), 2U);
  const std::vector<CompletedWrite> answers = queue.take();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].write.key, "0");
  EXPECT_EQ(answers[1].write.key, "1");
  EXPECT_TRUE(wake_up.wait(Duration{0}));
}

}  // namespace
}  // namespace basalt::scheduler
