#include "control/node/local/safe_path.h"

#include "control/node/local/object_fixture.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

TEST(SafePath, RelativePathsAreCleaned) {
  EXPECT_EQ(relative_path("a").value(), "a");
  EXPECT_EQ(relative_path("./a//b/./c/").value(), "a/b/c");
  EXPECT_EQ(relative_path("..a/b..").value(), "..a/b..");
  EXPECT_EQ(absolute_path("//x/./y").value(), "/x/y");
  EXPECT_EQ(absolute_path("/").value(), "/");
}

TEST(SafePath, WhatLeadsElsewhereIsRefused) {
  for (const std::string& path : {std::string(), std::string("/a"), std::string(".."), std::string("a/.."),
                                  std::string("a/../b"), std::string("../a"), std::string("."), std::string("./"),
                                  std::string("a\0b", 3), std::string(5'000, 'a'), std::string(300, 'a')}) {
    EXPECT_FALSE(relative_path(path)) << path.substr(0, 20);
  }
  EXPECT_FALSE(absolute_path("a"));
  EXPECT_FALSE(absolute_path("/a/../b"));
  EXPECT_FALSE(absolute_path(""));
}

TEST(SafePath, PlainWords) {
  EXPECT_TRUE(is_plain_word("0b5c-4f_x.1"));
  for (const std::string& word : {std::string(), std::string("."), std::string(".."), std::string("a/b"),
                                  std::string("a b"), std::string("a\0", 2), std::string(256, 'a')}) {
    EXPECT_FALSE(is_plain_word(word)) << word;
  }
}

TEST(SafePath, LinksStayWithin) {
  const TestDirectory directory;
  const fs::path volume = directory.path() / "volume";
  put_file(volume / "real/file", "x");
  put_file(directory.path() / "volume-of-others/secret", "x");
  fs::create_symlink("real", volume / "inner");
  fs::create_symlink("/etc", volume / "outer");
  fs::create_symlink("../volume-of-others", volume / "sibling");
  fs::create_symlink("/nowhere", volume / "dangling");
  fs::create_symlink("loop", volume / "loop");
  EXPECT_EQ(resolve_beneath(volume, "inner/file").value(), "real/file");
  EXPECT_EQ(resolve_beneath(volume, "inner/new/er").value(), "real/new/er");
  for (const char* below : {"outer", "outer/passwd", "sibling", "sibling/secret", "sibling/new", "dangling", "loop",
                            "loop/x", "dangling/x"}) {
    EXPECT_FALSE(resolve_beneath(volume, below)) << below;
  }
  EXPECT_FALSE(resolve_beneath(directory.path() / "none", "x"));
}

}  // namespace
}  // namespace basalt::node
