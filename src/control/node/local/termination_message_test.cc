#include "control/node/local/termination_message.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "kube/text/json.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

class TerminationTest : public testing::Test {
 protected:
  TerminationTest() : directory(fs::temp_directory_path() / ("basalt-termination-" + std::to_string(::getpid()))) {
    fs::create_directories(directory);
  }
  ~TerminationTest() override { fs::remove_all(directory); }
  static void put(const fs::path& file, std::string_view text) { std::ofstream(file, std::ios::binary) << text; }
  [[nodiscard]] TerminationFile of(std::string_view container) const {
    return termination_of(text::parse_json(container)->get_object(), directory, directory / "a.log");
  }

  const fs::path directory;
};

TEST_F(TerminationTest, AnEmptyFileThatAnybodyMayWriteTo) {
  const TerminationFile termination = of(R"({"name": "a", "terminationMessagePath": "/dev/termination-log"})");
  EXPECT_EQ(termination.path, "/dev/termination-log");
  put(termination.file, "of the run before");
  ASSERT_TRUE(prepare(termination));
  struct stat found{};
  ASSERT_EQ(::stat(termination.file.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0666U);
  EXPECT_EQ(found.st_size, 0);
  EXPECT_EQ(termination_message(termination, 1), "");
  put(termination.file, "out of luck");
  EXPECT_EQ(termination_message(termination, 1), "out of luck");
  EXPECT_EQ(termination_message(termination, 0), "out of luck");
  EXPECT_TRUE(of(R"({"name": "a"})").file.empty());
}

TEST_F(TerminationTest, IsCutAndIsText) {
  const TerminationFile termination = of(R"({"name": "a", "terminationMessagePath": "/x"})");
  put(termination.file, std::string(kMaxTerminationMessage - 1, 'x') + "ü");
  EXPECT_EQ(termination_message(termination, 1), std::string(kMaxTerminationMessage - 1, 'x'));
  put(termination.file, "a\xFF\xFE z");
  EXPECT_EQ(termination_message(termination, 1), "a?? z");
  fs::remove(termination.file);
  fs::create_symlink("/etc/passwd", termination.file);
  EXPECT_EQ(termination_message(termination, 1), "") << "a link is not followed";
}

TEST_F(TerminationTest, FallsBackToTheEndOfTheLog) {
  const TerminationFile termination =
      of(R"({"name": "a", "terminationMessagePath": "/x", "terminationMessagePolicy": "FallbackToLogsOnError"})");
  ASSERT_TRUE(prepare(termination));
  const std::string stamp = "2026-01-01T00:00:00.000000000Z stderr ";
  put(termination.log, stamp + "F one\n" + stamp + "P tw\n" + stamp + "F o\n");
  EXPECT_EQ(termination_message(termination, 1), "one\ntwo\n");
  EXPECT_EQ(termination_message(termination, 0), "") << "only after a failure";
  put(termination.file, "said");
  EXPECT_EQ(termination_message(termination, 1), "said");
  ASSERT_TRUE(prepare(termination));
  std::string many, last;
  for (int i = 0; i < 500; ++i) many += stamp + "F " + std::to_string(i) + "\n";
  for (int i = 420; i < 500; ++i) last += std::to_string(i) + "\n";
  put(termination.log, many);
  EXPECT_EQ(termination_message(termination, 1), last);
  put(termination.log, stamp + "F " + std::string(9000, 'x') + "\n" + stamp + "F end\n");
  EXPECT_EQ(termination_message(termination, 1), "end\n");
  put(termination.log, stamp + "F " + std::string(3000, 'x') + "\n");
  EXPECT_EQ(termination_message(termination, 1), std::string(kMaxFallbackBytes - 1, 'x') + "\n");
}

}  // namespace
}  // namespace basalt::node
