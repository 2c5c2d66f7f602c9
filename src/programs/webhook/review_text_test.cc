#include "programs/webhook/review_text.h"

#include <gtest/gtest.h>

#include <string>

#include "kube/text/base64.h"

namespace basalt::webhook {
namespace {

std::string review_with(std::string_view request) {
  return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":)" + std::string(request) + "}";
}

std::string complaint_about_review(std::string_view body) {
  const auto review = read_review(body);
  return review ? "" : review.error().message;
}

TEST(ReviewText, ReadsWhatDecides) {
  const auto review = read_review(review_with(
      R"({"uid":"u1","operation":"UPDATE","name":"j","namespace":"team","subResource":"status","later":[{}],
          "resource":{"group":"batch.volcano.sh","version":"v1alpha1","resource":"jobs"},
          "object":{"a":1},"oldObject":{"a":2},"dryRun":true})"));
  ASSERT_TRUE(review) << review.error().message;
  EXPECT_EQ(review->uid, "u1");
  EXPECT_EQ(review->operation, "UPDATE");
  EXPECT_EQ(review->name, "j");
  EXPECT_EQ(review->namespace_name, "team");
  EXPECT_EQ(review->subresource, "status");
  EXPECT_EQ(review->resource, (api::GroupVersionResource{"batch.volcano.sh", "v1alpha1", "jobs"}));
  EXPECT_EQ(text::to_json(*review->object), R"({"a":1})");
  EXPECT_EQ(text::to_json(*review->old), R"({"a":2})");
}

TEST(ReviewText, ADeleteHasNoObject) {
  const auto review = read_review(
      review_with(R"({"uid":"u","operation":"DELETE","resource":{"version":"v1","resource":"pods"},"object":null,)"
                  R"("oldObject":{}})"));
  ASSERT_TRUE(review);
  EXPECT_FALSE(review->object);
  EXPECT_TRUE(review->old);
}

TEST(ReviewText, SaysWhatIsWrong) {
  EXPECT_NE(complaint_about_review(""), "");
  EXPECT_NE(complaint_about_review("[]"), "");
  EXPECT_NE(complaint_about_review("null"), "");
  EXPECT_EQ(complaint_about_review(R"({"kind":"Pod"})"), "kind: expected \"AdmissionReview\"");
  EXPECT_EQ(complaint_about_review(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"})"),
            "apiVersion: expected \"admission.k8s.io/v1\"");
  EXPECT_NE(complaint_about_review(review_with("null")), "");
  EXPECT_NE(complaint_about_review(review_with(R"({"operation":"CREATE"})")), "");
  EXPECT_NE(complaint_about_review(review_with(R"({"uid":"","operation":"CREATE"})")), "");
  EXPECT_NE(complaint_about_review(review_with(R"({"uid":"u","operation":5})")), "");
  EXPECT_NE(complaint_about_review(review_with(R"({"uid":"u","operation":"CREATE","object":[]})")), "");
  EXPECT_NE(complaint_about_review(review_with(R"({"uid":"u","operation":"CREATE","name":{}})")), "");
  EXPECT_NE(complaint_about_review(
                review_with(R"({"uid":")" + std::string(kMaxUidBytes + 1, 'u') + R"(","operation":"CREATE"})")),
            "");
  EXPECT_NE(complaint_about_review(review_with(R"({"uid":"u","operation":"CREATE","object":{"a":)" +
                                               std::string(100'000, '[') + std::string(100'000, ']') + "}}")),
            "");
  EXPECT_NE(complaint_about_review(std::string(kMaxReviewBytes + 1, ' ')), "");
  EXPECT_NE(complaint_about_review(review_with("{\"uid\":\"\xff\",\"operation\":\"CREATE\"}")), "");
}

TEST(ReviewText, WritesDenialsAndPatches) {
  EXPECT_EQ(answer_text("u", {.verdict = std::unexpected("no"), .patch = {}}),
            R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":)"
            R"({"uid":"u","allowed":false,"status":{"metadata":{},"message":"no"}}})");
  EXPECT_EQ(answer_text("u", {}),
            R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":true}})");
  const text::Array patch{text::Object{{"op", "remove"}, {"path", "/a"}}};
  EXPECT_EQ(answer_text("u", {.verdict = {}, .patch = patch}),
            R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":true,)"
            R"("patch":")" +
                text::encode_base64(R"([{"op":"remove","path":"/a"}])") + R"(","patchType":"JSONPatch"}})");
}

}  // namespace
}  // namespace basalt::webhook
