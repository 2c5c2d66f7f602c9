// predicates: may this pod run on this node at all?
//
// Rules, in this order; those marked E could be cured by evicting pods (Fit::EvictMayHelp) and the next rule is still
// asked, so that one node may have several reasons; the others end the evaluation of the node (Fit::Never).
//   E pod count        pods in the node's view < allocatable pods
//     unschedulable    spec.unschedulable, unless node.kubernetes.io/unschedulable:NoSchedule is tolerated
//     node affinity    nodeSelector and required node affinity
//     taints           NoSchedule and NoExecute taints are tolerated
//   E host ports
//     pod affinity     required affinity; the first pod of a group with affinity to itself may start anywhere
//   E anti-affinity    required anti-affinity of the pod, and of the pods that are there
//   E topology spread  DoNotSchedule constraints; a node without the topology key is Never
// Resources are not judged here: the engine's columns do.
//
// Arguments (bool, default true): predicate.NodeAffinityEnable, predicate.NodePortsEnable,
// predicate.TaintTolerationEnable, predicate.PodAffinityEnable, predicate.PodTopologySpreadEnable. Read and checked,
// but without effect until volumes and claims are modelled: predicate.NodeVolumeLimitsEnable,
// predicate.VolumeZoneEnable, predicate.VolumeBindingEnable, predicate.DynamicResourceAllocationEnable (true),
// volumebinding.bindTimeoutSeconds (600), volumebinding.weight (1), dynamicresources.filterTimeoutSeconds (10).
// predicate.CacheEnable (false) is accepted and needs no effect: answers are shared by class anyway.
//
// Hooks: pre_filter, filter, filter_reaches_cluster, sign, sign_epoch, job_inputs.
// Cost: open is O(shapes with pod terms). A filter call costs O(nodes of the call); a class that pod terms or spread
// constraints concern adds O(pods) when first met and O(pods on touched nodes) later.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/plugin.h"
#include "engine/core/session.h"
#include "engine/plugins/predicates/pod_rules.h"

namespace basalt::plugins {

class Predicates {
 public:
  static constexpr std::string_view kName = "predicates";
  static Result<Predicates> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

  engine::VerdictId pre_filter(model::TaskId task);
  void filter(const engine::FilterCall& call);
  bool filter_reaches_cluster(model::TaskId task);
  void sign(model::TaskId task, engine::ClassKey& key);
  void sign_epoch(Fingerprint& epoch);
  void job_inputs(model::JobId job, Fingerprint& inputs);

 private:
  // Refusals as bits, in the order in which reasons are told.
  enum class Rule : uint8_t {
    PodCount,
    Unschedulable,
    NodeAffinity,
    Taints,
    HostPorts,
    PodAffinity,
    AntiAffinity,
    ExistingAntiAffinity,
    Spread,
    SpreadKey,
  };
  static constexpr size_t kRules = 10;
  using RuleSet = uint32_t;
  static constexpr RuleSet bit(Rule rule) { return RuleSet{1} << static_cast<unsigned>(rule); }
  // No eviction cures one of these.
  static constexpr bool is_final(RuleSet refusals) {
    return (refusals & (bit(Rule::Unschedulable) | bit(Rule::NodeAffinity) | bit(Rule::Taints) |
                        bit(Rule::PodAffinity) | bit(Rule::SpreadKey))) != 0;
  }

  struct Switches {
    bool node_affinity = true, ports = true, taints = true, pod_affinity = true, spread = true;
  };
  // What of the rules a shape can run into, decided once per call.
  struct Wants {
    bool nodes = false, ports = false;
    bool tolerates_unschedulable = false;
  };

  [[nodiscard]] Wants wants_of(const model::PodShape& shape) const;
  [[nodiscard]] RuleSet judge_alone(const model::PodShape& shape, const Wants& wants, const model::Node& node) const;
  [[nodiscard]] RuleSet judge_among_pods(const PodRules::Bound& pods, model::NodeId node) const;
  engine::VerdictId verdict_of(RuleSet refusals);

  Switches on_;

  // Of the cycle.
  model::ClusterState* state_ = nullptr;
  engine::VerdictTable* verdicts_ = nullptr;
  NameId any_ip_;
  model::Taint unschedulable_;
  std::shared_ptr<PodRules> pods_;  // made in open(); a prototype has none
  std::array<engine::ReasonId, kRules> reasons_{};
  std::vector<engine::VerdictId> verdict_memo_;  // by RuleSet, kFits: not asked yet
  std::vector<uint64_t> signature_;
};

}  // namespace basalt::plugins
