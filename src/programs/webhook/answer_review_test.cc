#include "programs/webhook/answer_review.h"

#include <gtest/gtest.h>

#include <string>

#include "kube/api/object_fields.h"
#include "kube/text/patch.h"
#include "kube/text/text_test_values.h"
#include "kube/text/yaml.h"
#include "programs/webhook/review_view.h"

namespace basalt::webhook {
namespace {

using text::object_of;

client::ObjectPtr shared(std::string_view yaml) { return std::make_shared<const text::Value>(object_of(yaml)); }

constexpr std::string_view kOpenQueue = "{metadata: {name: q, resourceVersion: '5'}, status: {state: Open}}";
constexpr std::string_view kJob =
    "{metadata: {name: j, namespace: team}, spec: {queue: q, schedulerName: volcano, minAvailable: 1, maxRetry: 3, "
    "tasks: [{name: w, replicas: 1, minAvailable: 1, maxRetry: 3, template: {spec: {restartPolicy: Never, "
    "containers: [{name: c, image: i}]}}}]}}";

class AnswerTest : public testing::Test {
 protected:
  AnswerTest() { known_.learn(CachedKind::Queue, shared("{metadata: {name: default}, status: {state: Open}}")); }

  static AdmissionReview review_of(std::string_view path, std::string operation, std::string_view object,
                                   std::string_view old = "") {
    const admission::Webhook* webhook = webhook_at(path);
    AdmissionReview review{.uid = "u",
                           .operation = std::move(operation),
                           .name = "j",
                           .namespace_name = "team",
                           .resource = {.group = std::string(webhook->group),
                                        .version = std::string(webhook->version),
                                        .plural = std::string(webhook->plural)},
                           .subresource = "",
                           .object = {},
                           .old = {}};
    if (!object.empty()) review.object = object_of(object);
    if (!old.empty()) review.old = object_of(old);
    return review;
  }
  ReviewResponse answer(std::string_view path, const AdmissionReview& review) {
    return answer_review(*webhook_at(path), review, view_.lookup(), options_);
  }
  std::string refusal(std::string_view path, const AdmissionReview& review) {
    const ReviewResponse given = answer(path, review);
    return given.verdict ? "" : given.verdict.error();
  }
  std::vector<LiveQuery> questions(std::string_view path, const AdmissionReview& review) {
    const bool refused = !answer(path, review).verdict.has_value();
    return view_.questions(refused);
  }

