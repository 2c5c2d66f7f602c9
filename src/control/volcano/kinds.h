// The kinds that the controllers watch, as a table. A new kind is a row here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "control/loop/kind_id.h"
#include "kube/api/resource.h"

namespace basalt::volcano {

enum class Kind : uint8_t {
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
  ConfigMap,  // one only: Options::topology_config
};
inline constexpr size_t kKinds = 18;

// How much of an object is remembered. Slim: identity, labels, annotations, owners and spec.replicas/selector, because
// a cluster may have very many of them.
enum class Memory : uint8_t { Whole, Slim, PodView };

struct KindRow {
  Kind kind;
  std::string_view group, version, plural, name;
  bool namespaced;
  Memory memory;
};

[[nodiscard]] std::span<const KindRow> kind_rows();  // by number of Kind
[[nodiscard]] const KindRow& row_of(Kind kind);

[[nodiscard]] inline loop::KindId id_of(Kind kind) { return loop::KindId(static_cast<uint32_t>(kind)); }
[[nodiscard]] inline Kind kind_of(loop::KindId id) { return static_cast<Kind>(id.value); }
[[nodiscard]] api::ResourceName resource_of(Kind kind);
[[nodiscard]] std::string api_version_of(Kind kind);  // "batch.volcano.sh/v1alpha1"

}  // namespace basalt::volcano
