#include "engine/model/node_affinity.h"

#include <algorithm>

namespace basalt::model {

namespace {

bool matches_field(const Requirement& field, NameId node_name) {
  if (field.values.size() != 1) return false;
  if (field.op == SelectorOp::In) return field.values.front() == node_name;
  return field.op == SelectorOp::NotIn && field.values.front() != node_name;
}

// Some node name satisfies every In requirement of the term, or there is none to satisfy.
bool allows_some_name(const NodeTerm& term) {
  const Requirement* first = nullptr;
  for (const Requirement& field : term.fields) {
    if (field.op == SelectorOp::In && first == nullptr) first = &field;
  }
  if (first == nullptr) return true;
  return std::any_of(first->values.begin(), first->values.end(), [&](NameId name) {
    return std::all_of(term.fields.begin(), term.fields.end(), [&](const Requirement& field) {
      return field.op != SelectorOp::In || std::binary_search(field.values.begin(), field.values.end(), name);
    });
  });
}

}  // namespace

bool matches(const NodeTerm& term, const Node& node, const StringPool& names) {
  if (term.labels.empty() && term.fields.empty()) return false;
  return std::all_of(term.labels.begin(), term.labels.end(),
                     [&](const Requirement& r) { return matches(r, node.labels, names); }) &&
         std::all_of(term.fields.begin(), term.fields.end(),
                     [&](const Requirement& r) { return matches_field(r, node.name_id); });
}

bool matches_required_nodes(const PodShape& shape, const Node& node, const StringPool& names) {
  for (const Label& wanted : shape.node_selector) {
    if (find_label(node.labels, wanted.key) != wanted.value) return false;
  }
  if (!shape.has_required_node_terms) return true;
  return std::any_of(shape.required_node_terms.begin(), shape.required_node_terms.end(),
                     [&](const NodeTerm& term) { return matches(term, node, names); });
}

int64_t preferred_node_weight(const PodShape& shape, const Node& node, const StringPool& names) {
  int64_t sum = 0;
  for (const WeightedNodeTerm& preferred : shape.preferred_node_terms) {
    if (matches(preferred.term, node, names)) sum += preferred.weight;
  }
  return sum;
}

bool node_names_conflict(const PodShape& shape) {
  if (shape.required_node_terms.empty()) return false;
  return std::none_of(shape.required_node_terms.begin(), shape.required_node_terms.end(), allows_some_name);
}

bool repelled_by_taint(const PodShape& shape, const Node& node) {
  return std::any_of(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
    const bool repels = taint.effect == TaintEffect::NoSchedule || taint.effect == TaintEffect::NoExecute;
    return repels && !tolerates(shape.tolerations, taint);
  });
}

int64_t disliked_taints(const PodShape& shape, const Node& node) {
  return std::count_if(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
    return taint.effect == TaintEffect::PreferNoSchedule && !tolerates(shape.tolerations, taint);
  });
}

}  // namespace basalt::model
