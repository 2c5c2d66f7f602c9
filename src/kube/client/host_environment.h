// What the rules about kubeconfigs and credentials read from the machine; injectable, so that tests can replace it.
#pragma once

#include <functional>
#include <string>

#include "base/instant.h"
#include "base/result.h"

namespace basalt::client {

struct HostEnvironment {
  std::function<std::string(const std::string& name)> environment;        // "": not set
  std::function<Result<std::string>(const std::string& path)> read_file;  // NotFound and Io told apart
  std::function<Instant()> clock;                                         // the wall clock: credentials expire
};

inline constexpr size_t kMaxConfigFileBytes = size_t{8} * 1024 * 1024;

// This process's own environment, files (at most kMaxConfigFileBytes each) and clock.
[[nodiscard]] HostEnvironment real_host_environment();

}  // namespace basalt::client
