#include "programs/webhook/json_patch.h"

#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"
#include "kube/text/patch.h"
#include "kube/text/text_test_values.h"

namespace basalt::webhook {
namespace {

using text::object_of;

std::string patch_text(std::string_view from, std::string_view to) {
  return text::to_json(json_patch_between(object_of(from), object_of(to)));
}

// Any small value; keys hold the characters that pointers escape.
text::Value any_value(Rng& rng, int depth) {
  static constexpr std::string_view kKeys[] = {"a", "a/b", "~", "~1", "", "0", "-", "name"};
  switch (rng.below(depth > 0 ? 7 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return rng.below(2) == 0;
    case 2:
      return static_cast<int64_t>(rng.below(3));
    case 3:
      return 1.5;
    case 4:
      return rng.below(2) == 0 ? "x" : "y/~";
    case 5: {
      text::Array list;
      for (uint64_t i = rng.below(4); i > 0; --i) list.push_back(any_value(rng, depth - 1));
      return list;
    }
    default: {
      text::Object object;
      for (uint64_t i = rng.below(4); i > 0; --i) object[kKeys[rng.below(8)]] = any_value(rng, depth - 1);
      return object;
    }
  }
}

text::Object any_object(Rng& rng) {
  for (;;) {
    text::Value value = any_value(rng, 4);
    if (value.is_object()) return value.get_object();
  }
}

TEST(JsonPatch, SaysOnlyWhatChanged) {
  EXPECT_EQ(patch_text(R"({"a":1})", R"({"a":1})"), "[]");
  EXPECT_EQ(patch_text(R"({"a":1,"b":{"c":2}})", R"({"a":1,"b":{"c":3}})"),
            R"([{"op":"replace","path":"/b/c","value":3}])");
  EXPECT_EQ(patch_text(R"({"b":1})", R"({"x/y~z":null})"),
            R"([{"op":"remove","path":"/b"},{"op":"add","path":"/x~1y~0z","value":null}])");
}

TEST(JsonPatch, ListsChangeAtTheirEnd) {
  EXPECT_EQ(
      patch_text(R"({"l":[1,2,3,4]})", R"({"l":[1,9]})"),
      R"([{"op":"replace","path":"/l/1","value":9},{"op":"remove","path":"/l/3"},{"op":"remove","path":"/l/2"}])");
  EXPECT_EQ(patch_text(R"({"l":[]})", R"({"l":[{},[]]})"),
            R"([{"op":"add","path":"/l/0","value":{}},{"op":"add","path":"/l/1","value":[]}])");
}

TEST(JsonPatch, TellsWholeNumbersFromFractions) {
  EXPECT_EQ(patch_text(R"({"a":5})", R"({"a":5.0})"), R"([{"op":"replace","path":"/a","value":5.0}])");
}

TEST(JsonPatch, AppliedItGivesTheOtherDocument) {
  Rng rng(7);
  for (int i = 0; i < 20'000; ++i) {
    const text::Object from = any_object(rng);
    const text::Object to = any_object(rng);
    const text::Array patch = json_patch_between(from, to);
    const auto result = text::json_patch(from, patch);
    ASSERT_TRUE(result) << text::to_json(from) << " " << text::to_json(patch) << result.error().message;
    ASSERT_EQ(*result, text::Value(to)) << text::to_json(from) << " -> " << text::to_json(to);
    ASSERT_TRUE(json_patch_between(to, to).empty());
  }
}

TEST(JsonPatch, StaysWithinWhatTheServerTakes) {
  text::Array long_list(text::kMaxJsonPatchOperations + 1, 1);
  const text::Object from{{"l", text::Array()}, {"same", 1}, {"gone", 2}};
  const text::Object to{{"l", long_list}, {"same", 1}, {"new", 3}};
  const text::Array patch = json_patch_between(from, to);
  EXPECT_EQ(patch.size(), 3U);
  EXPECT_EQ(text::json_patch(from, patch).value(), text::Value(to));
}

}  // namespace
}  // namespace basalt::webhook
