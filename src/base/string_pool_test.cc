#include "base/string_pool.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace basalt {
namespace {

TEST(StringPool, GivesEqualTextsOneId) {
  StringPool pool;
  const NameId zone = pool.intern("zone");
  EXPECT_EQ(pool.intern(std::string("zo") + "ne"), zone);
  EXPECT_NE(pool.intern("zones"), zone);
  EXPECT_EQ(pool.text(zone), "zone");
}

TEST(StringPool, KnowsTheEmptyTextFromTheStart) {
  StringPool pool;
  EXPECT_EQ(pool.intern(""), kEmptyName);
  EXPECT_EQ(pool.text(kEmptyName), "");
  EXPECT_EQ(pool.size(), 1U);
}

TEST(StringPool, FindsOnlyWhatIsThere) {
  StringPool pool;
  EXPECT_FALSE(pool.find("a").valid());
  const NameId a = pool.intern("a");
  EXPECT_EQ(pool.find("a"), a);
  EXPECT_EQ(pool.size(), 2U);  // find() added nothing
}

// Blocks are 64 KiB; texts above a quarter of that have their own. Neither may move what was handed out.
TEST(StringPool, TextsStayWhereTheyAre) {
  StringPool pool;
  const std::string_view first = pool.text(pool.intern("first"));
  const std::string large(50'000, 'x');
  const NameId big = pool.intern(large);
  std::vector<NameId> ids;
  for (int i = 0; i < 20'000; ++i) ids.push_back(pool.intern("name-" + std::to_string(i)));
  const NameId second_big = pool.intern(large + "y");
  EXPECT_EQ(first.data(), pool.text(pool.find("first")).data());
  EXPECT_EQ(pool.text(big), large);
  EXPECT_EQ(pool.text(second_big).size(), 50'001U);
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(pool.text(ids[static_cast<size_t>(i)]), "name-" + std::to_string(i));
}

TEST(StringPool, KeepsTextsWithZeroBytes) {
  StringPool pool;
  const std::string_view odd("a\0b", 3);
  EXPECT_NE(pool.intern(odd), pool.intern("a"));
  EXPECT_EQ(pool.text(pool.find(odd)), odd);
}

}  // namespace
}  // namespace basalt
