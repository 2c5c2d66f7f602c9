// Task classes: which tasks are alike, and one column for each class.
//
// A class is found by the key its plugins sign (class_key.h). Columns are bounded in bytes: the one unused for longest
// goes first and is built anew when its class comes back. Everything here is a cache: dropping it changes no decision.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/node_columns.h"

namespace basalt::engine {

using ClassId = StrongId<struct ClassTag>;

class TaskClassTable {
 public:
  static constexpr size_t kMaxColumnBytes = size_t{96} * 1024 * 1024;
  static constexpr size_t kMaxClasses = size_t{1} << 18U;  // beyond that the book starts anew

  // Called once a cycle. `epoch` covers what sign() depends on beside the task; another epoch, other classes.
  void open(model::ClusterState& state, uint64_t epoch);

  ClassId class_of(const ColumnContext& context, TaskId task);
  // The task's column, synced. The reference is valid until the next call.
  NodeColumn& column(const ColumnContext& context, TaskId task);

  [[nodiscard]] std::span<const NodeId> by_rank() const { return by_rank_; }
  [[nodiscard]] std::span<const uint32_t> rank_of() const { return rank_of_; }
  [[nodiscard]] size_t classes() const { return classes_.size(); }
  [[nodiscard]] size_t column_bytes() const { return bytes_; }
  [[nodiscard]] uint64_t evaluations() const { return evaluations_; }

 private:
  struct Row {
    std::unique_ptr<NodeColumn> column;
    uint64_t used = 0;
    size_t bytes = 0;
  };
  void make_room();

  uint64_t epoch_ = 0;
  uint64_t node_set_version_ = 0;
  std::vector<NodeId> by_rank_;
  std::vector<uint32_t> rank_of_;
  std::unordered_map<std::string, ClassId> ids_;
  IdVector<ClassId, Row> classes_;
  uint32_t note_epoch_ = 0;  // of the class ids noted in tasks: moves when ids are given out anew
  std::map<uint64_t, ClassId> by_use_;
  uint64_t clock_ = 0;
  size_t bytes_ = 0;
  uint64_t evaluations_ = 0;
  ClassKey scratch_;
};

}  // namespace basalt::engine
