// How many files and sockets this process may have open, and how many of them connections may use.
#pragma once

#include <chrono>
#include <cstddef>

namespace basalt::net {

// More than this is not asked for: programs that we start inherit the limit,
// and some look at every number below it.
inline constexpr size_t kMaxDescriptors = 65'536;

// Before accepting again when no descriptor is left: time for some connection to end.
inline constexpr std::chrono::milliseconds kAcceptPause{50};

// Raises the process's limit as far as the system and kMaxDescriptors allow;
// what it is then. Never lowers it.
size_t raise_descriptor_limit();

// `wished`, but at most three quarters of what a process with this limit can
// open: the rest is for files, pipes and connections of our own. At least 1.
[[nodiscard]] size_t connections_within(size_t wished, size_t descriptor_limit);

// Of this process, at this moment.
[[nodiscard]] size_t descriptor_limit();

}  // namespace basalt::net
