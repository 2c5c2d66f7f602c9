#include "control/node/local/container_devices.h"

#include <sys/mount.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlainDevices[] = {"null", "zero", "full", "random", "urandom", "tty"};
constexpr std::string_view kComputingDevices[] = {"nvidia", "dri", "kfd", "accel", "infiniband"};
constexpr std::pair<std::string_view, std::string_view> kLinks[] = {{"ptmx", "pts/ptmx"},
                                                                    {"fd", "/proc/self/fd"},
                                                                    {"stdin", "/proc/self/fd/0"},
                                                                    {"stdout", "/proc/self/fd/1"},
                                                                    {"stderr", "/proc/self/fd/2"}};
// As container runtimes have them.
constexpr std::string_view kMaskedFiles[] = {"kcore",      "keys",        "latency_stats",
                                             "timer_list", "timer_stats", "sched_debug"};
constexpr std::string_view kMaskedDirectories[] = {"acpi", "asound", "scsi"};
constexpr std::string_view kReadOnly[] = {"bus", "fs", "irq", "sys", "sysrq-trigger"};

bool is_for_computing(std::string_view name) {
  return std::ranges::any_of(kComputingDevices, [&](std::string_view word) { return name.starts_with(word); });
}

// The host's devices to show, sorted: the same host gives the same steps.
std::set<std::string> shown_devices() {
  std::set<std::string> names;
  for (const std::string_view name : kPlainDevices) names.emplace(name);
  std::error_code error;
  size_t seen = 0;
  for (fs::directory_iterator each("/dev", error); !error && each != fs::directory_iterator();) {
    if (++seen > kMaxHostDevices) break;
    std::string name = each->path().filename().string();
    if (is_for_computing(name)) names.insert(std::move(name));
    each.increment(error);
  }
  return names;
}

RootStep mounted(const std::string& type, const std::string& target, unsigned long flags, const std::string& data) {
  return {.kind = RootStepKind::Mount, .source = type, .target = target, .type = type, .data = data, .flags = flags};
}

void add_bind(const std::string& source, const std::string& target, bool read_only, std::vector<RootStep>& steps) {
  steps.push_back({.kind = RootStepKind::Bind,
                   .source = source,
                   .target = target,
                   .read_only = read_only,
                   .tolerated = ToleratedFailure::SourceGone});
}

}  // namespace

void add_devices(const DevDirectoryOptions& dev_options, std::vector<RootStep>& steps) {
  const std::string dev = dev_options.top + "/dev";
  steps.push_back(mounted("tmpfs", dev, MS_NOSUID | MS_NOEXEC, "mode=755"));
  std::error_code error;
  for (const std::string& name : shown_devices()) {
    const fs::path source = fs::path("/dev") / name;
    const auto status = fs::symlink_status(source, error);
    if (fs::is_symlink(status) || !fs::exists(status)) continue;
    const RootStepKind make = fs::is_directory(status) ? RootStepKind::MakeDirectory : RootStepKind::MakeFile;
    steps.push_back({.kind = make, .target = dev + "/" + name});
    add_bind(source.string(), dev + "/" + name, false, steps);
  }
  for (const auto& [name, target] : kLinks) {
    steps.push_back(
        {.kind = RootStepKind::MakeLink, .source = std::string(target), .target = dev + "/" + std::string(name)});
  }
  for (const char* name : {"/pts", "/shm"})
    steps.push_back({.kind = RootStepKind::MakeDirectory, .target = dev + name});
  // A machine may refuse terminals; who needs none starts all the same.
  RootStep terminals = mounted(
      "devpts", dev + "/pts", MS_NOSUID | MS_NOEXEC,
      dev_options.is_root ? "newinstance,ptmxmode=0666,mode=0620,gid=5" : "newinstance,ptmxmode=0666,mode=0620");
  terminals.tolerated = ToleratedFailure::Refused;
  steps.push_back(std::move(terminals));
  if (dev_options.host_ipc) {
    add_bind(fs::weakly_canonical("/dev/shm", error).string(), dev + "/shm", false, steps);
  } else {
    steps.push_back(mounted("tmpfs", dev + "/shm", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=1777"));
  }
}

void add_proc_masks(const std::string& top, std::vector<RootStep>& steps) {
  const std::string proc = top + "/proc/";
  std::error_code error;
  const auto is_there = [&](std::string_view name) { return fs::exists(fs::path("/proc") / name, error); };
  for (const std::string_view name : kMaskedFiles) {
    if (is_there(name)) add_bind("/dev/null", proc + std::string(name), false, steps);
  }
  for (const std::string_view name : kMaskedDirectories) {
    if (is_there(name)) steps.push_back(mounted("tmpfs", proc + std::string(name), MS_RDONLY, "mode=555"));
  }
  for (const std::string_view name : kReadOnly) {
    if (!is_there(name)) continue;
    // Of the container's own /proc, which the steps before have mounted.
    steps.push_back({.kind = RootStepKind::Bind,
                     .source = proc + std::string(name),
                     .target = proc + std::string(name),
                     .read_only = true});
  }
}

}  // namespace basalt::node
