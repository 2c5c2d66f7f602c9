#include "control/node/local/atomic_files.h"

#include <sys/stat.h>

#include "control/node/local/object_fixture.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

unsigned mode_of(const fs::path& path) {
  struct stat found{};
  return stat(path.c_str(), &found) == 0 ? found.st_mode & 07777U : 0;
}

bool write_version(const fs::path& directory, const VolumeFiles& files) {
  const auto written = write_files(directory, files, std::nullopt);
  EXPECT_TRUE(written) << (written ? "" : written.error().message);
  return written.value_or(false);
}

TEST(AtomicFiles, FilesOfOneVersionAreReplacedTogether) {
  const TestDirectory temporary;
  const fs::path volume = temporary.path() / "volume";
  EXPECT_TRUE(write_version(volume, {{"a", {.bytes = "one"}}, {"deep/er/b", {.bytes = "two", .mode = 0400}}}));
  EXPECT_EQ(content_of(volume / "a"), "one");
  EXPECT_EQ(content_of(volume / "deep/er/b"), "two");
  EXPECT_EQ(mode_of(volume / "a"), 0644U);
  EXPECT_EQ(mode_of(volume / "deep/er/b"), 0400U);
  EXPECT_EQ(fs::read_symlink(volume / "a"), "..data/a");
  const fs::path first = fs::read_symlink(volume / "..data");

  std::ifstream open(volume / "a");
  EXPECT_FALSE(write_version(volume, {{"a", {.bytes = "one"}}, {"deep/er/b", {.bytes = "two", .mode = 0400}}}));
  EXPECT_EQ(fs::read_symlink(volume / "..data"), first) << "nothing changed, nothing is written";

  EXPECT_TRUE(write_version(volume, {{"a", {.bytes = "new"}}, {"c", {.bytes = ""}}}));
  EXPECT_EQ(content_of(volume / "a"), "new");
  EXPECT_EQ(content_of(volume / "c"), "");
  EXPECT_FALSE(fs::exists(fs::symlink_status(volume / "deep")));
  EXPECT_FALSE(fs::exists(volume / first));
  std::string old;
  open >> old;
  EXPECT_EQ(old, "one") << "who has it open reads on";
}

TEST(AtomicFiles, AModeAloneIsAChange) {
  const TestDirectory temporary;
  EXPECT_TRUE(write_version(temporary.path() / "v", {{"a", {.bytes = "x", .mode = 0644}}}));
  EXPECT_TRUE(write_version(temporary.path() / "v", {{"a", {.bytes = "x", .mode = 0600}}}));
  EXPECT_EQ(mode_of(temporary.path() / "v/a"), 0600U);
}

TEST(AtomicFiles, NoFilesIsAnEmptyDirectory) {
  const TestDirectory temporary;
  EXPECT_TRUE(write_version(temporary.path() / "v", {}));
  EXPECT_FALSE(write_version(temporary.path() / "v", {}));
  EXPECT_TRUE(fs::is_directory(temporary.path() / "v"));
}

TEST(AtomicFiles, AFileCannotBeADirectoryToo) {
  const TestDirectory temporary;
  const auto written =
      write_files(temporary.path() / "v", {{"a", {.bytes = "x"}}, {"a/b", {.bytes = "y"}}}, std::nullopt);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("Not a directory"), std::string::npos) << written.error().message;
}

TEST(AtomicFiles, WhatACrashOrSomebodyLeftIsPutRight) {
  const TestDirectory temporary;
  const fs::path volume = temporary.path() / "v";
  ASSERT_TRUE(write_version(volume, {{"a", {.bytes = "x"}}}));
  put_file(volume / "..version-2/stale", "x");            // a version that was never shown
  fs::create_symlink("/nowhere", volume / "..data_tmp");  // nor its link
  fs::remove(volume / "a");
  put_file(volume / "a/in/the/way", "x");
  fs::create_symlink("..data/gone", volume / "gone");
  EXPECT_TRUE(write_version(volume, {{"a", {.bytes = "y"}}}));
  EXPECT_EQ(content_of(volume / "a"), "y");
  EXPECT_FALSE(fs::exists(fs::symlink_status(volume / "gone")));
  EXPECT_FALSE(fs::exists(volume / "..data/stale"));

  fs::remove(volume / "..data");
  fs::create_symlink("/etc", volume / "..data");  // not ours: it is replaced, and nothing there is touched
  EXPECT_TRUE(write_version(volume, {{"a", {.bytes = "z"}}}));
  EXPECT_EQ(content_of(volume / "a"), "z");
}

}  // namespace
}  // namespace basalt::node
