// For tests with real processes: starts them, waits for them, and leaves nothing behind.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "control/node/local/process.h"

namespace basalt::node {

namespace fs = std::filesystem;

inline constexpr std::chrono::seconds kPatience{30};  // only a failing test waits so long

class Ended {
 public:
  std::function<void(ProcessExit)> notice() {
    return [this](ProcessExit exit) {
      const std::lock_guard lock(mutex_);
      exit_ = std::move(exit);
      changed_.notify_all();
    };
  }
  ProcessExit wait() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [this] { return exit_.has_value(); })) << "the process does not end";
    return exit_.value_or(ProcessExit{.code = -1});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<ProcessExit> exit_;
};

inline std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

inline void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

// For what the kernel does in its own time, and no one tells.
inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

// Waits for a line on a named pipe: how a test learns that a process has come so far.
inline std::string read_line(const fs::path& pipe) {
  std::ifstream in(pipe);
  std::string line;
  std::getline(in, line);
  return line;
}

// The parameter: with namespaces or, as on a machine that permits none, without.
class ProcessTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "basalt-process-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    auto made = Processes::make({.directory = directory_ / "state", .use_namespaces = GetParam()});
    ASSERT_TRUE(made) << made.error().message;
    processes_ = std::move(*made);
  }
  void TearDown() override {
    processes_.reset();
    fs::remove_all(directory_);
  }

  static ProcessSpec shell(const std::string& script) {
    return {.argv = {"sh", "-c", script}, .environment = {"PATH=/usr/bin:/bin", "HOME=/"}};
  }
  ProcessExit run(const ProcessSpec& spec) {
    Ended ended;
    const auto started = processes_->start(spec, ended.notice());
    if (!started) ADD_FAILURE() << started.error().message;
    return started ? ended.wait() : ProcessExit{.code = -1};
  }
  Error refused(const ProcessSpec& spec) {
    const auto started = processes_->start(spec, [](const ProcessExit&) { ADD_FAILURE() << "ended was called"; });
    if (started) ADD_FAILURE() << "it started";
    return started ? Error{} : started.error();
  }
  fs::path named_pipe(const std::string& name) {
    const fs::path pipe = directory_ / name;
    EXPECT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
    return pipe;
  }

  fs::path directory_;
  std::unique_ptr<Processes> processes_;
};

}  // namespace basalt::node
