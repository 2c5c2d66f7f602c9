// Writes are refused before memory ends: a server that is killed for memory loses its watches and its pods.
//
// Tight: this process uses more than kTightPercent of its limit, until it is below kAmplePercent again. While it is
// tight nothing that makes the state grow is taken (429: creates from everybody, updates and patches of HTTP
// clients); reads, deletes, bindings and evictions go on.
//
// Threads: tick() on one, the others on any.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "server/ticker.h"

namespace basalt::server {

inline constexpr uint64_t kTightPercent = 90, kAmplePercent = 85;

enum class MemoryState : uint8_t { Ample, Tight };

// Pure. `limit` 0: nobody knows it, and memory is ample.
[[nodiscard]] MemoryState judge_memory(MemoryState before, uint64_t used, uint64_t limit);

// What memory.max (cgroup v2) or memory.limit_in_bytes (v1) says; nullopt: no limit, or no number.
[[nodiscard]] std::optional<uint64_t> parse_memory_limit(std::string_view text);

// Resident bytes of this process, and the least of the machine's memory and of the limits of our cgroup and those above
// it; 0: the system does not tell.
[[nodiscard]] uint64_t memory_in_use();
[[nodiscard]] uint64_t memory_allowed();

class MemoryGuard : public Ticker::Listener {
 public:
  struct Options {
    uint64_t limit = 0;                                              // bytes; 0: no guard
    std::function<uint64_t()> used;                                  // memory_in_use, or a test's
    std::function<void(bool warning, const std::string& line)> log;  // one line per change; may be empty
  };
  explicit MemoryGuard(Options options) : options_(std::move(options)) {}

  // Looks at the memory. Cheap: one small file of /proc.
  void tick() override;

  [[nodiscard]] bool is_tight() const { return state_.load(std::memory_order_relaxed) == MemoryState::Tight; }
  [[nodiscard]] uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t limit() const { return options_.limit; }

 private:
  const Options options_;
  std::atomic<MemoryState> state_ = MemoryState::Ample;
  std::atomic<uint64_t> used_{0};
  unsigned tight_ticks_ = 0;  // tick()'s
};

}  // namespace basalt::server
