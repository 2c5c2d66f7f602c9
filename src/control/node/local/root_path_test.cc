#include "control/node/local/root_path.h"

#include <stdlib.h>

#include "control/node/local/process_fixture.h"

namespace basalt::node {
namespace {

class RootPathTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "basalt-root-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    write(root_ / "usr/bin/tool", "");
    fs::create_symlink("usr/bin", root_ / "bin");
    fs::create_symlink("/usr", root_ / "usr/self");
    fs::create_symlink("../../../../etc", root_ / "usr/out");
    fs::create_symlink("loop", root_ / "loop");
    fs::create_symlink("/nowhere/to/go", root_ / "dangling");
  }
  void TearDown() override { fs::remove_all(root_); }
  RootPath at(std::string_view path) {
    auto found = resolve_in_root(root_, path);
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(RootPath());
  }
  fs::path root_;
};

TEST_F(RootPathTest, FollowsLinksAndNeverLeavesTheRoot) {
  EXPECT_EQ(at("/bin/tool").path, "/usr/bin/tool");
  EXPECT_TRUE(at("/bin/tool").exists);
  EXPECT_FALSE(at("/bin/tool").is_directory);
  EXPECT_EQ(at("/usr/self/bin/").path, "/usr/bin");
  EXPECT_TRUE(at("/usr/self/bin/").is_directory);
  EXPECT_EQ(at("/usr/out/passwd").path, "/etc/passwd");
  EXPECT_FALSE(at("/usr/out/passwd").exists);
  EXPECT_EQ(at("/../../..//.").path, "/");
}

TEST_F(RootPathTest, KnowsWhereTheExistingPartEnds) {
  const RootPath path = at("/bin/a/b");
  EXPECT_EQ(path.path, "/usr/bin/a/b");
  EXPECT_EQ(path.existing, "/usr/bin");
  EXPECT_FALSE(path.exists);
  EXPECT_EQ(at("/bin/a/../b").path, "/usr/bin/b");
  EXPECT_EQ(at("/bin/a/../../bin/tool").path, "/usr/bin/tool");
  EXPECT_TRUE(at("/bin/a/../../bin/tool").exists);
  EXPECT_EQ(at("/dangling/x").path, "/nowhere/to/go/x");
  EXPECT_EQ(at("/dangling/x").existing, "/");
}

TEST_F(RootPathTest, RefusesWhatLeadsNowhere) {
  EXPECT_FALSE(resolve_in_root(root_, "relative"));
  EXPECT_FALSE(resolve_in_root(root_, ""));
  EXPECT_FALSE(resolve_in_root(root_, std::string_view("/a\0b", 4)));
  EXPECT_FALSE(resolve_in_root(root_, "/loop/x"));
  EXPECT_FALSE(resolve_in_root(root_, "/bin/tool/x"));
  std::string deep;
  for (size_t i = 0; i <= kMaxRootPathParts; ++i) deep += "/x";
  EXPECT_FALSE(resolve_in_root(root_, deep));
}

}  // namespace
}  // namespace basalt::node
