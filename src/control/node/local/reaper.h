// The thread that reads what containers write and learns how they ended.
//
// It holds a running container's descriptors and log; all of it goes when the container has ended and `ended` returned.
// A disk that is slow holds up this thread only: a container then waits when its pipe is full, not before.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/instant.h"
#include "base/result.h"
#include "control/node/local/container_launch.h"
#include "control/node/local/container_log_file.h"
#include "control/node/local/process.h"

namespace basalt::node {

struct RunningContainer {
  LaunchedContainer held;
  std::optional<ContainerLogFile> log;                         // one of these three takes the output
  std::function<void(OutputStream, std::string_view)> output;  // …
  std::string captured;                                        // …
  std::function<void(ProcessExit)> ended;
  std::filesystem::path cgroup;  // "": none
  bool owns_cgroup = false;      // false: it is another's, in which this one runs
  std::string marker;            // kill by it when the supervisor was killed by force; "": the kernel has done it
};

class Reaper {
 public:
  static Result<std::unique_ptr<Reaper>> make(std::function<Instant()> clock);
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;
  // As let_go().
  ~Reaper();
  // Closes all control sockets: what does not outlive us is killed, `ended` is not called any more. What is kept after
  // it is closed by the destructor.
  void let_go();

  // Any thread. Requires: `id` is new.
  void keep(uint64_t id, RunningContainer kept);
  void signal(uint64_t id, int number);
  void signal_all(int number);
  // Waits until nothing is kept; false: not within `longest`.
  bool wait_until_empty(std::chrono::milliseconds longest);
  [[nodiscard]] size_t size() const;

  struct Way {
    Descriptor supervisor;  // a copy of its pidfd; closed where the kernel has none
    std::filesystem::path cgroup;
  };
  // How to get into a running container; nothing: it ended.
  [[nodiscard]] std::optional<Way> way_into(uint64_t id) const;

 private:
  Reaper(Descriptor epoll, Descriptor wake_fd, std::function<Instant()> clock);
  void run();
  void handle(uint64_t key);
  enum class Flow : uint8_t { More, Empty, Ended };
  Flow read_output(RunningContainer& kept, OutputStream stream) const;
  void take(RunningContainer& kept, OutputStream stream, std::string_view bytes) const;
  void end(uint64_t id, RunningContainer& kept, const SupervisorReport& report);
  void watch(int descriptor, uint64_t key) const;
  void unwatch(Descriptor& descriptor) const;  // and closes it
  RunningContainer* find(uint64_t id);

  Descriptor epoll_, wake_fd_;
  std::function<Instant()> clock_;
  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  std::map<uint64_t, std::unique_ptr<RunningContainer>>
      kept_;  // a RunningContainer is touched by the thread alone, but for its control socket
  std::thread thread_;
};

}  // namespace basalt::node
