// Which pods are alike as far as rules about other pods go.
//
// Two pods of one shape may still differ in what affinity terms (theirs or others') see of them: namespace and labels.
// Signing every label set would make each pod of a job a class of its own (a task index in a label suffices), so a pod
// is signed by the terms that match it. Beyond kMaxTermShapes shapes with terms, by its label set after all.
//
// A signature is stable across cycles while epoch() is: terms are numbered in the order their shapes came.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "engine/model/cluster_state.h"

namespace basalt::model {

class PodClasses {
 public:
  static constexpr size_t kMaxTermShapes = 1024;

  // Cost: O(shapes with terms), nothing while no living pod has terms.
  explicit PodClasses(const ClusterState& state);

  // Whether rules about other pods can say anything about pods of this shape.
  [[nodiscard]] bool concerns(const PodShape& shape) const { return any_terms_ || !shape.spread.empty(); }
  [[nodiscard]] bool any_terms() const { return any_terms_; }

  // Appends what distinguishes the pod, its shape included. No signature is the beginning of another one.
  void sign(TaskId task, std::vector<uint64_t>& signature) const;
  // Moves when signatures of the same pod may.
  [[nodiscard]] uint64_t epoch() const { return epoch_; }

  // A dense number for the pod's signature, for this object's life.
  uint32_t index_of(TaskId task);

 private:
  struct SeenByContent {
    bool operator()(const PodTerm* a, const PodTerm* b) const {
      const auto content = [](const PodTerm* t) {
        return std::tie(t->selector, t->namespaces, t->has_namespace_selector, t->namespace_selector);
      };
      return content(a) < content(b);
    }
  };
  void collect(const std::vector<PodTerm>& terms);
  void sign_terms(const Task& task, std::vector<uint64_t>& signature) const;

  const ClusterState& state_;
  bool any_terms_ = false;
  bool by_labels_ = false;
  uint64_t epoch_ = 0;
  std::map<const PodTerm*, uint32_t, SeenByContent> numbers_;
  std::map<NameId, std::vector<const PodTerm*>> in_namespace_;  // terms that name their namespaces
  std::vector<const PodTerm*> anywhere_;                        // terms with a namespace selector
  std::map<std::vector<uint64_t>, uint32_t> indexes_;
  IdVector<TaskId, uint32_t> index_of_task_;  // 0: not asked yet, else index + 1
};

}  // namespace basalt::model
