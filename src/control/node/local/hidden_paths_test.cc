#include "control/node/local/hidden_paths.h"

#include "control/node/local/object_fixture.h"

namespace basalt::node {
namespace {

using Paths = std::vector<std::string>;

constexpr std::string_view kTable =
    "20 1 254:0 / / rw - ext4 /dev/vda rw\n"
    "21 20 254:1 / /srv rw - ext4 /dev/vdb rw\n"
    "22 20 254:1 /data /export rw shared:1 - ext4 /dev/vdb rw\n"
    "23 20 254:1 /data/state/pods /pods rw - ext4 /dev/vdb rw\n"
    "24 20 254:0 / /second\\040root rw - ext4 /dev/vda rw\n"
    "25 21 0:30 / /srv/data/state/logs rw - tmpfs tmpfs rw\n"
    "26 20 0:30 /deep /var/logs rw - tmpfs tmpfs rw\n"
    "27 20 0:22 / /proc rw - proc proc rw\n"
    "not a line\n";

TEST(HiddenPaths, AllPathsOfAPlace) {
  EXPECT_EQ(paths_of("/srv/data/state", kTable),
            (Paths{"/export/state", "/pods", "/srv/data/state", "/srv/data/state/logs", "/var/logs"}));
  EXPECT_EQ(paths_of("/var/lib/state", kTable), (Paths{"/second root/var/lib/state", "/var/lib/state"}));
  EXPECT_EQ(paths_of("/x", ""), Paths{"/x"});
}

TEST(HiddenPaths, BelowIsMoreThanABeginning) {
  EXPECT_TRUE(is_beneath("/a/b", "/a"));
  EXPECT_TRUE(is_beneath("/a", "/"));
  EXPECT_FALSE(is_beneath("/a", "/a"));
  EXPECT_FALSE(is_beneath("/ab", "/a"));
  EXPECT_FALSE(is_beneath("/", "/"));
}

TEST(HiddenPaths, HoldsWhatIsInside) {
  const TestDirectory directory;
  put_file(directory.path() / "state/pki/ca.key", "x");
  put_file(directory.path() / "config", "x");
  std::filesystem::create_directory_symlink("state", directory.path() / "link");
  const std::vector<std::filesystem::path> places = {directory.path() / "state/pki", directory.path() / "link",
                                                     directory.path() / "config", directory.path() / "none"};
  const HiddenPaths hidden = HiddenPaths::find(places);
  const std::string top = directory.path().string();
  EXPECT_TRUE(hidden.hold(top + "/state"));
  EXPECT_TRUE(hidden.hold(top + "/state/pki/ca.key"));
  EXPECT_TRUE(hidden.hold(top + "/config"));
  EXPECT_FALSE(hidden.hold(top));
  EXPECT_FALSE(hidden.hold(top + "/state-of-another"));
  EXPECT_FALSE(hidden.hold(top + "/none"));
  EXPECT_FALSE(HiddenPaths().hold("/"));
}

}  // namespace
}  // namespace basalt::node
