// State that the controller keeps in status.controlledResources, beside Volcano's own entries (plugin-<name>,
// volume-pvc-<claim>): things that the objects themselves do not tell later.
//
//   object-<plural>-<name> → fingerprint   an object of a plugin, and the content it was given
//   objects-generation     → generation    the generation of the job for which all of them were brought in step
//   podgroup-retired       → uid           the PodGroup of an earlier version: it has to go before a new one comes
//   evicted-<pod>          → uid           the eviction of this pod has been answered by a targeted restart
//   finished-pods-lost     → number        of pods that somebody took after they had finished and before the job had:
//                                          their work is done again (`basalt check` tells of it)
//   waiting                → reason        state.reason and state.message say why the job waits (job_waiting_reason.h)
//   command-done           → uid           this command has been executed; only its deletion is left (apply_actions.h)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "control/volcano/job/expand/job_view.h"
#include "kube/api/job_bookkeeping.h"

namespace basalt::volcano {

// Entries to be written; nothing: to be removed.
using ControlledResourcesChange = std::map<std::string, std::optional<std::string>, std::less<>>;

using api::kCommandDone;
using api::kEvictedPrefix;
using api::kFinishedPodsLost;
using api::kObjectPrefix;
using api::kObjectsGeneration;
using api::kRetiredGroup;
using api::kWaiting;
inline constexpr std::string_view kPluginPrefix = "plugin-";

[[nodiscard]] std::string_view remembered(const JobView& job, std::string_view key);  // "": not
[[nodiscard]] std::string object_key(std::string_view plural, std::string_view name);
[[nodiscard]] std::string evicted_key(std::string_view pod);
[[nodiscard]] std::string fingerprint_text(uint64_t fingerprint);
[[nodiscard]] std::string generation_text(const JobView& job);  // "": the job has none

}  // namespace basalt::volcano
