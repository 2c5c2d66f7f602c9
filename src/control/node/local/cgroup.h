// Limits on cpu, memory and processes by cgroup v2, where this machine lets us.
//
// Below one directory that is ours, each container has a cgroup of its own. The kernel lets a cgroup hand limits down
// only when no process is in it itself, so in our own cgroup we first move into a child of it; that works where a
// service manager has delegated it to us (systemd: Delegate=yes) or where we are root in the root cgroup.
// Everything is files: some tests use a directory that is no cgroup, others the kernel's (cgroup_kernel_test.cc).
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "control/node/local/process.h"

namespace basalt::node {

class Cgroups {
 public:
  // Our own cgroup's directory, from /proc/self/{mountinfo,cgroup}. An error: no cgroup v2 is mounted.
  static Result<std::filesystem::path> own_directory();

  // Uses `directory`, and makes cpu, memory and pids available below it. `move_self`: we are in it. An error is one
  // line that says what is missing and what to do.
  static Result<Cgroups> make(std::filesystem::path directory, bool move_self);

  // A cgroup with these limits; an existing one of that name is used again. Returns its directory. An error: a limit
  // could not be set, and nothing is left behind.
  [[nodiscard]] Result<std::filesystem::path> add(const std::string& name, const ProcessLimits& limits) const;

  // Did the kernel kill a process of it for want of memory?
  [[nodiscard]] static bool out_of_memory(const std::filesystem::path& cgroup);
  // Requires: no process is in it any more.
  static void remove(const std::filesystem::path& cgroup);

 private:
  explicit Cgroups(std::filesystem::path base) : base_(std::move(base)) {}
  std::filesystem::path base_;
};

}  // namespace basalt::node
