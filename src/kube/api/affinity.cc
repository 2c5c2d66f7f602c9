#include "kube/api/affinity.h"

namespace basalt::api {
namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

}  // namespace

Result<void> read(const text::Field& at, PreferredNodes& out) {
  return read_fields(at, "weight", out.weight, "preference", out.preference);
}

Result<void> read(const text::Field& at, NodeAffinity& out) {
  return read_fields(at, kRequired, out.required, kPreferred, out.preferred);
}

Result<void> read(const text::Field& at, PodAffinityTerm& out) {
  return read_fields(at, "labelSelector", out.label_selector, "namespaces", out.namespaces,         //
                     "namespaceSelector", out.namespace_selector, "topologyKey", out.topology_key,  //
                     "matchLabelKeys", out.match_label_keys, "mismatchLabelKeys", out.mismatch_label_keys);
}

Result<void> read(const text::Field& at, PreferredPods& out) {
  return read_fields(at, "weight", out.weight, "podAffinityTerm", out.term);
}

Result<void> read(const text::Field& at, PodAffinity& out) {
  return read_fields(at, kRequired, out.required, kPreferred, out.preferred);
}

Result<void> read(const text::Field& at, Affinity& out) {
  return read_fields(at, "nodeAffinity", out.node, "podAffinity", out.pod, "podAntiAffinity", out.pod_anti);
}

Result<void> read(const text::Field& at, Toleration& out) {
  return read_fields(at, "key", out.key, "operator", out.op, "value", out.value, "effect", out.effect,
                     "tolerationSeconds", out.toleration_seconds);
}

Result<void> read(const text::Field& at, TopologySpreadConstraint& out) {
  return read_fields(at, "maxSkew", out.max_skew, "topologyKey", out.topology_key,                      //
                     "whenUnsatisfiable", out.when_unsatisfiable, "labelSelector", out.label_selector,  //
                     "minDomains", out.min_domains, "nodeAffinityPolicy", out.node_affinity_policy,     //
                     "nodeTaintsPolicy", out.node_taints_policy, "matchLabelKeys", out.match_label_keys);
}

}  // namespace basalt::api
