#include "engine/model/pod_shape.h"

#include <limits>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace basalt::model {

namespace {

// Appends values to a byte string such that different content gives different bytes: every list is preceded by its
// length, every number has a fixed width.
class KeyWriter {
 public:
  template <class T>
    requires std::is_integral_v<T> || std::is_enum_v<T>
  KeyWriter& operator<<(T value) {
    auto bits = static_cast<uint64_t>(value);
    for (size_t i = 0; i < sizeof(T); ++i, bits >>= 8U) bytes_.push_back(static_cast<char>(bits & 0xFFU));
    return *this;
  }
  KeyWriter& operator<<(NameId id) { return *this << id.value; }
  KeyWriter& operator<<(ResourceId id) { return *this << id.value; }
  KeyWriter& operator<<(const DemandEntry& e) { return *this << e.id << e.amount; }
  KeyWriter& operator<<(const Label& l) { return *this << l.key << l.value; }
  KeyWriter& operator<<(const Requirement& r) { return *this << r.key << r.op << r.values << r.bound << r.malformed; }
  KeyWriter& operator<<(const Selector& s) { return *this << s.nothing << s.requirements; }
  KeyWriter& operator<<(const NodeTerm& t) { return *this << t.labels << t.fields; }
  KeyWriter& operator<<(const WeightedNodeTerm& t) { return *this << t.weight << t.term; }
  KeyWriter& operator<<(const Toleration& t) { return *this << t.key << t.exists << t.value << t.effect; }
  KeyWriter& operator<<(const HostPort& p) { return *this << p.ip << p.protocol << p.port; }
  KeyWriter& operator<<(const PodTerm& t) {
    return *this << t.selector << t.namespaces << t.has_namespace_selector << t.namespace_selector << t.topology_key
                 << t.weight;
  }
  KeyWriter& operator<<(const SpreadConstraint& c) {
    return *this << c.max_skew << c.min_domains << c.topology_key << c.hard << c.selector << c.honor_node_affinity
                 << c.honor_node_taints;
  }
  template <class T>
  KeyWriter& operator<<(const std::vector<T>& list) {
    *this << static_cast<uint32_t>(list.size());
    for (const T& item : list) *this << item;
    return *this;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace

std::string shape_key(const PodShape& s) {
  KeyWriter key;
  key << s.request << s.nonzero_cpu_milli << s.nonzero_memory << s.best_effort << s.node_selector
      << s.has_required_node_terms << s.required_node_terms << s.preferred_node_terms << s.tolerations << s.host_ports
      << s.images << s.containers << s.required_affinity << s.required_anti_affinity << s.preferred_affinity
      << s.preferred_anti_affinity << s.spread;
  return key.take();
}

ShapeId ShapePool::intern(const PodShape& shape) {
  auto [at, is_new] = ids_.try_emplace(shape_key(shape), ShapeId());
  if (is_new) {
    at->second = shapes_.push_back(shape);
    if (shape.has_pod_terms()) with_pod_terms_.push_back(at->second);
    if (!shape.spread.empty()) with_spread_.push_back(at->second);
  }
  return at->second;
}

LabelSetId LabelSetPool::intern(LabelSet labels) {
  const auto [at, is_new] = ids_.try_emplace(std::move(labels), LabelSetId(next_));
  if (is_new) {
    check(next_ < std::numeric_limits<uint32_t>::max(), "label sets have used up their ids");
    sets_.emplace(at->second, Set{.labels = &at->first});
    ++next_;
  }
  return at->second;
}

void LabelSetPool::hold(LabelSetId id) {
  if (id.valid()) ++sets_.at(id).holders;
}

void LabelSetPool::release(LabelSetId id) {
  if (!id.valid()) return;
  const auto at = sets_.find(id);
  check(at != sets_.end() && at->second.holders > 0, "a label set is released as often as it was held");
  if (--at->second.holders > 0) return;
  ids_.erase(ids_.find(*at->second.labels));
  sets_.erase(at);
}

}  // namespace basalt::model
