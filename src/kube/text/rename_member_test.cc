#include "kube/text/rename_member.h"

#include <gtest/gtest.h>

#include <string>

namespace basalt::text {
namespace {

TEST(RenameMember, TakesTheValueToTheNewKey) {
  Object object{{"a", 1}, {"b", Array{1, 2}}, {"c", "text"}};
  EXPECT_TRUE(rename_member(object, "b", "new"));
  EXPECT_EQ(object, (Object{{"a", 1}, {"new", Array{1, 2}}, {"c", "text"}}));
  EXPECT_FALSE(rename_member(object, "b", "other"));
  EXPECT_TRUE(rename_member(object, "a", "c"));  // replaces
  EXPECT_EQ(object, (Object{{"c", 1}, {"new", Array{1, 2}}}));
  EXPECT_TRUE(rename_member(object, "c", "c"));
  EXPECT_EQ(object.at("c"), Value(1));
}

// Objects of every size: whether the table grows must not matter.
TEST(RenameMember, IsRightInObjectsOfEverySize) {
  for (int size = 1; size < 40; ++size) {
    Object object;
    for (int i = 0; i < size; ++i) object[std::to_string(i)] = "short";
    for (int i = 0; i < size; ++i) ASSERT_TRUE(rename_member(object, std::to_string(i), "new-" + std::to_string(i)));
    ASSERT_EQ(object.size(), static_cast<size_t>(size));
    for (int i = 0; i < size; ++i) ASSERT_EQ(object.at("new-" + std::to_string(i)), Value("short"));
  }
}

}  // namespace
}  // namespace basalt::text
