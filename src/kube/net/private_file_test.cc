#include "kube/net/private_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

namespace basalt::net {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class SecureFile : public ::testing::Test {
 protected:
  SecureFile() { fs::create_directories(root); }
  ~SecureFile() override {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }
  static unsigned mode(const fs::path& path) { return static_cast<unsigned>(fs::status(path).permissions()); }

  const fs::path root = fs::path(::testing::TempDir()) /
                        ("secure_file_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
                         "_" + std::to_string(::getpid()));
};

TEST_F(SecureFile, WritesForTheOwnerOnlyAndReadsBack) {
  const fs::path path = root / "key.pem";
  ASSERT_TRUE(write_private_file(path, "first"));
  ASSERT_TRUE(write_private_file(path, "second"));
  EXPECT_EQ(mode(path), 0600U);
  EXPECT_EQ(read_private_file(path), "second");
  EXPECT_EQ(std::distance(fs::directory_iterator(root), {}), 1) << "nothing is left beside it";
}

TEST_F(SecureFile, ReplacesAnOpenFileByAPrivateOne) {
  const fs::path path = root / "key.pem";
  ASSERT_TRUE(write_private_file(path, "old"));
  fs::permissions(path, fs::perms(0644));
  ASSERT_TRUE(write_private_file(path, "new"));
  EXPECT_EQ(mode(path), 0600U);
}

TEST_F(SecureFile, RefusesWhatOthersCanRead) {
  const fs::path path = root / "key.pem";
  ASSERT_TRUE(write_private_file(path, "secret"));
  for (const unsigned open : {0640U, 0604U, 0620U, 0601U}) {
    fs::permissions(path, fs::perms(open));
    const auto content = read_private_file(path);
    ASSERT_FALSE(content);
    EXPECT_THAT(content.error().message, HasSubstr("chmod 600 " + path.string()));
  }
}

TEST_F(SecureFile, SaysWhatIsMissing) {
  const auto content = read_private_file(root / "none");
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, ErrorCode::NotFound);
  EXPECT_FALSE(write_private_file(root / "no" / "such" / "file", "x"));
  EXPECT_FALSE(read_private_file(root));
}

TEST_F(SecureFile, BoundsWhatItReads) {
  ASSERT_TRUE(write_private_file(root / "large", std::string(kMaxPrivateFileBytes + 1, 'x')));
  EXPECT_FALSE(read_private_file(root / "large"));
  ASSERT_TRUE(write_private_file(root / "fits", std::string(kMaxPrivateFileBytes, 'x')));
  EXPECT_TRUE(read_private_file(root / "fits"));
}

TEST_F(SecureFile, DirectoryIsPrivateOrRefusedAndNeverChanged) {
  const fs::path inner = root / "a" / "b";
  ASSERT_TRUE(make_private_directory(inner));
  EXPECT_EQ(mode(inner), 0700U);
  EXPECT_TRUE(make_private_directory(inner));
  for (const unsigned open : {0755U, 0710U, 0701U}) {
    fs::permissions(inner, fs::perms(open));
    const auto made = make_private_directory(inner);
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr("chmod 700 " + inner.string()));
    EXPECT_EQ(mode(inner), open);
  }
  ASSERT_TRUE(write_private_file(root / "file", ""));
  EXPECT_FALSE(make_private_directory(root / "file"));
  fs::create_directory_symlink(root / "a", root / "link");
  EXPECT_FALSE(make_private_directory(root / "link"));
}

TEST_F(SecureFile, RemovesWhatAKilledWriterLeft) {
  const fs::path path = root / "key.pem";
  for (const char* name : {".key.pem.a1B2c3", ".key.pem.long-name", ".key.pem.", ".other.a1B2c3", "key.pem.a1B2c3"}) {
    ASSERT_TRUE(write_private_file(root / name, "x"));
  }
  ASSERT_TRUE(write_private_file(path, "whole"));
  remove_unfinished(path);
  EXPECT_FALSE(fs::exists(root / ".key.pem.a1B2c3"));
  EXPECT_EQ(std::distance(fs::directory_iterator(root), {}), 5) << "and nothing else";
}

}  // namespace
}  // namespace basalt::net
