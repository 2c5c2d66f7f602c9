#include "control/node/local/volume_mounts.h"

#include <sys/stat.h>

#include "control/node/local/object_fixture.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

class MountsTest : public ::testing::Test {
 protected:
  MountsTest() {
    fs::create_directories(directory.path() / "data");
    fs::permissions(directory.path() / "data", fs::perms::all);
    put_file(directory.path() / "config/..version-1/key", "x");
    fs::create_symlink("..version-1", directory.path() / "config/..data");
    fs::create_symlink("..data/key", directory.path() / "config/key");
    volumes.by_name = {
        {"data", {.path = directory.path() / "data"}},
        {"config", {.path = directory.path() / "config", .read_only = true, .from_objects = true}},
        {"file", {.path = directory.path() / "config/..version-1/key"}},
    };
  }
  Result<std::vector<Mount>> make(std::string_view list) {
    return volume_mounts_of(json(R"({"volumeMounts": )" + std::string(list) + "}"), volumes,
                            {{"POD", "p-0"}, {"EVIL", "../x"}});
  }
  std::string error(std::string_view list) {
    const auto made = make(list);
    return made ? "(none)" : made.error().message;
  }

  TestDirectory directory;
  PodVolumes volumes;
};

TEST_F(MountsTest, WholeVolumesAndParts) {
  const auto made =
      make(R"json([{"name": "data", "mountPath": "/var/data/"}, {"name": "config", "mountPath": "etc/conf"},
    {"name": "data", "mountPath": "/ro", "readOnly": true}, {"name": "config", "mountPath": "/key", "subPath": "key"},
    {"name": "data", "mountPath": "/mine", "subPathExpr": "logs/$(POD)"}])json");
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->size(), 5U);
  EXPECT_EQ((*made)[0].source, directory.path() / "data");
  EXPECT_EQ((*made)[0].target, "/var/data");
  EXPECT_FALSE((*made)[0].read_only);
  EXPECT_EQ((*made)[1].target, "/etc/conf");
  EXPECT_TRUE((*made)[1].read_only);
  EXPECT_TRUE((*made)[2].read_only);
  EXPECT_EQ((*made)[3].source, directory.path() / "config");
  EXPECT_EQ((*made)[3].below, "..version-1/key");
  EXPECT_EQ((*made)[4].source, directory.path() / "data");
  EXPECT_EQ((*made)[4].below, "logs/p-0");
  EXPECT_TRUE(fs::is_directory(directory.path() / "data/logs/p-0"));
  EXPECT_EQ(fs::status(directory.path() / "data/logs/p-0").permissions(), fs::perms::all);
}

TEST_F(MountsTest, NothingLeadsOutOfTheVolume) {
  fs::create_symlink("/etc", directory.path() / "data/etc");
  fs::create_symlink("../config", directory.path() / "data/sibling");
  fs::create_symlink("/tmp/basalt-nowhere", directory.path() / "data/dangling");
  for (const char* sub :
       {"../config", "/etc", "etc", "etc/passwd", "sibling/key", "a/../../b", "dangling", "dangling/x"}) {
    EXPECT_NE(error(R"([{"name": "data", "mountPath": "/m", "subPath": ")" + std::string(sub) + R"("}])"), "(none)")
        << sub;
  }
  EXPECT_NE(error(R"json([{"name": "data", "mountPath": "/m", "subPathExpr": "$(EVIL)"}])json"), "(none)");
  EXPECT_FALSE(fs::exists("/tmp/basalt-nowhere"));
}

TEST_F(MountsTest, WhatIsWrongIsNamed) {
  EXPECT_EQ(error(R"([{"name": "x", "mountPath": "/m"}])"),
            R"(failed to prepare volumeMount "x": volume "x" is not defined)");
  EXPECT_NE(error(R"([{"name": "data", "mountPath": "/"}])").find("in place of \"/\""), std::string::npos);
  EXPECT_NE(error(R"([{"name": "data", "mountPath": ""}])"), "(none)");
  EXPECT_NE(error(R"([{"name": "data", "mountPath": "/a/../b"}])").find("'..'"), std::string::npos);
  EXPECT_NE(
      error(R"json([{"name": "data", "mountPath": "/m", "subPathExpr": "$(NONE)"}])json").find("no variable NONE"),
      std::string::npos);
  EXPECT_NE(error(R"([{"name": "config", "mountPath": "/m", "subPath": "none"}])").find("is not in the volume"),
            std::string::npos);
  EXPECT_NE(error(R"([{"name": "file", "mountPath": "/m", "subPath": "x"}])"), "(none)");
  EXPECT_EQ(error("[5, null, []]"), "(none)");
  EXPECT_EQ(error("5"), "(none)");
  EXPECT_NE(error("[{}]"), "(none)");
}

}  // namespace
}  // namespace basalt::node
