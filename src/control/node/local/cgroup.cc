#include "control/node/local/cgroup.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <string_view>
#include <system_error>

#include "control/node/local/descriptor.h"
#include "kube/text/read_file.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxProcFile = size_t{4} * 1024 * 1024;
constexpr int64_t kCpuPeriodMicros = 100'000;
constexpr int64_t kMinCpuQuotaMicros = 1'000;  // the kernel refuses less
constexpr std::string_view kControllers[] = {"cpu", "memory", "pids"};

Result<void> write_setting(const fs::path& file, const std::string& text) {
  const Descriptor opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!opened.is_open() || ::write(opened.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return failure(ErrorCode::Io, "cannot write \"" + text + "\" to " + file.string() + ": " + std::strerror(errno));
  }
  return {};
}

bool has_word(const std::string& text, std::string_view word) {
  std::istringstream words(text);
  for (std::string each; words >> each;) {
    if (each == word) return true;
  }
  return false;
}

}  // namespace

Result<fs::path> Cgroups::own_directory() {
  const auto mounts = text::read_file("/proc/self/mountinfo", kMaxProcFile);
  const auto cgroups = text::read_file("/proc/self/cgroup", kMaxProcFile);
  if (!mounts || !cgroups) return failure(ErrorCode::Unsupported, "/proc cannot be read: mount it");
  std::string mounted;
  std::istringstream lines(*mounts);
  for (std::string line; std::getline(lines, line) && mounted.empty();) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 5; ++i) words >> word;  // the fifth is where it is mounted
    mounted = word;
  }
  if (mounted.empty()) {
    return failure(ErrorCode::Unsupported,
                   "no cgroup v2 is mounted; boot with systemd.unified_cgroup_hierarchy=1 for cpu and memory limits");
  }
  std::istringstream groups(*cgroups);
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::/")) return fs::path(mounted) / line.substr(4);
  }
  return fs::path(mounted);
}

Result<Cgroups> Cgroups::make(fs::path directory, bool move_self) {
  const auto offered = text::read_file((directory / "cgroup.controllers").string(), kMaxProcFile);
  if (!offered) {
    return failure(ErrorCode::Unsupported,
                   directory.string() + " is no cgroup v2 directory: " + offered.error().message);
  }
  for (const std::string_view controller : kControllers) {
    if (has_word(*offered, controller)) continue;
    return failure(ErrorCode::Unsupported,
                   "the cgroup " + directory.string() + " does not offer \"" + std::string(controller) +
                       "\"; delegate it (systemd: Delegate=yes), or use cgroup v2 alone (no v1 controllers)");
  }
  const fs::path base = directory / "basalt";
  std::error_code error;
  fs::create_directory(base, error);
  if (error) {
    return failure(ErrorCode::Unsupported, "cannot make the cgroup " + base.string() + ": " + error.message() +
                                               "; delegate it (systemd: Delegate=yes) or run as root");
  }
  const auto enable = [](const fs::path& where) {
    return write_setting(where / "cgroup.subtree_control", "+cpu +memory +pids");
  };
  auto enabled = enable(directory);
  if (!enabled && move_self) {
    const fs::path self = directory / "basalt-self";
    fs::create_directory(self, error);
    if (const auto moved = write_setting(self / "cgroup.procs", std::to_string(::getpid())); moved) {
      enabled = enable(directory);
    }
  }
  if (enabled) enabled = enable(base);
  if (!enabled) {
    remove(base);
    return failure(ErrorCode::Unsupported,
                   enabled.error().message + "; give a cgroup of its own (systemd-run --scope -p Delegate=yes …)");
  }
  return Cgroups(base);
}

Result<fs::path> Cgroups::add(const std::string& name, const ProcessLimits& limits) const {
  const fs::path cgroup = base_ / name;
  std::error_code error;
  fs::create_directory(cgroup, error);
  if (error) return failure(ErrorCode::Io, "cannot make the cgroup " + cgroup.string() + ": " + error.message());
  Result<void> done;
  if (limits.cpu_millis > 0) {
    const int64_t capped = std::min<int64_t>(limits.cpu_millis, 1'000'000'000);
    const int64_t quota = std::max(capped * kCpuPeriodMicros / 1000, kMinCpuQuotaMicros);
    done = write_setting(cgroup / "cpu.max", std::to_string(quota) + " " + std::to_string(kCpuPeriodMicros));
  }
  if (done && limits.memory_bytes > 0) {
    done = write_setting(cgroup / "memory.max", std::to_string(limits.memory_bytes));
    // As a kubelet: a container over its limit is killed as a whole, and does not swap around the limit. A kernel
    // without these files still has the limit.
    if (done) static_cast<void>(write_setting(cgroup / "memory.oom.group", "1"));
    if (done) static_cast<void>(write_setting(cgroup / "memory.swap.max", "0"));
  }
  if (done && limits.processes > 0) done = write_setting(cgroup / "pids.max", std::to_string(limits.processes));
  if (!done) {
    remove(cgroup);
    return std::unexpected(done.error());
  }
  return cgroup;
}

bool Cgroups::out_of_memory(const fs::path& cgroup) {
  const auto events = text::read_file((cgroup / "memory.events").string(), kMaxProcFile);
  if (!events) return false;
  std::istringstream words(*events);
  std::string key;
  for (int64_t count = 0; words >> key >> count;) {
    if (key == "oom_kill" && count > 0) return true;
  }
  return false;
}

void Cgroups::remove(const fs::path& cgroup) { ::rmdir(cgroup.c_str()); }

}  // namespace basalt::node
