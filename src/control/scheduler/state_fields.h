// What a ClusterState says about its objects, as named texts that two states can be compared by.
//
// Two states that were fed with the same objects give the same facts, whatever the order in which they came: names
// instead of ids, sets sorted by name, resources that are 0 left out. Nothing that is a sum over other facts.
//
//   FieldTexts facts;
//   StateFields(state).task(id, facts);   facts.field(0).name == "pod", .value == "team-a/train-0" …
//
// Cost: O(what is written), no allocation once the buffers have grown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/cluster_state.h"

namespace basalt::scheduler {

// Fields in the order they were written. Which fields there are depends on the kind of object only.
class FieldTexts {
 public:
  struct Field {
    std::string_view name;  // a literal
    std::string_view value;
  };
  void clear();
  FieldTexts& begin(std::string_view name);  // the following put() are the value of this field
  FieldTexts& put(std::string_view text);
  FieldTexts& put(const char* text) { return put(std::string_view(text)); }  // else a literal would be a flag
  FieldTexts& put(int64_t number);
  FieldTexts& put(bool flag) { return put(flag ? std::string_view("yes") : std::string_view("no")); }

  [[nodiscard]] size_t size() const { return starts_.size(); }
  [[nodiscard]] Field field(size_t index) const;
  // Same fields with the same values.
  friend bool operator==(const FieldTexts&, const FieldTexts&) = default;

 private:
  std::string text_;
  std::vector<std::pair<std::string_view, size_t>> starts_;
};

// Requires: the state lives longer and does not change.
class StateFields {
 public:
  static constexpr std::string_view kGates = "gates";  // the field of a task

  explicit StateFields(const model::ClusterState& state);

  // Each clears `out` first.
  void node(model::NodeId id, FieldTexts& out);
  // `settled`: with status, node and the times that come with them; else without: they may be on their way.
  void task(model::TaskId id, bool settled, FieldTexts& out);
  void job(model::JobId id, FieldTexts& out);
  void queue(model::QueueId id, FieldTexts& out);
  void quota(const model::ResourceQuota& quota, FieldTexts& out);
  void budget(const model::DisruptionBudgetObject& budget, FieldTexts& out);
  void namespace_labels(model::LabelSpan labels, FieldTexts& out);

 private:
  using Texts = std::vector<std::string>;
  [[nodiscard]] std::string_view name(NameId id) const;
  void put_amounts(std::span<const model::Amount> amounts, FieldTexts& out) const;
  void put_quota(const model::Quota& quota, FieldTexts& out) const;
  void put_labels(model::LabelSpan labels, FieldTexts& out);
  void put_sub_groups(const model::Job& job, FieldTexts& out) const;

  // Parts of shapes and selectors; lists whose order means nothing are sorted by the caller.
  [[nodiscard]] std::string requirement(const model::Requirement& requirement) const;
  [[nodiscard]] std::string requirements(const std::vector<model::Requirement>& list) const;
  [[nodiscard]] std::string selector(const model::Selector& selector) const;
  [[nodiscard]] std::string pod_terms(const std::vector<model::PodTerm>& terms) const;
  [[nodiscard]] std::string shape(const model::PodShape& shape);
  [[nodiscard]] std::string_view shape_text(model::ShapeId id);  // made once per shape

  const model::ClusterState& state_;
  std::vector<model::ResourceId> by_name_;                             // all dimensions, sorted by name
  Texts shapes_;                                                       // by ShapeId; "" : not made yet
  std::vector<std::pair<std::string_view, std::string_view>> labels_;  // scratch
};

}  // namespace basalt::scheduler
