// The last resort of a program that was asked to end: it ends when its grace is over, whatever still runs.
//
// A request that is worked on, a disk that does not answer, a pod or a peer that ignores us may hold up an orderly end
// for ever; nobody should have to come back with SIGKILL. Objects are safe: what was answered is on disk.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace basalt::cli {

class ShutdownDeadline {
 public:
  // `program` begins the line that is written when it comes to that.
  explicit ShutdownDeadline(std::string program) : program_(std::move(program)) {}
  // In time: nothing happens any more. So it lives as long as everything that might hang.
  ~ShutdownDeadline();
  ShutdownDeadline(const ShutdownDeadline&) = delete;
  ShutdownDeadline& operator=(const ShutdownDeadline&) = delete;

  // From now on the process ends after `grace` with exit status 1 and one line on standard error. Once.
  void begin(std::chrono::milliseconds grace);

 private:
  void wait(std::chrono::steady_clock::time_point end, const std::string& line);

  const std::string program_;
  std::mutex mutex_;  // guards in_time_
  std::condition_variable change_;
  bool in_time_ = false;
  std::thread thread_;
};

}  // namespace basalt::cli
