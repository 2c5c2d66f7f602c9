// What the components in volcano-system (component_pods.h) have said, for `kubectl logs`.
//
// 1. Lines of this process that begin with "scheduler: " go to the scheduler's log, all others to the controllers'. The
//    webhooks' log has what they refused, and only that log has it: whoever is refused in a loop fills no other file.
// 2. A log has at most two files of kMaxComponentLogBytes; what an earlier process said is kept. A log that cannot be
//    written is given up.
// 3. They are below a directory of their own, since a node removes from its own what belongs to no pod of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/instant.h"
#include "programs/up/up_log.h"

namespace basalt::up {

inline constexpr size_t kMaxComponentLogBytes = size_t{4} * 1024 * 1024;

struct ComponentLogFunctions {
  LogLineFunction line;                                    // to `next`, and to the scheduler's or the controllers' log
  std::function<void(const std::string& line)> admission;  // to the webhooks' log
};

// From any thread. The files are DIRECTORY/<namespace>/<pod>/<container>.log; `next` may be empty.
[[nodiscard]] ComponentLogFunctions open_component_logs(const std::filesystem::path& directory, LogLineFunction next,
                                                        std::function<Instant()> clock);

}  // namespace basalt::up
