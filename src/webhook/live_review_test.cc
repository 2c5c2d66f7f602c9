#include "webhook/live_review.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/yaml.h"
#include "webhook/answer_review.h"

namespace basalt::webhook {
namespace {

constexpr Instant kAsked = Instant::from_unix_seconds(1'000);

// Keeps every question until the test answers it.
class Questions final : public client::ObjectClient {
 public:
  void send(api::Call call, std::function<void(client::Outcome)> done) override {
    names.push_back(call.name);
    open.push_back(std::move(done));
  }
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call /*call*/,
                                                     std::function<void(client::WatchEvent)> /*receive*/) override {
    return nullptr;
  }
  std::vector<std::string> names;
  std::vector<std::function<void(client::Outcome)>> open;
};

class LiveReviewTest : public testing::Test {
 protected:
  // A PodGroup into a queue that is not known. The answers are appended to answers_: "" or the refusal.
  void ask(const std::string& queue) {
    Review review{.uid = "u",
                  .operation = "CREATE",
                  .name = "g",
                  .name_space = "team",
                  .resource = {.group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "podgroups"},
                  .subresource = "",
                  .object = text::parse_yaml("{metadata: {name: g}, spec: {queue: " + queue + "}}")->value.get_object(),
                  .old = {}};
    reviews_.answer(*webhook_at("/podgroups/validate"), std::move(review), options_, kAsked,
                    [this](const Review&, const Answer& answer) {
                      answers_.push_back(answer.verdict ? "" : answer.verdict.error());
                    });
  }
  static client::Outcome found(std::string_view yaml) {
    return client::Reply{.object = std::make_shared<const text::Value>(text::parse_yaml(yaml)->value)};
  }

  Questions api_;
  std::vector<std::string> answers_;
  std::shared_ptr<const admission::Options> options_ = std::make_shared<const admission::Options>();
  LiveReviews reviews_{api_, std::make_shared<const KnownObjects>()};
};

TEST_F(LiveReviewTest, WaitsForTheAnswer) {
  ask("q");
  EXPECT_TRUE(answers_.empty());
  EXPECT_EQ(api_.names, std::vector<std::string>{"q"});
  api_.open[0](found("{metadata: {name: q}, status: {state: Open}}"));
  EXPECT_EQ(answers_, std::vector<std::string>{""});
  EXPECT_EQ(reviews_.asked(), 1U);
}

TEST_F(LiveReviewTest, AnswersWithWhatIsKnownWhenTheApiDoesNot) {
  ask("q");
  api_.open[0](std::unexpected(api::unavailable("away")));
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_TRUE(answers_[0].starts_with("unable to find queue: ")) << answers_[0];
  ask("r");
  api_.open[1](found("[]"));
  EXPECT_EQ(answers_.size(), 2U);
}

TEST_F(LiveReviewTest, DoesNotWaitForEver) {
  ask("q");
  reviews_.sweep(kAsked + kLongestQuestion + Duration{-1});
  EXPECT_TRUE(answers_.empty());
  reviews_.sweep(kAsked + kLongestQuestion);
  EXPECT_EQ(answers_.size(), 1U);
  api_.open[0](found("{metadata: {name: q}, status: {state: Open}}"));
  EXPECT_EQ(answers_.size(), 1U) << "answered once";
}

TEST_F(LiveReviewTest, AsksForAFewAtATime) {
  for (size_t i = 0; i < kMaxReviewsAsking; ++i) ask("q");
  EXPECT_TRUE(answers_.empty());
  ask("q");
  EXPECT_EQ(answers_.size(), 1U) << "answered from what is known";
  EXPECT_EQ(api_.open.size(), kMaxReviewsAsking);
}

TEST_F(LiveReviewTest, AnswersAllWhenItStops) {
  ask("q");
  ask("r");
  reviews_.stop();
  EXPECT_EQ(answers_.size(), 2U);
  ask("s");
  EXPECT_EQ(answers_.size(), 3U);
  for (auto& done : api_.open) done(std::unexpected(api::unavailable("late")));
  EXPECT_EQ(answers_.size(), 3U);
}

}  // namespace
}  // namespace basalt::webhook
