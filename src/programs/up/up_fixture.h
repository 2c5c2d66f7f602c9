// What the tests of up share: a directory that goes with the test.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/instant.h"
#include "base/result.h"

namespace basalt::up {

inline Instant test_now() { return Instant::from_unix_seconds(std::time(nullptr)); }
constexpr Duration days(int64_t count) { return Duration::seconds(count * 24 * 3600); }

// Of a step that only a broken test setup can fail.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

class DirectoryTest : public ::testing::Test {
 protected:
  DirectoryTest() {
    std::string pattern = ::testing::TempDir() + "basalt-up-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no directory for the test");
    scratch = pattern;
  }
  ~DirectoryTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(scratch, ignored);
  }

  static unsigned mode(const std::filesystem::path& path) {
    struct stat found{};
    return ::lstat(path.c_str(), &found) == 0 ? found.st_mode & 07777U : 0U;
  }
  // Everything below, with its mode: to see that nothing was changed.
  static std::map<std::string, unsigned> listing(const std::filesystem::path& root) {
    std::map<std::string, unsigned> found{{".", mode(root)}};
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      found[entry.path().lexically_relative(root).string()] = mode(entry.path());
    }
    return found;
  }

  std::filesystem::path scratch;
};

}  // namespace basalt::up
