// The kinds that the scheduler follows, as a table. A new kind is a row here and a case in scheduler_cache.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "control/loop/kind_id.h"
#include "kube/api/api_resource.h"

namespace basalt::scheduler {

enum class SchedulerKind : uint8_t {
  Node,
  Queue,
  PriorityClass,
  Namespace,
  ResourceQuota,
  Budget,
  PodGroup,
  Pod,
  ConfMap,  // one object only: the scheduler's conf
  Job,      // not followed: told about as the owner of a PodGroup, and read for its templates (job_templates.h)
};
inline constexpr size_t kKinds = 10;
inline constexpr size_t kFollowedKinds = 9;
inline constexpr size_t kStateKinds = 8;  // the first ones: what a ClusterState is made of

struct SchedulerKindRow {
  SchedulerKind kind;
  std::string_view group, version, plural, name;
};

[[nodiscard]] std::span<const SchedulerKindRow> kind_rows();  // by number of SchedulerKind
[[nodiscard]] const SchedulerKindRow& row_of(SchedulerKind kind);
[[nodiscard]] inline std::span<const SchedulerKindRow> state_kinds() { return kind_rows().first(kStateKinds); }

[[nodiscard]] inline loop::KindId id_of(SchedulerKind kind) { return loop::KindId(static_cast<uint32_t>(kind)); }
[[nodiscard]] inline SchedulerKind kind_of(loop::KindId id) { return static_cast<SchedulerKind>(id.value); }
[[nodiscard]] api::GroupVersionResource resource_of(SchedulerKind kind);
[[nodiscard]] std::string api_version_of(SchedulerKind kind);  // "scheduling.volcano.sh/v1beta1"

// Selects the one object "namespace/name"; "" when `key` is none.
[[nodiscard]] std::string only_object(std::string_view key);

}  // namespace basalt::scheduler
