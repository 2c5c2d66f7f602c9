// What other processes use: CPU and memory by /proc, before and after.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace basalt::lab {

inline constexpr size_t kMaxWatchedProcesses = 16;

struct ProcessUsage {
  double cpu_seconds = 0;  // user and system, since it began
  double resident_mib = 0, peak_mib = 0;
};

struct WatchedProcess {
  std::string role;  // "scheduler"
  int pid = 0;
};
// "scheduler=1234".
[[nodiscard]] Result<WatchedProcess> parse_watched(std::string_view text);
// An error: there is no such process (any more).
[[nodiscard]] Result<ProcessUsage> usage_of(const WatchedProcess& process);

// The text of /proc/PID/stat → CPU seconds; the name in it may contain anything. -1: it is no such text.
[[nodiscard]] double cpu_of_stat(std::string_view text, long ticks_per_second);
// A line "VmRSS:   123 kB" of /proc/PID/status, in MiB; 0: there is none.
[[nodiscard]] double mib_of_status(std::string_view text, std::string_view field);

}  // namespace basalt::lab
