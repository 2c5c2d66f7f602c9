#include "programs/webhook/live_reviews.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kube/api/object_fields.h"
#include "kube/text/yaml.h"
#include "programs/webhook/answer_review.h"

namespace basalt::webhook {
namespace {

constexpr Instant kAsked = Instant::from_unix_seconds(1'000);

// Keeps every question until the test answers it.
class Questions final : public client::ObjectClient {
 public:
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    names.push_back(call.name);
    open.push_back(std::move(done));
  }
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call /*call*/,
                                                     std::function<void(client::WatchEvent)> /*receive*/) override {
    return nullptr;
  }
  std::vector<std::string> names;
  std::vector<std::function<void(client::ReplyOrError)>> open;
};

class LiveReviewTest : public testing::Test {
 protected:
  // A review of a queue or a job; the answer is appended as by ask().
  void review(const std::string& path, const std::string& operation, const std::string& name,
              const std::string& object) {
    const admission::Webhook& webhook = *webhook_at(path);
    AdmissionReview review{.uid = "u",
                           .operation = operation,
                           .name = name,
                           .namespace_name = "",
                           .resource = {.group = std::string(webhook.group),
                                        .version = std::string(webhook.version),
                                        .plural = std::string(webhook.plural)},
                           .subresource = "",
                           .object = {},
                           .old = {}};
    if (!object.empty()) review.object = text::parse_yaml(object)->value.get_object();
    reviews_.answer(webhook, std::move(review), options_, kAsked,
                    [this](const AdmissionReview&, const ReviewResponse& answer) {
                      answers_.push_back(answer.verdict ? "" : answer.verdict.error());
                    });
  }
  // What the watch told last.
  void heard(const std::string& queue) {
    known_->learn(CachedKind::Queue, std::make_shared<const text::Value>(text::parse_yaml(queue)->value));
  }
  // The API answers all that is open, from `queues` as they are by now.
  void api_has(const std::vector<std::string>& queues) {
    client::Reply all;
    for (const std::string& queue : queues) all.items.push_back(found(queue)->object);
    for (size_t i = answered_; i < api_.open.size(); answered_ = ++i) {
      client::ReplyOrError outcome = all;
      if (!api_.names[i].empty()) {
        outcome = std::unexpected(api::not_found("scheduling.volcano.sh", "queues", api_.names[i]));
        for (const client::ObjectPtr& queue : all.items) {
          if (api::name_of(queue->get_object()) == api_.names[i]) outcome = client::Reply{.object = queue};
        }
      }
      api_.open[i](outcome);
    }
  }

  // A PodGroup into a queue that is not known. The answers are appended to answers_: "" or the refusal.
  void ask(const std::string& queue) {
    AdmissionReview review{
        .uid = "u",
        .operation = "CREATE",
        .name = "g",
        .namespace_name = "team",
        .resource = {.group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "podgroups"},
        .subresource = "",
        .object = text::parse_yaml("{metadata: {name: g}, spec: {queue: " + queue + "}}")->value.get_object(),
        .old = {}};
    reviews_.answer(*webhook_at("/podgroups/validate"), std::move(review), options_, kAsked,
                    [this](const AdmissionReview&, const ReviewResponse& answer) {
                      answers_.push_back(answer.verdict ? "" : answer.verdict.error());
                    });
  }
  static client::ReplyOrError found(std::string_view yaml) {
    return client::Reply{.object = std::make_shared<const text::Value>(text::parse_yaml(yaml)->value)};
  }

