// The kinds that the scheduler follows, as a table. A new kind is a row here and a case in picture.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "control/loop/kind_id.h"
#include "kube/api/resource.h"

namespace basalt::scheduler {

enum class Kind : uint8_t {
  Node,
  Queue,
  PriorityClass,
  Namespace,
  ResourceQuota,
  Budget,
  PodGroup,
  Pod,
  ConfMap,  // one object only: the scheduler's conf
  Job,      // not followed: only told about, as the owner of a PodGroup
};
inline constexpr size_t kKinds = 10;
inline constexpr size_t kFollowedKinds = 9;
inline constexpr size_t kStateKinds = 8;  // the first ones: what a ClusterState is made of

struct KindRow {
  Kind kind;
  std::string_view group, version, plural, name;
};

[[nodiscard]] std::span<const KindRow> kind_rows();  // by number of Kind
[[nodiscard]] const KindRow& row_of(Kind kind);
[[nodiscard]] inline std::span<const KindRow> state_kinds() { return kind_rows().first(kStateKinds); }

[[nodiscard]] inline loop::KindId id_of(Kind kind) { return loop::KindId(static_cast<uint32_t>(kind)); }
[[nodiscard]] inline Kind kind_of(loop::KindId id) { return static_cast<Kind>(id.value); }
[[nodiscard]] api::ResourceName resource_of(Kind kind);
[[nodiscard]] std::string api_version_of(Kind kind);  // "scheduling.volcano.sh/v1beta1"

// Selects the one object "namespace/name"; "" when `key` is none.
[[nodiscard]] std::string only_object(std::string_view key);

}  // namespace basalt::scheduler
