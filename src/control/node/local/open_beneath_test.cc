#include "control/node/local/open_beneath.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "control/node/local/descriptor.h"
#include "control/node/local/object_fixture.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

// The parameter: by openat2, and as on a kernel that has none.
class BeneathTest : public ::testing::TestWithParam<bool> {
 protected:
  BeneathTest() {
    put_file(directory.path() / "top/a/file", "x");
    put_file(directory.path() / "outside/file", "secret");
    fs::create_symlink("a", directory.path() / "top/inner");
    fs::create_symlink("../outside", directory.path() / "top/outer");
    fs::create_symlink(directory.path() / "outside/file", directory.path() / "top/a/link");
    top.reset(::open((directory.path() / "top").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  // "" or the name of what went wrong.
  std::string open(const char* path, int flags) {
    const Descriptor opened(GetParam() ? open_beneath(top.get(), path, flags)
                                       : open_beneath_by_parts(top.get(), path, flags));
    if (!opened.is_open()) return ::strerrorname_np(errno);
    if ((::fcntl(opened.get(), F_GETFD) & FD_CLOEXEC) == 0) return "not closed on exec";
    opened_path = fs::read_symlink(DescriptorPath(opened.get()).text);
    return "";
  }

  TestDirectory directory;
  Descriptor top;
  fs::path opened_path;
};

INSTANTIATE_TEST_SUITE_P(Ways, BeneathTest, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "ByTheKernel" : "ByParts"; });

TEST_P(BeneathTest, OpensWhatIsThere) {
  for (const int flags : {O_PATH, O_RDONLY}) {
    EXPECT_EQ(open("a/file", flags), "");
    EXPECT_EQ(opened_path, directory.path() / "top/a/file");
    EXPECT_EQ(open(".//a/./file", flags), "");
    EXPECT_EQ(open("a/", flags | O_DIRECTORY), "");
    EXPECT_EQ(opened_path, directory.path() / "top/a");
    EXPECT_EQ(open("", flags | O_DIRECTORY), "");
    EXPECT_EQ(opened_path, directory.path() / "top");
    EXPECT_EQ(open("none", flags), "ENOENT");
    EXPECT_EQ(open("a/file/x", flags), "ENOTDIR");
    EXPECT_EQ(open("a/file", flags | O_DIRECTORY), "ENOTDIR");
  }
}

TEST_P(BeneathTest, FollowsNoLinkAndDoesNotLeave) {
  for (const int flags : {O_PATH, O_RDONLY}) {
    for (const char* path : {"inner", "inner/file", "outer", "outer/file", "a/link"}) {
      const std::string error = open(path, flags);
      // A link in the way is no directory to one who opens part by part; either way it is not followed.
      EXPECT_TRUE(error == "ELOOP" || error == "ENOTDIR") << path << ": " << error;
    }
    EXPECT_EQ(open("/etc", flags), "EXDEV");
    EXPECT_EQ(open("../outside/file", flags), "EXDEV");
    EXPECT_EQ(open("a/../../outside/file", flags), "EXDEV");
  }
}

TEST_P(BeneathTest, OpensTheParent) {
  const char* last = nullptr;
  const Descriptor parent(open_parent_beneath(top.get(), "a/new", last));
  ASSERT_TRUE(parent.is_open());
  EXPECT_STREQ(last, "new");
  EXPECT_EQ(fs::read_symlink(DescriptorPath(parent.get()).text), directory.path() / "top/a");
  const Descriptor itself(open_parent_beneath(top.get(), "new", last));
  EXPECT_EQ(fs::read_symlink(DescriptorPath(itself.get()).text), directory.path() / "top");
  for (const char* path : {"outer/new", "/new", "a/..", "a/", "../new"}) {
    EXPECT_EQ(open_parent_beneath(top.get(), path, last), -1) << path;
  }
}

}  // namespace
}  // namespace basalt::node
