#include "engine/plugins/predicates/predicates.h"

#include "engine/model/host_ports.h"
#include "engine/model/node_affinity.h"

namespace basalt::plugins {

using engine::kFits;
using engine::VerdictId;
using model::NodeId;
using model::PodShape;
using model::TaskId;

namespace {

constexpr std::array<std::string_view, 10> kReasons = {
    "node(s) pod number exceeded",
    "node(s) were unschedulable",
    "node(s) didn't match Pod's node affinity/selector",
    "node(s) had untolerated taint(s)",
    "node(s) didn't have free ports for the requested pod ports",
    "node(s) didn't match pod affinity rules",
    "node(s) didn't match pod anti-affinity rules",
    "node(s) didn't satisfy existing pods anti-affinity rules",
    "node(s) didn't match pod topology spread constraints",
    "node(s) didn't match pod topology spread constraints (missing required label)",
};
constexpr std::string_view kNamesConflict = "plugin NodeAffinity pre-predicates failed pod affinity terms conflict";

Result<void> check_unused(const engine::Arguments& arguments) {
  for (const std::string_view key :
       {"predicate.NodeVolumeLimitsEnable", "predicate.VolumeZoneEnable", "predicate.VolumeBindingEnable",
        "predicate.DynamicResourceAllocationEnable", "predicate.CacheEnable"}) {
    if (const auto value = arguments.get_bool(key, true); !value) return std::unexpected(value.error());
  }
  for (const std::string_view key :
       {"volumebinding.bindTimeoutSeconds", "volumebinding.weight", "dynamicresources.filterTimeoutSeconds"}) {
    if (const auto value = arguments.get_int(key, 0); !value) return std::unexpected(value.error());
  }
  return {};
}

}  // namespace

Result<Predicates> Predicates::make(const engine::Arguments& arguments) {
  Predicates plugin;
  Switches& on = plugin.on_;
  for (const auto& [key, target] :
       {std::pair{"predicate.NodeAffinityEnable", &on.node_affinity}, std::pair{"predicate.NodePortsEnable", &on.ports},
        std::pair{"predicate.TaintTolerationEnable", &on.taints},
        std::pair{"predicate.PodAffinityEnable", &on.pod_affinity},
        std::pair{"predicate.PodTopologySpreadEnable", &on.spread}}) {
    const auto value = arguments.get_bool(key, true);
    if (!value) return std::unexpected(value.error());
    *target = *value;
  }
  if (const auto unused = check_unused(arguments); !unused) return std::unexpected(unused.error());
  return plugin;
}

void Predicates::open(engine::Session& session, engine::HookBinder& binder) {
  state_ = &session.state;
  verdicts_ = &session.memory.verdicts;
  any_ip_ = state_->names.intern("0.0.0.0");
  unschedulable_ = {.key = state_->names.intern("node.kubernetes.io/unschedulable"),
                    .value = kEmptyName,
                    .effect = model::TaintEffect::NoSchedule};
  pods_ = std::make_shared<PodRules>(*state_, PodRules::Enabled{.affinity = on_.pod_affinity, .spread = on_.spread});
  for (size_t i = 0; i < kRules; ++i) reasons_[i] = verdicts_->reason(kReasons[i]);
  verdict_memo_.assign(size_t{1} << kRules, kFits);

  binder.bind<&Predicates::pre_filter>(&engine::HookTable::pre_filter, *this);
  binder.bind<&Predicates::filter>(&engine::HookTable::filter, *this);
  binder.bind<&Predicates::filter_reaches_cluster>(&engine::HookTable::filter_reaches_cluster, *this);
  binder.bind<&Predicates::sign>(&engine::HookTable::sign, *this);
  binder.bind<&Predicates::sign_epoch>(&engine::HookTable::sign_epoch, *this);
  binder.bind<&Predicates::job_inputs>(&engine::HookTable::job_inputs, *this);
}

VerdictId Predicates::pre_filter(TaskId task) {
  if (!on_.node_affinity || !model::node_names_conflict(state_->shape_of(task))) return kFits;
  return verdicts_->verdict(engine::Fit::Never, verdicts_->reason(kNamesConflict));
}

Predicates::Wants Predicates::wants_of(const PodShape& shape) const {
  return {.nodes = on_.node_affinity && model::demands_nodes(shape),
          .ports = on_.ports && !shape.host_ports.empty(),
          .tolerates_unschedulable = model::tolerates(shape.tolerations, unschedulable_)};
}

void Predicates::filter(const engine::FilterCall& call) {
  const PodShape& shape = state_->shape_of(call.task);
  const Wants wants = wants_of(shape);
  const PodRules::Bound* pods = pods_->bind(call.task);
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    if (call.verdicts[i] != kFits) continue;
    const NodeId node = call.nodes[i];
    RuleSet refusals = judge_alone(shape, wants, state_->node(node));
    if (pods != nullptr && !is_final(refusals)) refusals |= judge_among_pods(*pods, node);
    if (refusals != 0) call.verdicts[i] = verdict_of(refusals);
  }
}

