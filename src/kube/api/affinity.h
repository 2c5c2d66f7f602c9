// Scheduling constraints of a pod: node affinity, pod affinity, spreading, tolerations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube/api/selector.h"

namespace basalt::api {

struct PreferredNodes {
  int32_t weight = 0;
  NodeSelectorTerm preference;
};

struct NodeAffinity {
  std::optional<NodeSelector> required;  // not given: no demand; given without terms: no node fits
  std::vector<PreferredNodes> preferred;
};

struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector;  // not given: matches no pod
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;  // neither list nor selector: the pod's own namespace
  std::string topology_key;
  std::vector<std::string> match_label_keys, mismatch_label_keys;
};

struct PreferredPods {
  int32_t weight = 0;
  PodAffinityTerm term;
};

// Both pod affinity and pod anti-affinity.
struct PodAffinity {
  std::vector<PodAffinityTerm> required;
  std::vector<PreferredPods> preferred;
};

struct Affinity {
  NodeAffinity node;
  PodAffinity pod, pod_anti;
};

struct Toleration {
  std::string key, op, value, effect;  // op "" means Equal; key "" with Exists tolerates all; effect "" all effects
  std::optional<int64_t> toleration_seconds;
};

struct TopologySpreadConstraint {
  int32_t max_skew = 0;
  std::string topology_key;
  std::string when_unsatisfiable;               // DoNotSchedule (also when "") or ScheduleAnyway
  std::optional<LabelSelector> label_selector;  // not given: matches no pod
  std::optional<int32_t> min_domains;
  std::optional<std::string> node_affinity_policy;  // Honor (default) or Ignore
  std::optional<std::string> node_taints_policy;    // Honor or Ignore (default)
  std::vector<std::string> match_label_keys;
};

[[nodiscard]] Result<void> read(const text::Field& at, PreferredNodes& out);
[[nodiscard]] Result<void> read(const text::Field& at, NodeAffinity& out);
[[nodiscard]] Result<void> read(const text::Field& at, PodAffinityTerm& out);
[[nodiscard]] Result<void> read(const text::Field& at, PreferredPods& out);
[[nodiscard]] Result<void> read(const text::Field& at, PodAffinity& out);
[[nodiscard]] Result<void> read(const text::Field& at, Affinity& out);
[[nodiscard]] Result<void> read(const text::Field& at, Toleration& out);
[[nodiscard]] Result<void> read(const text::Field& at, TopologySpreadConstraint& out);

}  // namespace basalt::api
