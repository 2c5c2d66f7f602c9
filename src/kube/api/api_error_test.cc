#include "kube/api/api_error.h"

#include <gtest/gtest.h>

#include "kube/api/go_quote.h"

namespace basalt::api {
namespace {

TEST(ApiError, NotFoundNamesTheResource) {
  EXPECT_EQ(text::to_json(not_found("batch.volcano.sh", "jobs", "x").to_status()),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"jobs.batch.volcano.sh \"x\" not found","reason":"NotFound",)"
            R"("details":{"name":"x","group":"batch.volcano.sh","kind":"jobs"},"code":404})");
}

TEST(ApiError, InvalidListsEveryCauseOnce) {
  Causes causes;
  causes.required("spec.containers");
  causes.invalid("spec.x", text::Value("a\"b"), "must be good");
  causes.required("spec.containers");
  const ApiError error = invalid_object("", "Pod", "p", causes.take());
  EXPECT_EQ(error.code, 422);
  EXPECT_EQ(error.message,
            "Pod \"p\" is invalid: [spec.containers: Required value, "
            "spec.x: Invalid value: \"a\\\"b\": must be good]");
  EXPECT_EQ(error.causes.size(), 3U);
  EXPECT_EQ(error.subject.kind_or_plural, "Pod");
}

TEST(ApiError, CausesUseKubernetesWords) {
  Causes causes;
  causes.not_supported("a", text::Value("x"), {"y", "z"});
  causes.too_long("b", 1);
  causes.too_many("c", 3, 2);
  causes.duplicate("d", text::Value(5));
  causes.forbidden("e", "no");
  ASSERT_EQ(causes.list().size(), 5U);
  EXPECT_EQ(causes.list()[0].message, "Unsupported value: \"x\": supported values: \"y\", \"z\"");
  EXPECT_EQ(causes.list()[1].message, "Too long: may not be more than 1 byte");
  EXPECT_EQ(causes.list()[2].message, "Too many: 3: must have at most 2 items");
  EXPECT_EQ(causes.list()[3].message, "Duplicate value: 5");
  EXPECT_EQ(causes.list()[4].reason, "FieldValueForbidden");
}

TEST(ApiError, ConflictsOfApplyAreGroupedByManager) {
  const Cause one{.reason = "FieldManagerConflict", .message = "conflict with \"m\"", .field = ".spec.a"};
  const Cause two{.reason = "FieldManagerConflict", .message = "conflict with \"m\"", .field = ".spec.b"};
  EXPECT_EQ(apply_conflict({one}).message, "Apply failed with 1 conflict: conflict with \"m\": .spec.a");
  EXPECT_EQ(apply_conflict({one, two}).message,
            "Apply failed with 2 conflicts: conflicts with \"m\":\n- .spec.a\n- .spec.b");
}

TEST(ApiError, TooLargeVersionAsksForARetry) {
  const ApiError error = too_large_resource_version(9, 5);
  EXPECT_EQ(error.code, 504);
  EXPECT_EQ(error.retry_after_seconds, 1);
  EXPECT_EQ(error.causes.at(0).reason, "ResourceVersionTooLarge");
}

TEST(GoText, QuotesBrokenTextHarmlessly) {
  EXPECT_EQ(go_quote("a\n\x01\xFF\xC3\xA4"), "\"a\\n\\x01\\xff\xC3\xA4\"");
  EXPECT_EQ(go_quote("\xE2\x82"), "\"\\xe2\\x82\"");
}

// An object can be wrong in very many ways, and each may show all of it.
TEST(Causes, AreBoundedInNumberAndLength) {
  const text::Value large(text::Array(100'000, text::Value("0123456789")));
  Causes causes;
  for (int i = 0; i < 5'000; ++i) causes.invalid(std::string(100'000, 'p'), large, "is wrong");
  causes.not_supported("a", text::Value(std::string(100'000, 'x')), std::vector<std::string>(1, "y"));
  size_t bytes = 0;
  for (const Cause& cause : causes.list()) bytes += cause.field.size() + cause.message.size();
  EXPECT_LT(bytes, 1'100'000U);
  EXPECT_GT(causes.list().size(), 50U);
  Causes short_ones;
  for (int i = 0; i < 5'000; ++i) short_ones.required("a");
  EXPECT_EQ(short_ones.list().size(), 1'000U);
  Causes one;
  one.invalid("a", text::Value(std::string(100'000, 'x')), "is long");
  one.not_supported("b", text::Value("x"), std::vector<std::string>(100'000, "word"));
  EXPECT_TRUE(one.list()[0].message.ends_with("xxx\"...: is long"));
  EXPECT_TRUE(one.list()[1].message.ends_with("\"word\", ..."));
  EXPECT_LT(one.list()[1].message.size(), 20'000U);
}

}  // namespace
}  // namespace basalt::api