Predicates::RuleSet Predicates::judge_alone(const PodShape& shape, const Wants& wants, const model::Node& node) const {
  RuleSet refusals = node.view_pods >= node.max_pods ? bit(Rule::PodCount) : 0;
  if (node.unschedulable && !wants.tolerates_unschedulable) return refusals | bit(Rule::Unschedulable);
  if (wants.nodes && !model::matches_required_nodes(shape, node, state_->names)) {
    return refusals | bit(Rule::NodeAffinity);
  }
  if (on_.taints && !node.taints.empty() && model::repelled_by_taint(shape, node)) return refusals | bit(Rule::Taints);
  if (wants.ports && model::any_port_collides(shape.host_ports, node.view_ports, any_ip_)) {
    refusals |= bit(Rule::HostPorts);
  }
  return refusals;
}

Predicates::RuleSet Predicates::judge_among_pods(const PodRules::Bound& pods, NodeId node) const {
  RuleSet refusals = 0;
  if (on_.pod_affinity) {
    switch (pods.judge_affinity(node)) {
      case PodRules::Answer::Fits:
        break;
      case PodRules::Answer::Affinity:
        return bit(Rule::PodAffinity);
      case PodRules::Answer::AntiAffinity:
        refusals |= bit(Rule::AntiAffinity);
        break;
      case PodRules::Answer::ExistingAntiAffinity:
        refusals |= bit(Rule::ExistingAntiAffinity);
        break;
    }
  }
  if (!on_.spread) return refusals;
  switch (pods.judge_spread(node)) {
    case model::SpreadTally::Answer::Fits:
      return refusals;
    case model::SpreadTally::Answer::TooSkewed:
      return refusals | bit(Rule::Spread);
    case model::SpreadTally::Answer::MissingKey:
      return refusals | bit(Rule::SpreadKey);
  }
  return refusals;
}

VerdictId Predicates::verdict_of(RuleSet refusals) {
  VerdictId& known = verdict_memo_[refusals];
  if (known != kFits) return known;
  std::vector<engine::ReasonId> told;
  for (size_t i = 0; i < kRules; ++i) {
    if ((refusals & bit(static_cast<Rule>(i))) != 0) told.push_back(reasons_[i]);
  }
  const engine::Fit fit = is_final(refusals) ? engine::Fit::Never : engine::Fit::EvictMayHelp;
  known = verdicts_->verdict(fit, told);
  return known;
}

// Terms of pods on nodes do not reach: a column is rebuilt anyway when the pods with terms change.
bool Predicates::filter_reaches_cluster(TaskId task) { return pods_->reaches_cluster(state_->shape_of(task)); }

void Predicates::sign(TaskId task, engine::ClassKey& key) {
  signature_.clear();
  pods_->classes().sign(task, signature_);
  for (const uint64_t part : signature_) key.add(part);
}

void Predicates::sign_epoch(Fingerprint& epoch) { epoch.add(pods_->classes().epoch()); }

// A pod that waits for other pods, or for balance among them, may fit after any placement.
void Predicates::job_inputs(model::JobId job, Fingerprint& inputs) {
  if (!pods_->classes().any_terms() && state_->shapes.with_spread().empty()) return;
  for (const TaskId task : state_->job(job).tasks) {
    if (!pods_->reaches_cluster(state_->shape_of(task))) continue;
    inputs.add(state_->touches().end());
    return;
  }
}

}  // namespace basalt::plugins
