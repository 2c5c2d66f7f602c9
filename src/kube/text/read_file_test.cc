#include "kube/text/read_file.h"

#include <gtest/gtest.h>

#include <fstream>

namespace basalt::text {
namespace {

TEST(File, ReadsWithinTheLimit) {
  const std::string path = testing::TempDir() + "basalt_file_test.txt";
  std::ofstream(path) << std::string(1000, 'x');
  EXPECT_EQ(read_file(path).value().size(), 1000U);
  EXPECT_EQ(read_file(path, 1000).value().size(), 1000U);
  EXPECT_EQ(read_file(path, 999).error().code, ErrorCode::Invalid);
}

TEST(File, NamesWhatCannotBeRead) {
  EXPECT_EQ(read_file("/nonexistent/file").error().code, ErrorCode::NotFound);
  EXPECT_EQ(read_file("/nonexistent/file").error().message,
            "/nonexistent/file: cannot be read: No such file or directory");
  EXPECT_EQ(read_file("/").error().code, ErrorCode::Io);
}

}  // namespace
}  // namespace basalt::text
