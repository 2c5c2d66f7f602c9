#include "programs/lease/deadline_caller.h"

#include <gtest/gtest.h>

#include <thread>

#include "kube/client/boot_clock.h"
#include "kube/client/https_object_client.h"
#include "programs/lease/fenced_client.h"

namespace basalt::lease {
namespace {

// Answers when it is told to.
class SlowClient final : public client::ObjectClient {
 public:
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    names.push_back(call.name);
    waiting.push_back(std::move(done));
    if (at_once) answer(waiting.size() - 1, names.back());
  }
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call /*call*/,
                                                     std::function<void(client::WatchEvent)> /*receive*/) override {
    ++watches;
    return nullptr;
  }
  void answer(size_t which, const std::string& version) {
    client::Reply reply;
    reply.resource_version = version;
    waiting[which](std::move(reply));
  }
  std::vector<std::string> names;
  std::vector<std::function<void(client::ReplyOrError)>> waiting;
  bool at_once = true;
  int watches = 0;
};

Instant far_away() { return client::boot_clock() + Duration::seconds(3600); }

TEST(DeadlineCaller, WaitForTheAnswer) {
  SlowClient client;
  DeadlineCaller calls(client);
  EXPECT_EQ(calls.ask({.name = "a"}, far_away())->resource_version, "a");
  EXPECT_EQ(calls.ask({.name = "b"}, client::boot_clock())->resource_version, "b") << "what is there already is taken";
}

TEST(DeadlineCaller, AnswersThatComeTooLateAreDropped) {
  SlowClient client;
  auto calls = std::make_unique<DeadlineCaller>(client);
  client.at_once = false;
  const auto late = calls->ask({.name = "a"}, client::boot_clock());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().reason, client::kReasonNoAnswer);
  client.answer(0, "a");
  EXPECT_FALSE(calls->ask({.name = "b"}, client::boot_clock())) << "the answer was to another question";
  calls.reset();
  client.answer(1, "b");  // after the end of it
}

TEST(DeadlineCaller, AnotherThreadMayGiveUp) {
  SlowClient client;
  DeadlineCaller calls(client);
  client.at_once = false;
  {
    const std::jthread other([&] { calls.give_up(); });
    EXPECT_FALSE(calls.ask({.name = "a"}, far_away()));
  }
  EXPECT_FALSE(calls.ask({.name = "b"}, far_away())) << "until resume()";
  calls.resume();
  client.at_once = true;
  EXPECT_TRUE(calls.ask({.name = "c"}, far_away()));
}

TEST(FencedClient, AsksForEachWriteAndForNothingElse) {
  SlowClient client;
  bool may_write = false;
  int asked = 0;
  FencedClient fenced(client, [&] {
    ++asked;
    return may_write;
  });
  EXPECT_TRUE(fenced.call({.verb = api::Verb::Get, .name = "get"}));
  EXPECT_TRUE(fenced.call({.verb = api::Verb::List, .name = "list"}));
  (void)fenced.watch({.verb = api::Verb::Watch}, {});
  EXPECT_EQ(client.watches, 1);
  EXPECT_EQ(asked, 0);
  const auto refused = fenced.call({.verb = api::Verb::Patch, .name = "patch"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 503);
  EXPECT_EQ(refused.error().reason, client::kReasonNotReached);
  may_write = true;
  EXPECT_TRUE(fenced.call({.verb = api::Verb::Delete, .name = "delete"}));
  EXPECT_EQ(client.names, (std::vector<std::string>{"get", "list", "delete"}));
}

}  // namespace
}  // namespace basalt::lease
