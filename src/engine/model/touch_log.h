// Which nodes changed, in order: the log that incremental columns follow.
//
// Everything that could change a filter's or a score's answer for a node appends that node. A reader remembers the
// position up to which it has looked (`end()` at that time) and later visits each node touched since, once: an entry
// counts only if it is the node's last one. When the log grows beyond kMaxEntries its head is dropped and a reader
// from before `begin()` must look at every node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/model/ids.h"

namespace basalt::model {

class TouchLog {
 public:
  static constexpr size_t kMaxEntries = size_t{1} << 20U;

  void touch(NodeId node) {
    last_.ensure(node, 0);
    entries_.push_back(node);
    last_[node] = end();
  }
  [[nodiscard]] uint64_t begin() const { return begin_; }
  [[nodiscard]] uint64_t end() const { return begin_ + entries_.size(); }

  // Calls visit(NodeId) once for every node touched at or after `since`. Requires: since ≥ begin().
  template <class Visit>
  void visit_since(uint64_t since, Visit visit) const {
    for (size_t i = static_cast<size_t>(since - begin_); i < entries_.size(); ++i) {
      if (last_[entries_[i]] == begin_ + i + 1) visit(entries_[i]);
    }
  }
  // Drops the oldest entries if there are too many. Call between cycles.
  void trim() {
    if (entries_.size() <= kMaxEntries) return;
    begin_ = end();
    entries_.clear();
  }

 private:
  uint64_t begin_ = 0;
  std::vector<NodeId> entries_;
  IdVector<NodeId, uint64_t> last_;  // position just behind the node's newest entry
};

}  // namespace basalt::model
