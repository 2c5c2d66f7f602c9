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
#include "control/node/local/launch.h"
#include "control/node/local/logs.h"
#include "control/node/local/process.h"

namespace basalt::node {

struct Kept {
  Launched held;
  std::optional<LogFile> log;                                  // one of these three takes the output
  std::function<void(OutputStream, std::string_view)> output;  // …
  std::string captured;                                        // …
  std::function<void(Exit)> ended;
  std::filesystem::path cgroup;  // "": none
  bool owns_cgroup = false;      // false: it is another's, in which this one runs
  std::string marker;            // kill by it when the shepherd was killed by force; "": the kernel has done it
};

class Reaper {
 public:
  static Result<std::unique_ptr<Reaper>> make(std::function<Instant()> clock);
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;
  // As let_go().
  ~Reaper();
  // Lets go of all leashes: what does not outlive us is killed, `ended` is not called any more. What is kept
  // after it is let go by the destructor.
  void let_go();

  // Any thread. Requires: `id` is new.
  void keep(uint64_t id, Kept kept);
  void signal(uint64_t id, int number);
  void signal_all(int number);
  // Waits until nothing is kept; false: not within `longest`.
  bool wait_until_empty(std::chrono::milliseconds longest);
  [[nodiscard]] size_t size() const;

  struct Way {
    Descriptor shepherd;  // a copy of its pidfd; closed where the kernel has none
    std::filesystem::path cgroup;
  };
  // How to get into a running container; nothing: it ended.
  [[nodiscard]] std::optional<Way> way_into(uint64_t id) const;

 private:
  Reaper(Descriptor epoll, Descriptor bell, std::function<Instant()> clock);
  void run();
  void handle(uint64_t key);
  enum class Flow : uint8_t { More, Empty, Ended };
  Flow read_output(Kept& kept, OutputStream stream) const;
  void take(Kept& kept, OutputStream stream, std::string_view bytes) const;
  void end(uint64_t id, Kept& kept, const Report& report);
  void watch(int descriptor, uint64_t key) const;
  void unwatch(Descriptor& descriptor) const;  // and closes it
  Kept* find(uint64_t id);

  Descriptor epoll_, bell_;
  std::function<Instant()> clock_;
  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  std::map<uint64_t, std::unique_ptr<Kept>> kept_;  // a Kept is touched by the thread alone, but for its leash
  std::thread thread_;
};

}  // namespace basalt::node
