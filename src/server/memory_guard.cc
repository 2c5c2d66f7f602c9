#include "server/memory_guard.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "kube/text/read_file.h"

namespace basalt::server {
namespace {

constexpr size_t kMaxFileBytes = size_t{64} * 1024;
constexpr int kMaxCgroupDepth = 64;
constexpr unsigned kTicksPerTrim = 25;
constexpr uint64_t kMegabyte = uint64_t{1} << 20U;

std::string read(const std::string& path) { return text::read_file(path, kMaxFileBytes).value_or(""); }

// The least limit of `root` + `path` and the groups above it.
uint64_t least_limit(const std::string& root, std::string path, const std::string& file) {
  uint64_t least = std::numeric_limits<uint64_t>::max();
  for (int depth = 0; depth < kMaxCgroupDepth; ++depth) {
    if (const auto limit = parse_memory_limit(read(root + path + "/" + file))) least = std::min(least, *limit);
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos) break;
    path.resize(slash);
  }
  return least;
}

// The path of our group: lines "0::/a/b" (v2) and "5:memory:/a/b" (v1).
std::optional<std::string> group_path(std::string_view table, std::string_view controller) {
  while (!table.empty()) {
    const std::string_view line = table.substr(0, table.find('\n'));
    table.remove_prefix(std::min(table.size(), line.size() + 1));
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    if (line.substr(first + 1, second - first - 1) != controller) continue;
    const std::string_view path = line.substr(second + 1);
    return path == "/" ? "" : std::string(path);
  }
  return std::nullopt;
}

std::string megabytes(uint64_t bytes) { return std::to_string(bytes / kMegabyte) + " MB"; }

}  // namespace

MemoryState judge_memory(MemoryState before, uint64_t used, uint64_t limit) {
  if (limit == 0) return MemoryState::Ample;
  const uint64_t percent = used / (limit / 100 + 1);  // no product: it might not fit
  if (percent >= kTightPercent) return MemoryState::Tight;
  return percent < kAmplePercent ? MemoryState::Ample : before;
}

std::optional<uint64_t> parse_memory_limit(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;  // "max"
  return bytes;
}

uint64_t memory_in_use() {
  const std::string text = read("/proc/self/statm");  // "total resident …", in pages
  const size_t blank = text.find(' ');
  if (blank == std::string::npos) return 0;
  uint64_t pages = 0;
  std::from_chars(text.data() + blank + 1, text.data() + text.size(), pages);
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

uint64_t memory_allowed() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  uint64_t least = std::numeric_limits<uint64_t>::max();
  if (pages > 0 && page > 0) least = static_cast<uint64_t>(pages) * static_cast<uint64_t>(page);
  const std::string groups = read("/proc/self/cgroup");
  if (const auto path = group_path(groups, ""))
    least = std::min(least, least_limit("/sys/fs/cgroup", *path, "memory.max"));
  if (const auto path = group_path(groups, "memory")) {
    least = std::min(least, least_limit("/sys/fs/cgroup/memory", *path, "memory.limit_in_bytes"));
  }
  return least == std::numeric_limits<uint64_t>::max() ? 0 : least;
}

void MemoryGuard::tick() {
  if (options_.limit == 0) return;
  const MemoryState before = state_.load(std::memory_order_relaxed);
  const uint64_t used = options_.used();
  const MemoryState now = judge_memory(before, used, options_.limit);
  used_.store(used, std::memory_order_relaxed);
  // What deletes have freed counts only once the system has it back.
  if (now == MemoryState::Tight && ++tight_ticks_ % kTicksPerTrim == 0) ::malloc_trim(0);
  if (now == before) return;
  state_.store(now, std::memory_order_relaxed);
  if (!options_.log) return;
  const std::string figures = megabytes(used) + " of " + megabytes(options_.limit);
  if (now == MemoryState::Tight) {
    options_.log(true, "memory is tight (" + figures + "): writes are refused, deletes are not");
  } else {
    options_.log(false, "memory is ample again (" + figures + "): writes are taken");
  }
}

}  // namespace basalt::server