  Questions api_;
  std::vector<std::string> answers_;
  std::shared_ptr<const admission::VolcanoAdmissionOptions> options_ =
      std::make_shared<const admission::VolcanoAdmissionOptions>();
  std::shared_ptr<AdmissionCache> known_ = std::make_shared<AdmissionCache>();
  size_t answered_ = 0;
  LiveReviews reviews_{api_, known_};
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
  reviews_.sweep(kAsked + kLiveQueryTimeout + Duration{-1});
  EXPECT_TRUE(answers_.empty());
  reviews_.sweep(kAsked + kLiveQueryTimeout);
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

// One for each rule that looks at other queues: the watch lags, and the API knows better.
constexpr const char* kOpen = "{metadata: {name: dept}, status: {state: Open}}";
constexpr const char* kChild = "{metadata: {name: team}, spec: {parent: dept}, status: {state: Open}}";

TEST_F(LiveReviewTest, AQueueWhoseLastChildIsGoneCanBeDeleted) {
  heard(kOpen);
  heard(kChild);
  review("/queues/validate", "DELETE", "dept", "");
  EXPECT_TRUE(answers_.empty()) << "not refused for what the watch has not told yet";
  api_has({kOpen});
  EXPECT_EQ(answers_, std::vector<std::string>{""});
  review("/queues/validate", "DELETE", "dept", "");
  api_has({kOpen, kChild});
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_TRUE(answers_[1].starts_with("queue dept can not be deleted because it has 1 child queues: team"))
      << answers_[1];
}

TEST_F(LiveReviewTest, AQueueThatIsEmptyByNowCanBeDeleted) {
  options_ = std::make_shared<const admission::VolcanoAdmissionOptions>(
      admission::VolcanoAdmissionOptions{.check_allocated_pods = true});
  heard("{metadata: {name: dept}, status: {state: Open, allocated: {pods: '3'}}}");
  review("/queues/validate", "DELETE", "dept", "");
  EXPECT_TRUE(answers_.empty());
  api_has({kOpen});
  EXPECT_EQ(answers_, std::vector<std::string>{""});
}

TEST_F(LiveReviewTest, AQueueOfWhichTheWatchHasNotToldCanBeDeleted) {
  review("/queues/validate", "DELETE", "dept", "");
  EXPECT_TRUE(answers_.empty());
  api_has({kOpen});
  EXPECT_EQ(answers_, std::vector<std::string>{""});
}

TEST_F(LiveReviewTest, AJobGoesIntoAQueueThatHasNoChildrenAnyMore) {
  heard(kOpen);
  heard(kChild);
  review("/jobs/validate", "CREATE", "j",
         "{metadata: {name: j, namespace: team}, spec: {queue: dept, schedulerName: volcano, minAvailable: 1, tasks: "
         "[{name: t, replicas: 1, template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}]}}");
  EXPECT_TRUE(answers_.empty());
  api_has({kOpen});
  EXPECT_EQ(answers_, std::vector<std::string>{""});
}

TEST_F(LiveReviewTest, APathBelowAQueueThatIsGoneIsFree) {
  heard("{metadata: {name: old, annotations: {volcano.sh/hierarchy: root/a/b, volcano.sh/hierarchy-weights: 1/1/1}}}");
  review("/queues/validate", "CREATE", "new",
         "{metadata: {name: new, annotations: {volcano.sh/hierarchy: root/a, volcano.sh/hierarchy-weights: 1/1}}}");
  EXPECT_TRUE(answers_.empty());
  api_has({});
  EXPECT_EQ(answers_, std::vector<std::string>{""});
}

TEST_F(LiveReviewTest, AParentThatIsNewOrHasBecomeEmptyTakesChildren) {
  review("/queues/validate", "CREATE", "team", kChild);
  EXPECT_TRUE(answers_.empty()) << "its parent is not known yet";
  api_has({kOpen});
  EXPECT_EQ(answers_, std::vector<std::string>{""});
  heard("{metadata: {name: dept}, status: {state: Open, allocated: {pods: '3'}}}");
  review("/queues/validate", "CREATE", "team", kChild);
  EXPECT_EQ(answers_.size(), 1U) << "its parent runs pods no more";
  api_has({kOpen});
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_EQ(answers_[1], "");
}

TEST_F(LiveReviewTest, WhatASiblingThatIsGoneWasGuaranteedIsFree) {
  const std::string parent =
      "{metadata: {name: dept}, spec: {guarantee: {resource: {cpu: '4'}}, deserved: {cpu: '4'}}, status: {state: "
      "Open}}";
  heard(parent);
  heard("{metadata: {name: old}, spec: {parent: dept, guarantee: {resource: {cpu: '4'}}, deserved: {cpu: '4'}}}");
  review("/queues/validate", "CREATE", "new",
         "{metadata: {name: new}, spec: {parent: dept, guarantee: {resource: {cpu: '4'}}, deserved: {cpu: '4'}}}");
  EXPECT_TRUE(answers_.empty());
  api_has({parent});
  EXPECT_EQ(answers_, std::vector<std::string>{""});
}

}  // namespace
}  // namespace basalt::webhook
