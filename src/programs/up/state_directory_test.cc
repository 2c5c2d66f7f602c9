#include "programs/up/state_directory.h"

#include <gmock/gmock.h>

#include "kube/net/private_file.h"
#include "programs/up/up_fixture.h"

namespace basalt::up {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class StateDirectoryTest : public DirectoryTest {
 protected:
  // Refused, with the directory's name and a remedy in the message, and all as it was.
  void expect_refused(const fs::path& root, std::string_view why) {
    const auto before = listing(root);
    const auto opened = StateDirectory::open(root);
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message, HasSubstr(root.string()));
    EXPECT_THAT(opened.error().message, HasSubstr(why));
    EXPECT_THAT(opened.error().message, HasSubstr("--state"));
    EXPECT_EQ(listing(root), before);
  }
};

TEST_F(StateDirectoryTest, IsMadeForItsOwnerOnly) {
  const fs::path root = scratch / "a" / "state";
  ASSERT_TRUE(StateDirectory::open(root));
  EXPECT_EQ(mode(root), 0700U);
  EXPECT_EQ(mode(root / "pki"), 0700U);
  EXPECT_EQ(mode(root / "logs"), 0700U);
  EXPECT_EQ(mode(root / "basalt-state"), 0600U);
  EXPECT_TRUE(StateDirectory::open(root)) << "and found again";
  ASSERT_TRUE(StateDirectory::open((scratch / "with-slash").string() + "/"));
  EXPECT_EQ(mode(scratch / "with-slash"), 0700U);
}

TEST_F(StateDirectoryTest, SomebodysDirectoryIsRefusedAndNotTouched) {
  const fs::path home = scratch / "home";
  fs::create_directories(home / "documents");
  fs::permissions(home, fs::perms(0755));
  ASSERT_TRUE(net::write_private_file(home / ".profile", "x"));
  expect_refused(home, "not empty");
  EXPECT_EQ(mode(home), 0755U);
  fs::create_directory_symlink(home, scratch / "link");
  const auto by_link = StateDirectory::open(scratch / "link");
  EXPECT_FALSE(by_link) << "a link to it is no better";
}

TEST_F(StateDirectoryTest, APartOfOursIsNotEnough) {
  for (const char* only : {"pki", "store.db", "logs", "kubeconfig"}) {
    const fs::path root = scratch / only;
    fs::create_directories(root / only);
    fs::permissions(root, fs::perms(0700));
    expect_refused(root, "not empty");
  }
}

TEST_F(StateDirectoryTest, AnEmptyOneIsTakenAndKeepsItsMode) {
  const fs::path root = scratch / "empty";
  fs::create_directory(root);
  fs::permissions(root, fs::perms(0755));
  fs::create_directory(root / "lost+found");
  ASSERT_TRUE(StateDirectory::open(root));
  EXPECT_EQ(mode(root), 0755U);
  EXPECT_EQ(mode(root / "pki"), 0700U);
}

TEST_F(StateDirectoryTest, OneOfAnEarlierVersionIsTaken) {
  for (const char* store : {"store.db", "store.db.lock"}) {
    const fs::path root = scratch / store;
    fs::create_directories(root / "pki");
    fs::permissions(root / "pki", fs::perms(0700));
    ASSERT_TRUE(net::write_private_file(root / store, "x"));
    ASSERT_TRUE(StateDirectory::open(root)) << store;
    EXPECT_TRUE(fs::exists(root / "basalt-state"));
  }
}

TEST_F(StateDirectoryTest, OneThatAFirstStartLeftHalfMadeIsTaken) {
  const fs::path root = scratch / "half";
  fs::create_directory(root);
  ASSERT_TRUE(net::write_private_file(root / ".basalt-state.a1B2c3", "This dir"));
  const auto opened = StateDirectory::open(root);
  ASSERT_TRUE(opened);
  opened->remove_unfinished();
  EXPECT_FALSE(fs::exists(root / ".basalt-state.a1B2c3"));
}

TEST_F(StateDirectoryTest, OneThatOthersMayWriteToIsRefused) {
  for (const unsigned open : {0777U, 01777U, 0770U, 0702U}) {
    const fs::path root = scratch / std::to_string(open);
    fs::create_directory(root);
    fs::permissions(root, fs::perms(open));
    expect_refused(root, "chmod go-w");
  }
}

TEST_F(StateDirectoryTest, NobodyIsToldToChangeTheModeOfASharedDirectory) {
  const fs::path root = scratch / "tmp";
  fs::create_directories(root / "of-somebody");
  fs::permissions(root, fs::perms(01777));
  expect_refused(root, "not empty");
}

TEST_F(StateDirectoryTest, OneOfAnotherUserIsRefused) {
  fs::path root = "/usr";  // root's, and we may not change it
  if (::geteuid() == 0) {
    root = scratch / "theirs";
    fs::create_directory(root);
    ASSERT_EQ(::chown(root.c_str(), 1, 1), 0);
  }
  const auto opened = StateDirectory::open(root);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("another user"));
  EXPECT_FALSE(fs::exists(root / "basalt-state"));
}

TEST_F(StateDirectoryTest, AFileIsNoDirectory) {
  ASSERT_TRUE(net::write_private_file(scratch / "file", ""));
  EXPECT_FALSE(StateDirectory::open(scratch / "file"));
  EXPECT_FALSE(StateDirectory::open(scratch / "file" / "below"));
  fs::create_symlink(scratch / "nowhere", scratch / "dangling");
  EXPECT_FALSE(StateDirectory::open(scratch / "dangling"));
}

TEST_F(StateDirectoryTest, TokensAreMadeOnceAndKept) {
  const StateDirectory directory = must(StateDirectory::open(scratch / "state"));
  const auto first = must(directory.tokens());
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(mode(directory.tokens_file()), 0600U);
  EXPECT_EQ(must(directory.tokens()).front().token, first.front().token);
  fs::permissions(directory.tokens_file(), fs::perms(0644));
  EXPECT_THAT(directory.tokens().error().message, HasSubstr("chmod 600"));
}

}  // namespace
}  // namespace basalt::up
