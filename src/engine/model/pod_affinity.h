// Pod affinity terms, summed over the pods on the nodes, for one incoming pod.
//
// A TermTally answers, for a node: how much do the pods in the node's topology domains weigh? Pods weigh in two ways:
//   own       terms of the incoming pod that match a pod on a node
//   existing  terms of a pod on a node that match the incoming pod
// Required terms weigh 1 each, so that "is there any" is "is the sum above 0".
//
// Only pods in the node views count (Task::in_view). sync() counts again only the nodes touched since the last call. A
// tally belongs to one cycle.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/model/cluster_state.h"
#include "engine/model/topology_domains.h"

namespace basalt::model {

// A term looks at pods of these namespaces with these labels. A namespace that is not known has no labels.
bool matches_pod(const PodTerm& term, NameId ns, LabelSetId labels, const ClusterState& state);
// The pod matches each of the terms, and there is one.
bool matches_all(std::span<const PodTerm> terms, NameId ns, LabelSetId labels, const ClusterState& state);

struct WeightedTerm {
  const PodTerm* term = nullptr;
  int64_t weight = 0;
};
using TermsOfShape = std::vector<WeightedTerm> (*)(const PodShape& shape);

// The term lists that scheduling rules are made of.
std::vector<WeightedTerm> required_affinity_terms(const PodShape& shape);
std::vector<WeightedTerm> required_anti_affinity_terms(const PodShape& shape);
std::vector<WeightedTerm> preferred_terms(const PodShape& shape);  // anti-affinity with negative weight
std::vector<WeightedTerm> no_terms(const PodShape& shape);

class TermTally {
 public:
  enum class Own : uint8_t { Each, AllTogether };  // AllTogether: a pod counts only if it matches every own term
  // `incoming` must be alive for the whole cycle; terms are taken from shapes of the state.
  TermTally(const ClusterState& state, TopologyDomains& domains, TaskId incoming, TermsOfShape own, Own rule,
            TermsOfShape existing);

  // Cost: O(pods) at first if there are own terms, else O(pods with terms); later O(pods on touched nodes).
  void sync();

  [[nodiscard]] bool has_own_terms() const { return !own_.empty(); }
  // Nothing counts anywhere (sums of positive weights only).
  [[nodiscard]] bool nothing_counts() const { return total_ == 0; }
  [[nodiscard]] bool no_keys() const { return slots_.empty(); }
  // Sum over all topology keys that the node has.
  [[nodiscard]] int64_t sum(NodeId node) const;
  // For own terms: the domain of the node under each term's key. kMissing: the node lacks one of the keys.
  enum class Presence : uint8_t { Missing, SomeEmpty, AllCounted };
  [[nodiscard]] Presence own_presence(NodeId node) const;

 private:
  struct Slot {
    NameId key;
    const DomainMap* domains = nullptr;
    IdVector<NodeId, int64_t> on_node;
    std::vector<int64_t> in_domain;
  };
  struct Effect {
    size_t slot = 0;
    int64_t weight = 0;
  };
  size_t slot_of(NameId key);
  void add(Effect effect, NodeId node);
  void count_node(NodeId node);
  void count_all();
  void clear_node(NodeId node);
  void add_own(const Task& pod);
  void add_existing(const Task& pod);

  const ClusterState& state_;
  TopologyDomains& domains_;
  NameId ns_;
  LabelSetId labels_;
  TermsOfShape existing_;
  Own rule_;
  std::vector<WeightedTerm> own_;
  std::vector<Effect> own_effects_;
  std::vector<Slot> slots_;
  std::unordered_map<ShapeId, std::vector<Effect>> effects_of_;  // asked by shape, never walked
  int64_t total_ = 0;
  bool counted_ = false;
  uint64_t synced_to_ = 0;
  uint64_t pod_terms_version_ = 0;
};

}  // namespace basalt::model
