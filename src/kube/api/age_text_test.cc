#include "kube/api/age_text.h"

#include <gtest/gtest.h>

#include "kube/text/rfc3339.h"

namespace basalt::api {
namespace {

TEST(Ages, AreWordedAsByKubectl) {
  const auto age = [](int64_t seconds) { return age_text(Duration::seconds(seconds)); };
  EXPECT_EQ(age(-5), "<invalid>");
  EXPECT_EQ(age(-1), "0s");
  EXPECT_EQ(age(119), "119s");
  EXPECT_EQ(age(120), "2m");
  EXPECT_EQ(age(303), "5m3s");
  EXPECT_EQ(age(601), "10m");
  EXPECT_EQ(age(3 * 3600 + 60), "3h1m");
  EXPECT_EQ(age(47 * 3600), "47h");
  EXPECT_EQ(age(49 * 3600), "2d1h");
  EXPECT_EQ(age(9 * 86400), "9d");
  EXPECT_EQ(age(730 * 86400), "2y");
  EXPECT_EQ(age(731 * 86400), "2y1d");
  EXPECT_EQ(age(3650LL * 86400), "10y");
}

TEST(Ages, OfTimesThatAreMissingOrMadeUp) {
  const Instant now = *text::parse_time("2026-05-01T12:00:00Z");
  EXPECT_EQ(age_since(kNever, now), "<unknown>");
  EXPECT_EQ(age_since(*text::parse_time("1700-01-01T00:00:00Z"), now), "292y");  // as far as a Duration reaches
  const text::Object object{{"metadata", text::Object{{"creationTimestamp", "2026-05-01T11:59:00Z"}, {"other", 5}}}};
  EXPECT_EQ(age_of(object, now), "60s");
  EXPECT_FALSE(time_at(object, {"metadata", "other"}).is_set());
}

}  // namespace
}  // namespace basalt::api
