#include "engine/model/pod_affinity.h"

#include <algorithm>

namespace basalt::model {

namespace {

bool covers_namespace(const PodTerm& term, NameId ns, const ClusterState& state) {
  if (std::binary_search(term.namespaces.begin(), term.namespaces.end(), ns)) return true;
  if (!term.has_namespace_selector) return false;
  const auto at = state.limits.namespace_labels.find(ns);
  const LabelSpan labels = at == state.limits.namespace_labels.end() ? LabelSpan() : LabelSpan(at->second);
  return matches(term.namespace_selector, labels, state.names);
}

void append(std::vector<WeightedTerm>& to, const std::vector<PodTerm>& terms, int64_t sign) {
  for (const PodTerm& term : terms) to.push_back({.term = &term, .weight = sign * term.weight});
}

std::vector<WeightedTerm> each_once(const std::vector<PodTerm>& terms) {
  std::vector<WeightedTerm> list;
  for (const PodTerm& term : terms) list.push_back({.term = &term, .weight = 1});
  return list;
}

}  // namespace

bool matches_pod(const PodTerm& term, NameId ns, LabelSetId labels, const ClusterState& state) {
  return covers_namespace(term, ns, state) && matches(term.selector, state.label_sets[labels], state.names);
}

bool matches_all(std::span<const PodTerm> terms, NameId ns, LabelSetId labels, const ClusterState& state) {
  return !terms.empty() && std::all_of(terms.begin(), terms.end(),
                                       [&](const PodTerm& term) { return matches_pod(term, ns, labels, state); });
}

std::vector<WeightedTerm> required_affinity_terms(const PodShape& shape) { return each_once(shape.required_affinity); }
std::vector<WeightedTerm> required_anti_affinity_terms(const PodShape& shape) {
  return each_once(shape.required_anti_affinity);
}
std::vector<WeightedTerm> preferred_terms(const PodShape& shape) {
  std::vector<WeightedTerm> list;
  append(list, shape.preferred_affinity, +1);
  append(list, shape.preferred_anti_affinity, -1);
  return list;
}
std::vector<WeightedTerm> no_terms(const PodShape& /*shape*/) { return {}; }

TermTally::TermTally(const ClusterState& state, TopologyDomains& domains, TaskId incoming, TermsOfShape own, Own rule,
                     TermsOfShape existing)
    : state_(state),
      domains_(domains),
      ns_(state.task(incoming).ns),
      labels_(state.task(incoming).labels),
      existing_(existing),
      rule_(rule),
      own_(own(state.shape_of(incoming))) {
  for (const WeightedTerm& term : own_) {
    own_effects_.push_back({.slot = slot_of(term.term->topology_key), .weight = term.weight});
  }
}

size_t TermTally::slot_of(NameId key) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].key == key) return i;
  }
  const DomainMap& domains = domains_[key];
  slots_.push_back({.key = key,
                    .domains = &domains,
                    .on_node = IdVector<NodeId, int64_t>(state_.node_rows(), 0),
                    .in_domain = std::vector<int64_t>(domains.count, 0)});
  return slots_.size() - 1;
}

void TermTally::add(Effect effect, NodeId node) {
  Slot& slot = slots_[effect.slot];
  const uint32_t domain = slot.domains->of[node];
  if (domain == kNoDomain) return;
  slot.on_node[node] += effect.weight;
  slot.in_domain[domain] += effect.weight;
  total_ += effect.weight;
}

void TermTally::add_own(const Task& pod) {
  const auto matched = [&](const WeightedTerm& t) { return matches_pod(*t.term, pod.ns, pod.labels, state_); };
  if (rule_ == Own::AllTogether) {
    if (!std::all_of(own_.begin(), own_.end(), matched)) return;
    for (const Effect effect : own_effects_) add(effect, pod.node);
    return;
  }
  for (size_t i = 0; i < own_.size(); ++i) {
    if (matched(own_[i])) add(own_effects_[i], pod.node);
  }
}

void TermTally::add_existing(const Task& pod) {
  auto [at, is_new] = effects_of_.try_emplace(pod.shape);
  if (is_new) {
    for (const WeightedTerm& term : existing_(state_.shapes[pod.shape])) {
      if (!matches_pod(*term.term, ns_, labels_, state_)) continue;
      at->second.push_back({.slot = slot_of(term.term->topology_key), .weight = term.weight});
    }
  }
  for (const Effect effect : at->second) add(effect, pod.node);
}

void TermTally::count_node(NodeId node) {
  for (const TaskId id : state_.node(node).tasks) {
    const Task& pod = state_.task(id);
    if (!pod.in_view) continue;
    if (!own_.empty()) add_own(pod);
    if (state_.shapes[pod.shape].has_pod_terms()) add_existing(pod);
  }
}

void TermTally::clear_node(NodeId node) {
  for (Slot& slot : slots_) {
    const uint32_t domain = slot.domains->of[node];
    if (domain == kNoDomain) continue;
    slot.in_domain[domain] -= slot.on_node[node];
    total_ -= slot.on_node[node];
    slot.on_node[node] = 0;
  }
}

void TermTally::count_all() {
  for (Slot& slot : slots_) {
    slot.on_node.assign(state_.node_rows(), 0);
    slot.in_domain.assign(slot.domains->count, 0);
  }
  total_ = 0;
  if (own_.empty()) {
    for (const TaskId id : state_.tasks_with_pod_terms()) add_existing(state_.task(id));
    return;
  }
  for (const NodeId node : state_.nodes_by_name()) count_node(node);
}

void TermTally::sync() {
  const TouchLog& log = state_.touches();
  if (!counted_ || (own_.empty() && pod_terms_version_ != state_.pod_terms_version())) {
    count_all();
  } else if (!own_.empty() && synced_to_ != log.end()) {
    log.visit_since(synced_to_, [this](NodeId node) {
      clear_node(node);
      count_node(node);
    });
  }
  counted_ = true;
  synced_to_ = log.end();
  pod_terms_version_ = state_.pod_terms_version();
}

int64_t TermTally::sum(NodeId node) const {
  int64_t sum = 0;
  for (const Slot& slot : slots_) {
    const uint32_t domain = slot.domains->of[node];
    if (domain != kNoDomain) sum += slot.in_domain[domain];
  }
  return sum;
}

TermTally::Presence TermTally::own_presence(NodeId node) const {
  Presence presence = Presence::AllCounted;
  for (const Effect effect : own_effects_) {
    const Slot& slot = slots_[effect.slot];
    const uint32_t domain = slot.domains->of[node];
    if (domain == kNoDomain) return Presence::Missing;
    if (slot.in_domain[domain] <= 0) presence = Presence::SomeEmpty;
  }
  return presence;
}

}  // namespace basalt::model
