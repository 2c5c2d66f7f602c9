#include "control/node/local/remove_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/node/local/object_fixture.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

TEST(TreeRemoval, RemovesEverythingButFollowsNothing) {
  const TestDirectory outside;
  put_file(outside.path() / "precious", "x");
  const TestDirectory directory;
  const fs::path tree = directory.path() / "tree";
  put_file(tree / "a/b/c", "x");
  put_file(tree / "..data", "x");
  fs::create_directory_symlink(outside.path(), tree / "a/link");
  fs::create_symlink(outside.path() / "precious", tree / "file");
  fs::create_symlink("/nowhere", tree / "dangling");
  ASSERT_EQ(mkfifo((tree / "fifo").c_str(), 0600), 0);
  fs::permissions(tree / "a/b", fs::perms::none);
  EXPECT_TRUE(remove_tree(tree));
  EXPECT_FALSE(fs::exists(tree));
  EXPECT_EQ(content_of(outside.path() / "precious"), "x");
  EXPECT_TRUE(remove_tree(tree)) << "nothing there is fine";
}

TEST(TreeRemoval, IsNotLedAwayByALinkInItsPlace) {
  const TestDirectory outside;
  put_file(outside.path() / "precious", "x");
  const TestDirectory directory;
  fs::create_directory_symlink(outside.path(), directory.path() / "tree");
  EXPECT_FALSE(remove_tree(directory.path() / "tree"));
  EXPECT_EQ(content_of(outside.path() / "precious"), "x");
}

// Many times deeper than the remover goes at once.
TEST(TreeRemoval, RemovesADeepTree) {
  const TestDirectory directory;
  const fs::path tree = directory.path() / "tree";
  fs::create_directory(tree);
  put_file(tree / "..deep-0/taken", "x");  // a name that the remover would like to use
  int at = open(tree.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_GE(at, 0);
  for (int depth = 0; depth < 120; ++depth) {
    ASSERT_EQ(mkdirat(at, "deep", 0700), 0);
    const int next = openat(at, "deep", O_RDONLY | O_DIRECTORY);
    ASSERT_GE(next, 0);
    close(at);
    at = next;
  }
  close(at);
  const auto removed = remove_tree(tree);
  EXPECT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(fs::exists(tree));
}

}  // namespace
}  // namespace basalt::node
