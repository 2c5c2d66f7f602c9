#include "kube/text/patch.h"

#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"
#include "kube/text/text_test_values.h"

namespace basalt::text {
namespace {

// The document after the patch, or the error's kind.
std::string patched(std::string_view document, std::string_view patch) {
  const auto result = json_patch(json(document), json(patch));
  if (result) return to_json(*result);
  switch (result.error().code) {
    case ErrorCode::Invalid:
      return "malformed";
    case ErrorCode::NotFound:
      return "inapplicable";
    default:
      return "too long";
  }
}

TEST(JsonPatch, AppliesEachOperation) {
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"add","path":"/b","value":[1]},{"op":"add","path":"/b/-","value":2}])"),
            R"({"a":1,"b":[1,2]})");
  EXPECT_EQ(patched(R"({"a":[1,2,3]})", R"([{"op":"add","path":"/a/1","value":9}])"), R"({"a":[1,9,2,3]})");
  EXPECT_EQ(patched(R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])"), R"({"b":2})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"/a","value":null}])"), R"({"a":null})");
  EXPECT_EQ(patched(R"({"a":{"x":1}})", R"([{"op":"move","from":"/a/x","path":"/b"}])"), R"({"a":{},"b":1})");
  EXPECT_EQ(patched(R"({"a":{"x":1}})", R"([{"op":"copy","from":"/a","path":"/b"}])"), R"({"a":{"x":1},"b":{"x":1}})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"test","path":"/a","value":1}])"), R"({"a":1})");
  EXPECT_EQ(patched(R"({"a":1})", "null"), R"({"a":1})");
}

TEST(JsonPatch, DecodesPointers) {
  EXPECT_EQ(patched(R"({"a/b":1,"m~n":2})", R"([{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/m~0n"}])"),
            "{}");
  EXPECT_EQ(patched(R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/-1"}])"), R"({"a":[1]})");
  EXPECT_EQ(patched(R"({"a":[1,2]})", R"([{"op":"add","path":"/a/-1","value":3}])"), R"({"a":[1,2,3]})");
}

TEST(JsonPatch, DiffersFromTheRfcWhereKubernetesDoes) {
  EXPECT_EQ(patched("{}", R"([{"op":"replace","path":"/new","value":1}])"), R"({"new":1})");
  EXPECT_EQ(patched("{}", R"([{"op":"test","path":"/none","value":null}])"), "{}");
  EXPECT_EQ(patched("{}", R"([{"op":"copy","from":"/none","path":"/a"}])"), R"({"a":null})");
}

TEST(JsonPatch, TellsMalformedFromInapplicable) {
  EXPECT_EQ(patched("{}", R"({"op":"add"})"), "malformed");
  EXPECT_EQ(patched("{}", "[1]"), "malformed");
  EXPECT_EQ(patched("{}", R"([{"op":1,"path":"/a"}])"), "malformed");
  EXPECT_EQ(patched("{}", R"([{"op":"frob","path":"/a"}])"), "inapplicable");
  EXPECT_EQ(patched("{}", R"([{"op":"remove","path":"/a"}])"), "inapplicable");
  EXPECT_EQ(patched("{}", R"([{"op":"add","path":"","value":{}}])"), "inapplicable");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"add","path":"/a/b","value":1}])"), "inapplicable");
  EXPECT_EQ(patched(R"({"a":[1]})", R"([{"op":"replace","path":"/a/1","value":1}])"), "inapplicable");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"test","path":"/a","value":2}])"), "inapplicable");
  EXPECT_EQ(patched("{}", R"([null])"), "inapplicable");
}

TEST(JsonPatch, NamesTheOperationThatFailed) {
  const auto result =
      json_patch(json(R"({"a":1})"), json(R"([{"op":"test","path":"/a","value":1},{"op":"remove","path":"/b"}])"));
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().message.starts_with("operation 1: ")) << result.error().message;
}

TEST(JsonPatch, IsBounded) {
  Value many(boost::json::array_kind);
  for (size_t i = 0; i <= kMaxJsonPatchOperations; ++i)
    many.get_array().push_back(json(R"({"op":"test","path":"/x"})"));
  const auto too_long = json_patch(json("{}"), many);
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code, ErrorCode::Unsupported);

  // Doubling by copies ends before memory does.
  Value doubling(boost::json::array_kind);
  for (int i = 0; i < 60; ++i) {
    doubling.get_array().push_back(json(R"({"op":"copy","from":"/a","path":"/b"})"));
    doubling.get_array().push_back(json(R"({"op":"move","from":"/b","path":"/a/-"})"));
  }
  EXPECT_EQ(json_patch(json(R"({"a":["0123456789"]})"), doubling).error().code, ErrorCode::NotFound);

  // Nesting by moves ends before the stack does.
  Value nesting(boost::json::array_kind);
  for (size_t i = 0; i < 3000; ++i) {
    nesting.get_array().push_back(json(R"({"op":"move","from":"/a","path":"/b"})"));
    nesting.get_array().push_back(json(R"({"op":"add","path":"/a","value":{}})"));
    nesting.get_array().push_back(json(R"({"op":"move","from":"/b","path":"/a/x"})"));
  }
  EXPECT_EQ(json_patch(json(R"({"a":{}})"), nesting).error().code, ErrorCode::NotFound);
}

