// Which process serves a state directory: <state>/run.json, for `basalt status`, `basalt down` and a second `basalt
// up`.
//
// 1. A process is known by its number, its start time and the boot it was started in, so a number that the kernel has
//    given to somebody else meanwhile is never taken for it. A process that has ended and was not waited for is gone.
// 2. The file is written when the cluster serves and removed when it ended in good order; after a crash it is stale,
//    and is_alive() says so.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/instant.h"
#include "base/result.h"

namespace basalt::up {

struct ProcessIdentity {
  pid_t pid = 0;
  uint64_t started = 0;  // clock ticks after the boot
  std::string boot;      // the kernel's random name of the boot

  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

// nullopt: there is no such process (any more).
[[nodiscard]] std::optional<ProcessIdentity> identity_of_process(pid_t pid);
[[nodiscard]] bool is_alive(const ProcessIdentity& process);

struct ServingProcess {
  ProcessIdentity process;
  std::string url;
  std::filesystem::path kubeconfig;
  Instant since;
  bool ephemeral = false;  // nothing is kept when it ends
};

// Of this process.
[[nodiscard]] Result<void> write_run_file(const std::filesystem::path& state, const ServingProcess& running);
// Removes it if it is about this process.
void remove_run_file(const std::filesystem::path& state);

// The process that serves `state` now; nullopt: none does. An error: the file cannot be read.
[[nodiscard]] Result<std::optional<ServingProcess>> find_running(const std::filesystem::path& state);

}  // namespace basalt::up
