// Where a rule looks, spelled out only when something is wrong there.
//
// A FieldPath is one step below its parent; a chain of them lives on the stack of the rule that walks down an object.
// So a valid object costs no path text at all. The parent must outlive the FieldPath: name it, or use the child at
// once.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace basalt::api::rules {

class FieldPath {
 public:
  // The top; `root` may be a whole path ("spec.template") or empty. It must outlive the chain.
  explicit FieldPath(std::string_view root) : step_(root) {}

  // A member / an element / an entry of a map, written a.b, a[0], a[key].
  [[nodiscard]] FieldPath key(std::string_view name) const { return {this, name, kNoIndex, false}; }
  [[nodiscard]] FieldPath at(size_t index) const { return {this, {}, index, false}; }
  [[nodiscard]] FieldPath entry(std::string_view name) const { return {this, name, kNoIndex, true}; }

  // "spec.containers[0].image". Cost: O(length).
  [[nodiscard]] std::string text() const {
    std::string path = parent_ == nullptr ? std::string() : parent_->text();
    if (index_ != kNoIndex) return path.append("[").append(std::to_string(index_)).append("]");
    if (entry_) return path.append("[").append(step_).append("]");
    if (!path.empty() && !step_.empty()) path += '.';
    return path.append(step_);
  }

 private:
  static constexpr size_t kNoIndex = std::numeric_limits<size_t>::max();

  FieldPath(const FieldPath* parent, std::string_view step, size_t index, bool entry)
      : parent_(parent), step_(step), index_(index), entry_(entry) {}

  const FieldPath* parent_ = nullptr;
  std::string_view step_;
  size_t index_ = kNoIndex;
  bool entry_ = false;
};

}  // namespace basalt::api::rules
