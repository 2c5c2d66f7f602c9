// What of a pod decides where it may and should run.
//
// Pods of one template have the same shape, so a shape is stored once (ShapePool) and a task carries a ShapeId. Two
// pods of equal shape get the same answer from every filter and score that looks only at the shape.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/model/labels.h"
#include "engine/model/resource_vec.h"
#include "engine/model/taints.h"

namespace basalt::model {

// One term of node affinity: all label requirements and all field requirements (metadata.name) hold.
struct NodeTerm {
  std::vector<Requirement> labels;
  std::vector<Requirement> fields;  // key is "metadata.name", values are node names
  friend auto operator<=>(const NodeTerm&, const NodeTerm&) = default;
};

struct WeightedNodeTerm {
  int32_t weight = 0;
  NodeTerm term;
  friend auto operator<=>(const WeightedNodeTerm&, const WeightedNodeTerm&) = default;
};

// "Near / far from pods that match, where near means: same value of topology_key."
struct PodTerm {
  Selector selector;
  std::vector<NameId> namespaces;  // resolved: explicit list plus own namespace default; sorted
  bool has_namespace_selector = false;
  Selector namespace_selector;  // matched against namespace labels
  NameId topology_key;
  int32_t weight = 0;  // for preferred terms
  friend auto operator<=>(const PodTerm&, const PodTerm&) = default;
};

struct SpreadConstraint {
  int32_t max_skew = 1;
  int32_t min_domains = 1;
  NameId topology_key;
  bool hard = true;  // DoNotSchedule; else ScheduleAnyway
  Selector selector;
  bool honor_node_affinity = true;
  bool honor_node_taints = false;
  friend auto operator<=>(const SpreadConstraint&, const SpreadConstraint&) = default;
};

struct HostPort {
  NameId ip;  // "0.0.0.0" when not given
  NameId protocol;
  int32_t port = 0;
  friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

struct PodShape {
  Demand request;  // includes pods: 1
  Amount nonzero_cpu_milli = 0;
  Amount nonzero_memory = 0;
  bool best_effort = false;  // requests nothing but its pod slot

  LabelSet node_selector;
  bool has_required_node_terms = false;
  std::vector<NodeTerm> required_node_terms;  // any of; given but empty matches nothing
  std::vector<WeightedNodeTerm> preferred_node_terms;
  std::vector<Toleration> tolerations;
  std::vector<HostPort> host_ports;  // sorted
  std::vector<NameId> images;        // one per container, init containers included, with a tag
  int32_t containers = 0;

  std::vector<PodTerm> required_affinity, required_anti_affinity;
  std::vector<PodTerm> preferred_affinity, preferred_anti_affinity;
  std::vector<SpreadConstraint> spread;

  [[nodiscard]] bool has_pod_terms() const {
    return !required_affinity.empty() || !required_anti_affinity.empty() || !preferred_affinity.empty() ||
           !preferred_anti_affinity.empty();
  }
};

// The full content of a shape as bytes: equal bytes, equal shape.
std::string shape_key(const PodShape& shape);

class ShapePool {
 public:
  ShapeId intern(const PodShape& shape);
  [[nodiscard]] const PodShape& operator[](ShapeId id) const { return shapes_[id]; }
  [[nodiscard]] size_t size() const { return shapes_.size(); }
  // Shapes, in the order they came, that look at other pods: with affinity terms, with spread constraints.
  [[nodiscard]] std::span<const ShapeId> with_pod_terms() const { return with_pod_terms_; }
  [[nodiscard]] std::span<const ShapeId> with_spread() const { return with_spread_; }

 private:
  IdVector<ShapeId, PodShape> shapes_;
  std::vector<ShapeId> with_pod_terms_, with_spread_;
  std::map<std::string, ShapeId> ids_;
};

// Labels of pods. Pods of a job differ in theirs (task-index), so sets come and go with pods: one that nobody holds any
// more is forgotten. Ids are never given out again: a cache that knows an old one finds nothing, never another set.
class LabelSetPool {
 public:
  LabelSetId intern(LabelSet labels);
  // A task has it; a task with it is gone. Requires: in pairs, for a living id or none.
  void hold(LabelSetId id);
  void release(LabelSetId id);
  // Requires: a set that is held, or was interned and never released. Cost: one hash.
  [[nodiscard]] LabelSpan operator[](LabelSetId id) const { return *sets_.at(id).labels; }
  [[nodiscard]] size_t size() const { return sets_.size(); }

 private:
  struct Set {
    const LabelSet* labels = nullptr;  // the key in ids_
    uint32_t holders = 0;
  };
  std::unordered_map<LabelSetId, Set> sets_;
  std::map<LabelSet, LabelSetId> ids_;
  uint32_t next_ = 0;
};

}  // namespace basalt::model
