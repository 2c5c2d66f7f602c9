// Entries of a Job's status.controlledResources that our job controller keeps for itself, beside Volcano's own
// (plugin-<name>, volume-pvc-<claim>).
//
// They stand in the status, and not in an annotation, because they have to change in the very write that changes the
// phase, and a write of the status changes nothing else. What prints the resources of a job leaves them out.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace basalt::api {

inline constexpr std::string_view kObjectsGeneration = "objects-generation";
inline constexpr std::string_view kRetiredGroup = "podgroup-retired";
inline constexpr std::string_view kFinishedPodsLost = "finished-pods-lost";
inline constexpr std::string_view kWaiting = "waiting";
inline constexpr std::string_view kCommandDone = "command-done";
inline constexpr std::string_view kObjectPrefix = "object-";
inline constexpr std::string_view kEvictedPrefix = "evicted-";

[[nodiscard]] constexpr bool is_job_bookkeeping(std::string_view key) {
  constexpr std::array kWords = {kObjectsGeneration, kRetiredGroup, kFinishedPodsLost, kWaiting, kCommandDone};
  return std::ranges::find(kWords, key) != kWords.end() || key.starts_with(kObjectPrefix) ||
         key.starts_with(kEvictedPrefix);
}

}  // namespace basalt::api
