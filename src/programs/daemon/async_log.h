// What a program says while it runs: one line for each event, on standard error, as text or as JSON lines.
//
//   2026-11-16T10:41:00.123456Z I vc-scheduler: became the leader
//   {"ts":"2026-11-16T10:41:00.123456Z","severity":"info","component":"vc-scheduler","msg":"became the leader"}
//
// Levels are klog's, because operators know them: errors, warnings and information always; `v` 1 … 10 for details, from
// the flag -v, changed at run time by `PUT /debug/flags/v` (log_level_page.h) and by the socket that Volcano has
// (klog_socket.h).
//
// 1. A message is one line, whatever it holds: control characters and wrong UTF-8 are escaped, and what is beyond
//    kMaxLineBytes is cut off.
// 2. It never blocks the work: lines wait in a queue (kMaxLogLines, kMaxLogBytes) for a thread that writes them. When
//    nobody reads, the oldest are dropped, and counted in a line of its own later. The end waits for the queue for at
//    most kLogFlushTimeout.
//
// From any thread. Requires: signals are blocked already (Signals), for it starts a thread.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/severity.h"

namespace basalt::daemon {

inline constexpr size_t kMaxLineBytes = size_t{16} * 1024;
inline constexpr size_t kMaxLogLines = 8192;
inline constexpr size_t kMaxLogBytes = size_t{4} * 1024 * 1024;
inline constexpr std::chrono::milliseconds kLogFlushTimeout{1'000};

enum class LogFormat : uint8_t { Text, Json };

// --logging-format: "text" (also "") or "json".
[[nodiscard]] Result<LogFormat> parse_log_format(const std::string& text);

class AsyncLog {
 public:
  // `descriptor` stays the caller's, and open.
  AsyncLog(std::string component, LogFormat format, int level, int descriptor = STDERR_FILENO);
  ~AsyncLog();  // after the last write()
  AsyncLog(const AsyncLog&) = delete;
  AsyncLog& operator=(const AsyncLog&) = delete;

  void write(Severity severity, const std::string& line) const;
  // Only when the level is at least `detail`.
  void detail(int detail, const std::string& line) const {
    if (level() >= detail) write(Severity::Info, line);
  }
  [[nodiscard]] int level() const { return level_.load(std::memory_order_relaxed); }
  void set_level(int level) { level_.store(level, std::memory_order_relaxed); }
  [[nodiscard]] uint64_t dropped() const;  // lines, so far
  // Waits until what was told so far is written, at most kLogFlushTimeout: for a process that is about to end at once.
  void settle() const;

 private:
  class Sink;
  std::unique_ptr<Sink> sink_;
  std::atomic<int> level_;
};

}  // namespace basalt::daemon
