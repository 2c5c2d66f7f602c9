#include "control/node/local/container_log_file.h"

#include <stdlib.h>

#include "control/node/local/process_fixture.h"

namespace basalt::node {
namespace {

using testing::HasSubstr;

constexpr Instant kLogged{1'700'000'000'000'000'042};
const std::string kTime = "2023-11-14T22:13:20.000000042Z";

class LogsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "basalt-logs-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }
  ContainerLogFile open(ContainerLogLimits limits) {
    auto log = ContainerLogFile::open(file(), limits);
    EXPECT_TRUE(log) << log.error().message;
    return std::move(*log);
  }
  [[nodiscard]] fs::path file() const { return directory_ / "pod/main.log"; }
  [[nodiscard]] std::string rotated(int number) const {
    return content(file().string() + "." + std::to_string(number));
  }

  fs::path directory_;
};

TEST_F(LogsTest, LinesOfBothStreamsArePutTogetherFromPieces) {
  ContainerLogFile log = open({});
  log.append(OutputStream::Stdout, "one\ntw", kLogged);
  log.append(OutputStream::Stderr, "bad\n", kLogged);
  log.append(OutputStream::Stdout, "o\n\nrest", kLogged);
  log.finish(kLogged);
  EXPECT_EQ(content(file()), kTime + " stdout F one\n" + kTime + " stderr F bad\n" + kTime + " stdout F two\n" + kTime +
                                 " stdout F \n" + kTime + " stdout P rest\n");
}

TEST_F(LogsTest, AreForTheirOwnerOnly) {
  const ContainerLogFile log = open({});
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(LogsTest, ALongLineIsCutIntoPartsAndALineOfJustThatLengthIsWhole) {
  ContainerLogFile log = open({});
  const std::string full(kMaxLogLine, 'x');
  log.append(OutputStream::Stdout, full + "y\n", kLogged);
  EXPECT_EQ(content(file()), kTime + " stdout P " + full + "\n" + kTime + " stdout F y\n");
  log.append(OutputStream::Stdout, full + "\n", kLogged);
  EXPECT_THAT(content(file()), testing::EndsWith("stdout F " + full + "\n"));
}

TEST_F(LogsTest, RotatesBySizeAndKeepsSoMany) {
  ContainerLogFile log = open({.max_bytes = 100, .max_files = 3});
  for (char letter = 'a'; letter <= 'e'; ++letter)
    log.append(OutputStream::Stdout, std::string(60, letter) + "\n", kLogged);
  EXPECT_THAT(content(file()), HasSubstr("eeee"));
  EXPECT_THAT(rotated(1), HasSubstr("dddd"));
  EXPECT_THAT(rotated(2), HasSubstr("cccc"));
  EXPECT_FALSE(fs::exists(file().string() + ".3"));
}

TEST_F(LogsTest, OneFileStartsAnew) {
  ContainerLogFile log = open({.max_bytes = 100, .max_files = 1});
  log.append(OutputStream::Stdout, std::string(60, 'a') + "\n", kLogged);
  log.append(OutputStream::Stdout, std::string(60, 'b') + "\n", kLogged);
  EXPECT_THAT(content(file()), testing::Not(HasSubstr("aaaa")));
  EXPECT_FALSE(fs::exists(file().string() + ".1"));
}

TEST_F(LogsTest, ARestartPutsTheLogAsideAndClearsOldParts) {
  write(file(), "former\n");
  write(file().string() + ".1", "older\n");
  write(file().string() + ".2", "older\n");
  ContainerLogFile log = open({});
  EXPECT_EQ(content(file()), "");
  EXPECT_EQ(content(directory_ / "pod/main.previous.log"), "former\n");
  EXPECT_FALSE(fs::exists(file().string() + ".1"));
  EXPECT_FALSE(fs::exists(file().string() + ".2"));
}

TEST_F(LogsTest, AnUnusablePlaceIsNamed) {
  write(directory_ / "pod", "a file where the directory should be");
  const auto log = ContainerLogFile::open(file(), {});
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().message, HasSubstr((directory_ / "pod").string()));
}

TEST_F(LogsTest, BytesThatAreNoTextAreKept) {
  ContainerLogFile log = open({});
  const std::string bytes("\0\xff\x80", 3);
  log.append(OutputStream::Stdout, bytes + "\n", kLogged);
  EXPECT_EQ(content(file()), kTime + " stdout F " + bytes + "\n");
}

}  // namespace
}  // namespace basalt::node
