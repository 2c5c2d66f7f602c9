#include "lab/conformance/comparison.h"

#include <gtest/gtest.h>

#include "kube/text/text_test_values.h"

namespace basalt::lab {
namespace {

using text::json;

TEST(Comparison, ListsAreMultisetsAndNumbersCompareByValue) {
  EXPECT_TRUE(same_fact(json(R"(["a","b","b"])"), json(R"(["b","a","b"])")));
  EXPECT_FALSE(same_fact(json(R"(["a","b","b"])"), json(R"(["a","a","b"])")));
  EXPECT_TRUE(same_fact(json("5"), json("5.0")));
  EXPECT_FALSE(same_fact(json("5"), json("5.001")));
  EXPECT_TRUE(same_fact(json(R"({"a":1,"b":{"c":[1,2]}})"), json(R"({"b":{"c":[2,1]},"a":1})")));
  EXPECT_FALSE(same_fact(json(R"({"a":1})"), json(R"({"a":1,"b":2})")));
}

TEST(Comparison, DifferencesAreShort) {
  EXPECT_EQ(describe_difference(json(R"({"p":"n1","q":"n2"})"), json(R"({"p":"n3","r":"n2"})")),
            R"(p: recorded "n1", ours "n3"; only recorded: q="n2"; only ours: r="n2")");
  EXPECT_EQ(describe_difference(json("[1,2,3,4,5,6,7]"), json("[]")),
            "only recorded: 1; only recorded: 2; only recorded: 3; only recorded: 4; only recorded: 5; … 2 more");
}

TEST(Comparison, CountsFacts) {
  Comparison facts;
  facts.add("binds", json("2"), json("2"));
  facts.add("evicts", json("0"), json("1"));
  EXPECT_EQ(facts.compared, 2);
  EXPECT_EQ(facts.equal, 1);
  EXPECT_FALSE(facts.all_equal());
  ASSERT_EQ(facts.differences.size(), 1U);
  EXPECT_EQ(facts.differences[0], "evicts: recorded 0, ours 1");
}

}  // namespace
}  // namespace basalt::lab
