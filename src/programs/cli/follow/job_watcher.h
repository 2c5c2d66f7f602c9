// The objects of one job, kept up to date by five watches (job_objects.h).
//
// Each part is listed and then watched from there; a watch that ends is opened again with a list. Threads: those of the
// client only put events into a queue; the objects are touched by the caller of step() alone.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "programs/cli/bounded_queue.h"
#include "programs/cli/follow/job_objects.h"
#include "programs/cli/vcctl/command_session.h"

namespace basalt::cli::follow {

inline constexpr size_t kMaxQueuedEvents = 10'000;  // received and not looked at; the client waits when they are many
inline constexpr int kMaxQuietEnds = 5;             // watches that the server ends one after the other without an event

class JobWatcher {
 public:
  // Requires: `session` outlives it.
  JobWatcher(vcctl::CommandSession& session, std::string namespace_name, std::string job_name);
  ~JobWatcher();
  JobWatcher(const JobWatcher&) = delete;
  JobWatcher& operator=(const JobWatcher&) = delete;

  // Lists everything and opens the watches. An error: no such job, or the server does not answer.
  [[nodiscard]] Result<void> open();

  // Takes what has come into the objects; waits at most `wait` for the first of it. False: nothing came. An error: the
  // server cannot be followed any more.
  [[nodiscard]] Result<bool> step(std::chrono::milliseconds wait);

  [[nodiscard]] const JobObjects& objects() const { return objects_; }

 private:
  struct ReceivedEvent {
    size_t entry = 0;
    uint64_t epoch = 0;
    client::WatchEvent event;
  };
  struct KindWatch {
    JobObjectKind part;
    const vcctl::VcctlKind& kind;
    vcctl::ListScope scope;
    std::unique_ptr<client::Watch> watch;
    uint64_t epoch = 0;  // tells events of this watch from those of a former one
    int quiet_ends = 0;
  };

  void add_watch(JobObjectKind part, const vcctl::VcctlKind& kind, vcctl::ListScope scope);
  [[nodiscard]] Result<void> open_watch(size_t index);
  [[nodiscard]] Result<void> read(ReceivedEvent received);

  vcctl::CommandSession& session_;
  std::string namespace_;
  JobObjects objects_;
  std::shared_ptr<BoundedQueue<ReceivedEvent>> queue_;  // shared with the functions that the client calls
  std::vector<KindWatch> watches_;
};

}  // namespace basalt::cli::follow