  AdmissionCache known_;
  ReviewView view_{known_};
  admission::VolcanoAdmissionOptions options_;
};

TEST_F(AnswerTest, PatchesWhatMutationFillsIn) {
  const AdmissionReview review = review_of(
      "/jobs/mutate", "CREATE", "{metadata: {name: j}, spec: {tasks: [{replicas: 2, template: {spec: {}}}]}}");
  const ReviewResponse given = answer("/jobs/mutate", review);
  ASSERT_TRUE(given.verdict);
  const auto patched = text::json_patch(*review.object, given.patch);
  ASSERT_TRUE(patched);
  const text::Object& job = patched->get_object();
  EXPECT_EQ(api::string_at(job, {"spec", "queue"}), "default");
  EXPECT_EQ(api::int_at(job, {"spec", "minAvailable"}), 2);
  EXPECT_EQ(api::string_at(job, {"spec", "schedulerName"}), "volcano");
}

TEST_F(AnswerTest, RefusesInVolcanosWords) {
  EXPECT_TRUE(refusal("/jobs/validate", review_of("/jobs/validate", "CREATE", "{metadata: {name: j}, spec: {}}"))
                  .starts_with("No task specified in job spec"));
  EXPECT_EQ(refusal("/jobs/mutate", review_of("/jobs/mutate", "UPDATE", "{}", "{}")),
            "expect operation to be 'CREATE'");
  EXPECT_EQ(refusal("/queues/validate", review_of("/queues/validate", "CONNECT", "{}")),
            "invalid operation `CONNECT`, expect operation to be `CREATE`, `UPDATE` or `DELETE`");
  AdmissionReview other = review_of("/jobs/validate", "CREATE", kJob);
  other.resource.plural = "cronjobs";
  EXPECT_EQ(refusal("/jobs/validate", other), "expect resource to be {batch.volcano.sh v1alpha1 jobs}");
}

TEST_F(AnswerTest, AReviewWithoutItsObjectIsRefused) {
  EXPECT_NE(refusal("/jobs/validate", review_of("/jobs/validate", "CREATE", "")), "");
  EXPECT_NE(refusal("/jobs/validate", review_of("/jobs/validate", "UPDATE", kJob)), "");
  EXPECT_NE(refusal("/jobs/mutate", review_of("/jobs/mutate", "CREATE", "")), "");
}

TEST_F(AnswerTest, SubresourcesAreNotLookedAt) {
  AdmissionReview binding = review_of("/pods/mutate", "CREATE", "{kind: Binding}");
  binding.subresource = "binding";
  options_.gate_queue_admission = true;
  EXPECT_TRUE(answer("/pods/mutate", binding).patch.empty());
  AdmissionReview status = review_of("/jobs/validate", "UPDATE", "{}", "{}");
  status.subresource = "status";
  EXPECT_EQ(refusal("/jobs/validate", status), "");
}

TEST_F(AnswerTest, ADeletedQueueIsKnownByItsName) {
  AdmissionReview review = review_of("/queues/validate", "DELETE", "", "{metadata: {name: default}}");
  review.name = "default";
  EXPECT_TRUE(refusal("/queues/validate", review).starts_with("`default` queue can not be deleted"));
}

TEST_F(AnswerTest, ARefusalAsksForTheQueueFirst) {
  const AdmissionReview job = review_of("/jobs/validate", "CREATE", kJob);
  const std::vector<LiveQuery> asked = questions("/jobs/validate", job);
  ASSERT_EQ(asked, (std::vector<LiveQuery>{{.kind = QueryKind::Queue, .name = "q"}}));
  view_.learn(asked[0], shared(kOpenQueue));
  EXPECT_EQ(refusal("/jobs/validate", job), "");
}

TEST_F(AnswerTest, AQueueThatIsReallyNotThereIsAskedForOnce) {
  const AdmissionReview job = review_of("/jobs/validate", "CREATE", kJob);
  const std::vector<LiveQuery> asked = questions("/jobs/validate", job);
  ASSERT_EQ(asked.size(), 1U);
  view_.learn(asked[0], nullptr);
  EXPECT_TRUE(refusal("/jobs/validate", job).starts_with("unable to find job queue: "));
  EXPECT_TRUE(questions("/jobs/validate", job).empty());
}

TEST_F(AnswerTest, AClosedQueueIsAskedForAgain) {
  known_.learn(CachedKind::Queue, shared("{metadata: {name: q, resourceVersion: '4'}, status: {state: Closed}}"));
  const AdmissionReview job = review_of("/jobs/validate", "CREATE", kJob);
  const std::vector<LiveQuery> asked = questions("/jobs/validate", job);
  ASSERT_EQ(asked,
            (std::vector<LiveQuery>{{.kind = QueryKind::Queue, .name = ""}, {.kind = QueryKind::Queue, .name = "q"}}));
  view_.learn(asked[1], shared(kOpenQueue));
  EXPECT_EQ(refusal("/jobs/validate", job), "");
}

TEST_F(AnswerTest, WhatIsAllowedAsksNothing) {
  known_.learn(CachedKind::Queue, shared(kOpenQueue));
  EXPECT_TRUE(questions("/jobs/validate", review_of("/jobs/validate", "CREATE", kJob)).empty());
}

TEST_F(AnswerTest, MissingAncestorsOfAQueueAreAskedForTogether) {
  const AdmissionReview child =
      review_of("/queues/validate", "CREATE", "{metadata: {name: j}, spec: {weight: 1, parent: b}}");
  const std::vector<LiveQuery> asked = questions("/queues/validate", child);
  ASSERT_EQ(asked, (std::vector<LiveQuery>{{.kind = QueryKind::Queue, .name = ""}}));
  view_.learn_queues({shared("{metadata: {name: b}, spec: {parent: a}, status: {state: Open}}"),
                      shared("{metadata: {name: a}, status: {state: Open}}")});
  EXPECT_EQ(refusal("/queues/validate", child), "");
}

TEST_F(AnswerTest, AnUnknownNamespaceIsAskedForThoughNothingIsRefused) {
  const AdmissionReview group =
      review_of("/podgroups/mutate", "CREATE", "{metadata: {name: j}, spec: {queue: default}}");
  const std::vector<LiveQuery> asked = questions("/podgroups/mutate", group);
  ASSERT_EQ(asked, (std::vector<LiveQuery>{{.kind = QueryKind::Namespace, .name = "team"}}));
  view_.learn(asked[0], shared("{metadata: {name: team, annotations: {scheduling.volcano.sh/queue-name: theirs}}}"));
  const ReviewResponse given = answer("/podgroups/mutate", group);
  EXPECT_EQ(text::to_json(given.patch), R"([{"op":"replace","path":"/spec/queue","value":"theirs"}])");
}

TEST_F(AnswerTest, AJobThatNamesWhatDoesNotExistIsTakenWithAWarning) {
  known_.learn(CachedKind::Queue, shared(kOpenQueue));
  text::Object job = shared(kJob)->get_object();
  text::Object& spec = api::object_in(job, "spec");
  spec["priorityClassName"] = "urgent";
  spec["volumes"] = text::Array{text::Object{{"mountPath", "/d"}, {"volumeClaimName", "data"}}};
  api::metadata_of(job)["namespace"] = "team";
  const AdmissionReview review = review_of("/jobs/validate", "CREATE", text::to_json(job));
  EXPECT_TRUE(answer("/jobs/validate", review).warnings.empty()) << "nobody knows yet";
  const std::vector<LiveQuery> asked = questions("/jobs/validate", review);
  ASSERT_EQ(asked, (std::vector<LiveQuery>{{.kind = QueryKind::PriorityClass, .name = "urgent"},
                                           {.kind = QueryKind::Claim, .name = "data", .namespace_name = "team"}}));
  for (const LiveQuery& question : asked) view_.learn(question, nullptr);
  const ReviewResponse given = answer("/jobs/validate", review);
  EXPECT_TRUE(given.verdict.has_value());
  EXPECT_EQ(given.warnings,
            (std::vector<std::string>{
                "spec.priorityClassName: there is no PriorityClass \"urgent\"; pods are refused until it exists",
                "spec.volumes[0].volumeClaimName: there is no PersistentVolumeClaim \"data\" in namespace team; pods "
                "wait until it exists"}));
  EXPECT_NE(answer_text("u", given).find(R"("warnings":["spec.priorityClassName: )"), std::string::npos);

  view_.learn(asked[0], shared("{metadata: {name: urgent}}"));
  view_.learn(asked[1], shared("{metadata: {name: data}}"));
  EXPECT_TRUE(answer("/jobs/validate", review).warnings.empty());
  EXPECT_TRUE(answer("/jobs/validate", review_of("/jobs/validate", "UPDATE", text::to_json(job), text::to_json(job)))
                  .warnings.empty());
}

TEST_F(AnswerTest, AJobForASchedulerThatNobodyIsIsTakenWithAWarning) {
  known_.learn(CachedKind::Queue, shared(kOpenQueue));
  const auto warnings = [&](std::string_view scheduler) {
    text::Object job = shared(kJob)->get_object();
    api::object_in(job, "spec")["schedulerName"] = scheduler;
    return answer("/jobs/validate", review_of("/jobs/validate", "CREATE", text::to_json(job))).warnings;
  };
  EXPECT_EQ(warnings("volcno"),
            std::vector<std::string>{"spec.schedulerName: nobody in this cluster places pods for the scheduler "
                                     "\"volcno\"; those here are volcano, default-scheduler"});
  EXPECT_TRUE(warnings("volcano").empty());
  EXPECT_TRUE(warnings("default-scheduler").empty());
}

TEST_F(AnswerTest, OlderNewsDoesNotReplaceNewer) {
  known_.learn(CachedKind::Queue, shared(kOpenQueue));
  known_.learn(CachedKind::Queue, shared("{metadata: {name: q, resourceVersion: '4'}, status: {state: Closed}}"));
  EXPECT_EQ(refusal("/jobs/validate", review_of("/jobs/validate", "CREATE", kJob)), "");
}

}  // namespace
}  // namespace basalt::webhook
