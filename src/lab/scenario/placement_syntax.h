// The compact spellings of placement rules, read into the structures of a pod.
//
//   requirements     zone=a · zone!=a · zone in (a,b) · zone notin (a,b) · disk · !disk · cores>4 · cores<8,
//                    joined by ","
//   node terms       requirements, alternatives joined by "||"; metadata.name=n1 names a node
//   preferred        WEIGHT:requirements, joined by ";"
//   pod terms        requirements@KEY, joined by ";": pods that match, in the domain that KEY spans ("node" for the
//                    node itself); preferred ones begin with WEIGHT:
//   spread           requirements@KEY or requirements@KEY:SKEW or requirements@KEY:SKEW:MINDOMAINS, joined by ";"
//   taints           key=value:Effect or key:Effect, joined by ","
//   tolerations      key=value:Effect, key:Effect, key, or * for all, joined by ","
//   ports            8080 or 8080/UDP, joined by ","
#pragma once

#include <string_view>
#include <vector>

#include "kube/api/affinity.h"
#include "kube/api/node_types.h"
#include "kube/api/pod_types.h"

namespace basalt::lab::scenario {

[[nodiscard]] Result<api::LabelSelector> parse_selector(std::string_view text);
[[nodiscard]] Result<std::vector<api::NodeSelectorTerm>> parse_node_terms(std::string_view text);
[[nodiscard]] Result<std::vector<api::PreferredNodes>> parse_preferred_nodes(std::string_view text);
[[nodiscard]] Result<std::vector<api::PodAffinityTerm>> parse_pod_terms(std::string_view text);
[[nodiscard]] Result<std::vector<api::PreferredPods>> parse_preferred_pods(std::string_view text);
[[nodiscard]] Result<std::vector<api::TopologySpreadConstraint>> parse_spread(std::string_view text);
[[nodiscard]] Result<std::vector<api::Taint>> parse_taints(std::string_view text);
[[nodiscard]] Result<std::vector<api::Toleration>> parse_tolerations(std::string_view text);
[[nodiscard]] Result<std::vector<api::ContainerPort>> parse_ports(std::string_view text);

}  // namespace basalt::lab::scenario
