// Processes of a former run that survived it, found by the marker in their environment.
//
// A container whose kernel offers process namespaces leaves none; elsewhere a process can outlive a supervisor that was
// killed by force.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace basalt::node {

inline constexpr int kMaxLeftoverPasses = 20;                           // a process that forks on is met again
inline constexpr size_t kMaxSearchedEnvironment = size_t{1024} * 1024;  // of a process; one with more is not searched

// The processes whose environment has BASALT_CONTAINER=<prefix>…, but for us, the processes above us, and those whose
// whole marker is among `spared`. Requires: the prefix is not empty. Cost: O(processes).
[[nodiscard]] std::vector<int> find_marked(std::string_view prefix,
                                           const std::set<std::string, std::less<>>& spared = {});

// Kills (SIGKILL) all of them; returns how many there were. Call it before the first start(), with a prefix that is
// yours alone, such as one that holds the state directory.
size_t kill_leftover_processes(std::string_view prefix, const std::set<std::string, std::less<>>& spared = {});

}  // namespace basalt::node
