#include "kube/text/merge_difference.h"

#include <gtest/gtest.h>

#include "kube/text/patch.h"

namespace basalt::text {
namespace {

TEST(MergeDifference, LeadsFromOneToTheOther) {
  const auto of = [](std::string_view json) { return parse_json(json).value().get_object(); };
  const Object from = of(R"({"a":1,"b":{"x":[1],"y":{"deep":true,"gone":1}},"c":"same","d":{"k":1}})");
  const Object to = of(R"({"b":{"x":[1,2],"y":{"deep":false}},"c":"same","d":"text","e":{"new":{}}})");
  const Object patch = merge_difference(from, to);
  EXPECT_EQ(Value(patch),
            Value(of(R"({"a":null,"b":{"x":[1,2],"y":{"gone":null,"deep":false}},"d":"text","e":{"new":{}}})")));
  EXPECT_EQ(merge_patch(from, patch), Value(to));
  EXPECT_TRUE(merge_difference(to, to).empty());
}

}  // namespace
}  // namespace basalt::text
