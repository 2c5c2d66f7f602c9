#include "kube/text/duplicate_keys.h"

#include <gmock/gmock.h>

namespace basalt::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> found(std::string_view json, size_t most = 10) {
  const auto value = parse_json(json);
  EXPECT_TRUE(value) << json;
  return duplicate_keys(json, *value, most);
}

TEST(DuplicateKeys, AreNamedByTheirPath) {
  EXPECT_THAT(found(R"({"a": 1, "b": {"a": 2}, "c": [{"a": 1}, {"a": 2}]})"), IsEmpty());
  EXPECT_THAT(found(R"({"spec": {"replicas": 1, "x": ":{\"", "replicas" : 2}})"), ElementsAre("spec.replicas"));
  EXPECT_THAT(found(R"({"c": [1, [2, "a:b"], {"i": 1, "i": 2, "i": 3}], "c": 5})"), ElementsAre("c[2].i", "c"));
  EXPECT_THAT(found(R"([{"op": "a", "op": "b"}])"), ElementsAre("[0].op"));
}

TEST(DuplicateKeys, EscapesDoNotHideThem) {
  EXPECT_THAT(found(R"({"a\"}": 1, "\u0062": 1, "b": 2})"), ElementsAre("b"));
}

TEST(DuplicateKeys, AreBounded) {
  EXPECT_THAT(found(R"({"a": 1, "a": 2, "b": 1, "b": 2, "c": 1, "c": 2})", 2), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace basalt::text