// `count` times one operation on a list of `size` elements.
Result<Value> patch_list(size_t size, size_t count, std::string_view operation) {
  Value document(boost::json::object_kind);
  document.get_object()["a"] = Array(size, Value(0));
  return json_patch(std::move(document), Array(count, json(operation)));
}

TEST(JsonPatch, BoundsTheElementsThatItMoves) {
  constexpr std::string_view kAddFirst = R"({"op":"add","path":"/a/0","value":1})";
  constexpr std::string_view kRemoveFirst = R"({"op":"remove","path":"/a/0"})";
  constexpr std::string_view kRotate = R"({"op":"move","from":"/a/0","path":"/a/-"})";
  constexpr size_t kLong = 100'000;
  constexpr size_t kTooOften = kMaxJsonPatchMoves / kLong + 1;
  for (const std::string_view at_front : {kAddFirst, kRotate}) {
    const auto refused = patch_list(kLong, kTooOften, at_front);
    ASSERT_FALSE(refused) << at_front;
    EXPECT_EQ(refused.error().code, ErrorCode::NotFound);
    EXPECT_TRUE(refused.error().message.starts_with("operation ")) << refused.error().message;
    EXPECT_NE(refused.error().message.find("moves more than 20000000 list elements: add at the end"),
              std::string::npos);
  }
  EXPECT_FALSE(patch_list(kLong + kTooOften, kTooOften, kRemoveFirst));
  // The end of a list is free, whatever its length; and so is the front of one as people have it.
  EXPECT_TRUE(patch_list(kLong, kMaxJsonPatchOperations, R"({"op":"add","path":"/a/-","value":1})"));
  EXPECT_TRUE(patch_list(kLong, kMaxJsonPatchOperations, R"({"op":"remove","path":"/a/-1"})"));
  EXPECT_TRUE(patch_list(1'000, kMaxJsonPatchOperations, kRotate));
}

TEST(JsonPatch, BoundsTheWalksForDepth) {
  // Each round moves a value one level deeper and back: the bound on the depth must be found anew every 100 rounds.
  Value document = json(R"({"a":{"b":{}},"c":0})");
  document.get_object()["wide"] = Array(1'000'000, Value(0));
  Array patch;
  for (size_t i = 0; i < kMaxJsonPatchOperations / 2; ++i) {
    patch.push_back(json(R"({"op":"move","from":"/c","path":"/a/b/c"})"));
    patch.push_back(json(R"({"op":"move","from":"/a/b/c","path":"/c"})"));
  }
  const auto refused = json_patch(document, patch);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("moves more than"), std::string::npos) << refused.error().message;
  document.get_object()["wide"] = Array(1'000, Value(0));
  EXPECT_TRUE(json_patch(document, patch));
}

TEST(MergePatch, FollowsTheRfc) {
  const auto merged = [](std::string_view document, std::string_view patch) {
    return to_json(merge_patch(json(document), json(patch)));
  };
  EXPECT_EQ(merged(R"({"a":"b","c":{"d":"e","f":"g"}})", R"({"a":"z","c":{"f":null}})"), R"({"a":"z","c":{"d":"e"}})");
  EXPECT_EQ(merged(R"({"a":[1]})", R"({"a":{"b":null,"c":1}})"), R"({"a":{"c":1}})");
  EXPECT_EQ(merged(R"({})", R"({"a":{"b":{"c":null}}})"), R"({"a":{"b":{}}})");
  EXPECT_EQ(merged(R"({"a":{"b":1}})", R"({"a":[{"x":null}]})"), R"({"a":[{"x":null}]})");
  EXPECT_EQ(merged(R"({"a":null})", R"({"a":{"b":null}})"), R"({"a":{}})");
  EXPECT_EQ(merged(R"({"a":1})", "[1]"), "[1]");
}

Value random_value(Rng& rng, int depth) {
  switch (rng.below(depth > 0 ? 6 : 4)) {
    case 0:
      return nullptr;
    case 1:
      return static_cast<int64_t>(rng.below(3));
    case 2:
      return "x";
    case 3:
      return true;
    case 4: {
      Value out(boost::json::array_kind);
      for (uint64_t i = rng.below(3); i > 0; --i) out.get_array().push_back(random_value(rng, depth - 1));
      return out;
    }
    default: {
      Value out(boost::json::object_kind);
      for (uint64_t i = rng.below(4); i > 0; --i) {
        out.get_object()[std::string(1, static_cast<char>('a' + rng.below(4)))] = random_value(rng, depth - 1);
      }
      return out;
    }
  }
}

TEST(Patches, NeverCrashOnRandomDocuments) {
  Rng rng(7);
  constexpr const char* kOps[] = {"add", "remove", "replace", "move", "copy", "test"};
  constexpr const char* kPaths[] = {"/a", "/a/b", "/a/0", "/b/-", "/c/a/0", "", "/", "a/b", "/a/-1"};
  for (int i = 0; i < 3000; ++i) {
    Value document = random_value(rng, 4);
    Value patch(boost::json::array_kind);
    for (int n = 0; n < 4; ++n) {
      patch.get_array().push_back({{"op", kOps[rng.below(std::size(kOps))]},
                                   {"path", kPaths[rng.below(std::size(kPaths))]},
                                   {"from", kPaths[rng.below(std::size(kPaths))]},
                                   {"value", random_value(rng, 3)}});
    }
    (void)json_patch(document, patch);
    (void)merge_patch(document, patch.get_array().front());
  }
}

}  // namespace
}  // namespace basalt::text
