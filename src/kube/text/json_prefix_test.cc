#include "kube/text/json_prefix.h"

#include <gtest/gtest.h>

#include "kube/text/utf8.h"

namespace basalt::text {
namespace {

TEST(JsonPrefix, IsTheWholeOrItsBeginning) {
  const Value value = parse_json(R"({"a":[1,2.5,"x\n"],"b":{},"c":[],"ä":null,"t":true})").value();
  const std::string whole = to_json(value);
  EXPECT_EQ(json_prefix(value, whole.size()), whole);
  EXPECT_EQ(json_prefix(value, 1'000), whole);
  for (size_t most = 0; most < whole.size(); ++most) {
    const std::string some = json_prefix(value, most);
    ASSERT_TRUE(some.ends_with("...")) << some;
    const std::string begin = some.substr(0, some.size() - 3);
    EXPECT_TRUE(whole.starts_with(begin)) << some;
    EXPECT_LE(begin.size(), most);
    EXPECT_GE(begin.size() + 1, most);  // a letter of two bytes is left out whole
    EXPECT_TRUE(is_utf8(begin));
  }
}

TEST(JsonPrefix, LooksAtNoMoreThanItShows) {
  const Value large(Array(100'000, Value(std::string(1'000, 'x'))));
  EXPECT_EQ(json_prefix(large, 10), "[\"xxxxxxxx...");
}

}  // namespace
}  // namespace basalt::text
