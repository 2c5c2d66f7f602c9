// A job on a screen: queue, gang, pods, last events. Pure: the same objects give the same lines.
//
//   job    default/train                          Pending
//   why    needs 16 nvidia.com/gpu; the cluster has 3 of 64 free
//   queue  research  Open  weight 4  in use: cpu=16,nvidia.com/gpu=2
//   gang   [######======............] 3 running, 3 more on nodes, of 8 needed (10 wanted)
//
//   POD             STATUS    NODE
//   train-worker-0  Running   gpu-3
//   … 4 more
//
//   EVENTS
//   12s  Warning  Unschedulable  …
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "programs/cli/follow/job_objects.h"
#include "programs/cli/vcctl/terminal.h"

namespace basalt::cli::follow {

inline constexpr size_t kMaxTextLines = 4;  // of queue, gang and why each; they are wrapped too
inline constexpr int64_t kBarCells = 24;

// How far a gang is, in pods that are not being deleted.
struct GangProgress {
  int64_t needed = 0;  // minAvailable
  int64_t wanted = 0;  // replicas of all tasks
  int64_t running = 0;
  int64_t placed = 0;  // on a node and neither running nor ended
  int64_t succeeded = 0, failed = 0;
  friend bool operator==(const GangProgress&, const GangProgress&) = default;
};
[[nodiscard]] GangProgress gang_progress(const JobObjects& objects);

// Why the job waits, in the scheduler's words; "" when it does not, or nobody said.
[[nodiscard]] std::string waiting_reason(const JobObjects& objects);

// The whole board, no longer than the screen and no line wider: what is longer goes on in the next line. Requires:
// terminal.width and height are set.
[[nodiscard]] std::vector<std::string> dashboard_lines(const JobObjects& objects, const vcctl::Terminal& terminal);

// All that matters in one line, for logs: changes when something happened, and not as time passes.
[[nodiscard]] std::string state_line(const JobObjects& objects);
// "Warning Unschedulable pod/train-0: …"
[[nodiscard]] std::string event_line(const text::Object& event);

enum class FollowGoal : uint8_t { Running, Completed };

// Whether the wait is over: true, the job is where it should be (Completed is beyond Running); false, it never will be.
[[nodiscard]] std::optional<bool> reached(const JobObjects& objects, FollowGoal goal);

}  // namespace basalt::cli::follow
