// A directory that goes with the process: the state of an ephemeral cluster.
#pragma once

#include <filesystem>
#include <utility>

#include "base/result.h"

namespace basalt::up {

class TemporaryDirectory {
 public:
  static Result<TemporaryDirectory> make();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace basalt::up
