// What the tests of client share: a fake host environment, and a temporary directory.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "kube/client/host_environment.h"

namespace basalt::client {

struct FakeHostEnvironment {
  std::map<std::string, std::string> environment, files;
  Instant now = Instant::from_unix_seconds(1'800'000'000);

  // The machine must outlive it.
  HostEnvironment host_environment() {
    return {.environment = [this](const std::string& name) { return environment[name]; },
            .read_file = [this](const std::string& path) -> Result<std::string> {
              if (const auto found = files.find(path); found != files.end()) return found->second;
              return failure(ErrorCode::NotFound, path + ": no such file");
            },
            .clock = [this] { return now; }};
  }
};

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "basalt-client-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  std::string script(const std::string& name, const std::string& text) const {
    write(name, "#!/bin/sh\n" + text);
    ::chmod(path(name).c_str(), S_IRWXU);
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace basalt::client
