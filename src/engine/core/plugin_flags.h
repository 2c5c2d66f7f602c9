// The on/off switches of a plugin entry in volcano-scheduler.conf, each with the exact key users write.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace basalt::engine {

enum class PluginFlag : uint8_t {
  JobOrder,
  Hierarchy,
  JobReady,
  JobPipelined,
  TaskOrder,
  Preemptable,
  Reclaimable,
  Preemptive,
  QueueOrder,
  ClusterOrder,
  Predicate,
  BestNode,
  NodeOrder,
  TargetJob,
  ReservedNodes,
  JobEnqueued,
  Victim,
  JobStarving,
  Overused,
  Allocatable,
  HyperNodeOrder,
  SubJobReady,
  SubJobPipelined,
  SubJobOrder,
  HyperNodeGradient,
  Always,  // a slot that no switch governs
};
inline constexpr size_t kFlags = static_cast<size_t>(PluginFlag::Always);

// Note the mixture of enable… and enabled…: it is the wire format.
inline constexpr std::array<std::string_view, kFlags> kFlagKeys = {
    "enableJobOrder",          "enableHierarchy",     "enableJobReady",         "enableJobPipelined",
    "enableTaskOrder",         "enablePreemptable",   "enableReclaimable",      "enablePreemptive",
    "enableQueueOrder",        "enabledClusterOrder", "enablePredicate",        "enableBestNode",
    "enableNodeOrder",         "enableTargetJob",     "enableReservedNodes",    "enableJobEnqueued",
    "enabledVictim",           "enableJobStarving",   "enabledOverused",        "enabledAllocatable",
    "enabledHyperNodeOrder",   "enabledSubJobReady",  "enabledSubJobPipelined", "enabledSubJobOrder",
    "enabledHyperNodeGradient"};

// What an absent key means in production.
constexpr bool default_of(PluginFlag flag) { return flag != PluginFlag::Hierarchy && flag != PluginFlag::ClusterOrder; }

using FlagSet = std::array<bool, kFlags>;

}  // namespace basalt::engine
