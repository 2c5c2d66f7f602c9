#include "programs/webhook/review_handler.h"

#include <gtest/gtest.h>

#include "programs/webhook/answer_review.h"

namespace basalt::webhook {
namespace {

// What a header alone is refused with; 0: its body may come.
unsigned refusal(std::string method, std::string target, std::string type) {
  ReviewHandler handler;
  handler.paths["/jobs/validate"] = webhook_at("/jobs/validate");
  net::HttpRequest head{.method = std::move(method), .target = std::move(target)};
  head.headers.list.emplace_back("Content-Type", std::move(type));
  const net::BodyAdmission admission = admit_body(handler, head);
  return admission.refusal ? admission.refusal->status : 0;
}

TEST(ReviewPages, BodiesAreAdmittedByTheirHeader) {
  EXPECT_EQ(refusal("POST", "/jobs/validate?timeout=10s", "application/json; charset=utf-8"), 0U);
  EXPECT_EQ(refusal("POST", "/jobs/mutate", "application/json"), 404U);
  EXPECT_EQ(refusal("POST", "/healthz", "application/json"), 404U);
  EXPECT_EQ(refusal("PUT", "/jobs/validate", "application/json"), 405U);
  EXPECT_EQ(refusal("POST", "/jobs/validate", "application/yaml"), 415U);
}

}  // namespace
}  // namespace basalt::webhook
