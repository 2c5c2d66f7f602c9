#include "engine/model/pod_classes.h"

#include <algorithm>

#include "base/fingerprint.h"
#include "engine/model/pod_affinity.h"
#include "engine/model/topology_spread.h"

namespace basalt::model {

namespace {

constexpr uint64_t kSignedByLabels = UINT64_MAX;  // no number of matching terms

uint64_t namespaces_fingerprint(const ClusterState& state) {
  Fingerprint print;
  for (const auto& [ns, labels] : state.limits.namespace_labels) {
    print.add(ns.value);
    for (const Label& label : labels) print.add(label.key.value).add(label.value.value);
  }
  return print.value();
}

}  // namespace

PodClasses::PodClasses(const ClusterState& state) : state_(state), any_terms_(state.any_pod_terms()) {
  if (!any_terms_) return;
  const auto shapes = state.shapes.with_pod_terms();
  Fingerprint epoch;
  epoch.add(shapes.size());
  by_labels_ = shapes.size() > kMaxTermShapes;
  if (!by_labels_) {
    for (const ShapeId id : shapes) {
      const PodShape& shape = state.shapes[id];
      for (const auto* terms : {&shape.required_affinity, &shape.required_anti_affinity, &shape.preferred_affinity,
                                &shape.preferred_anti_affinity}) {
        collect(*terms);
      }
    }
    if (!anywhere_.empty()) epoch.add(namespaces_fingerprint(state));
  }
  epoch_ = epoch.value();
}

void PodClasses::collect(const std::vector<PodTerm>& terms) {
  for (const PodTerm& term : terms) {
    if (!numbers_.try_emplace(&term, static_cast<uint32_t>(numbers_.size())).second) continue;
    if (term.has_namespace_selector) {
      anywhere_.push_back(&term);
      continue;
    }
    for (const NameId ns : term.namespaces) in_namespace_[ns].push_back(&term);
  }
}

void PodClasses::sign_terms(const Task& task, std::vector<uint64_t>& signature) const {
  if (by_labels_) {
    signature.insert(signature.end(), {kSignedByLabels, task.ns.value, task.labels.value});
    return;
  }
  const size_t count_at = signature.size();
  signature.push_back(0);
  const auto add_matching = [&](const std::vector<const PodTerm*>& terms) {
    for (const PodTerm* term : terms) {
      if (matches_pod(*term, task.ns, task.labels, state_)) signature.push_back(numbers_.at(term));
    }
  };
  if (const auto at = in_namespace_.find(task.ns); at != in_namespace_.end()) add_matching(at->second);
  add_matching(anywhere_);
  std::sort(signature.begin() + static_cast<std::ptrdiff_t>(count_at) + 1, signature.end());
  signature[count_at] = signature.size() - count_at - 1;
}

void PodClasses::sign(TaskId id, std::vector<uint64_t>& signature) const {
  const Task& task = state_.task(id);
  const PodShape& shape = state_.shapes[task.shape];
  signature.push_back(task.shape.value);
  if (any_terms_) sign_terms(task, signature);
  if (shape.spread.empty()) return;
  signature.push_back(task.ns.value);
  for (const SpreadConstraint& constraint : shape.spread) {
    signature.push_back(matches_itself(constraint, task.labels, state_) ? 1 : 0);
  }
}

uint32_t PodClasses::index_of(TaskId task) {
  if (index_of_task_.empty()) index_of_task_.assign(state_.task_rows(), 0);
  uint32_t& known = index_of_task_[task];
  if (known == 0) {
    std::vector<uint64_t> signature;
    sign(task, signature);
    known = indexes_.try_emplace(std::move(signature), static_cast<uint32_t>(indexes_.size())).first->second + 1;
  }
  return known - 1;
}

}  // namespace basalt::model
