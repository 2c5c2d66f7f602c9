// The kinds that the controllers watch, as a table. A new kind is a row here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "control/loop/kind_id.h"
#include "kube/api/api_resource.h"

namespace basalt::volcano {

enum class VolcanoKind : uint8_t {
  Job,
  CronJob,
  Command,
  PodGroup,
  Queue,
  JobFlow,
  JobTemplate,
  HyperNode,
  Pod,
  Node,
  PriorityClass,
  Claim,
  Namespace,
  ReplicaSet,
  StatefulSet,
  DaemonSet,
  BatchJob,
  ConfigMap,  // one only: VolcanoControllerOptions::topology_config
};
inline constexpr size_t kKinds = 18;

// How much of an object is remembered. Slim: identity, labels, annotations, owners and spec.replicas/selector, because
// a cluster may have very many of them.
enum class CachedForm : uint8_t { Whole, Slim, CachedPod };

struct VolcanoKindRow {
  VolcanoKind kind;
  std::string_view group, version, plural, name;
  bool namespaced;
  CachedForm cached_form;
};

[[nodiscard]] std::span<const VolcanoKindRow> kind_rows();  // by number of VolcanoKind
[[nodiscard]] const VolcanoKindRow& row_of(VolcanoKind kind);

[[nodiscard]] inline loop::KindId id_of(VolcanoKind kind) { return loop::KindId(static_cast<uint32_t>(kind)); }
[[nodiscard]] inline VolcanoKind kind_of(loop::KindId id) { return static_cast<VolcanoKind>(id.value); }
[[nodiscard]] api::GroupVersionResource resource_of(VolcanoKind kind);
[[nodiscard]] std::string api_version_of(VolcanoKind kind);  // "batch.volcano.sh/v1alpha1"

}  // namespace basalt::volcano
