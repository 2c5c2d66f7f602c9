#include "engine/core/task_classes.h"

#include "engine/core/combine.h"

namespace basalt::engine {

void TaskClassTable::open(model::ClusterState& state, uint64_t epoch) {
  if (note_epoch_ == 0 || epoch != epoch_ || classes_.size() > kMaxClasses) {
    ids_.clear();
    classes_.clear();
    note_epoch_ = state.new_class_epoch();
    by_use_.clear();
    bytes_ = 0;
    epoch_ = epoch;
  }
  if (node_set_version_ != state.node_set_version()) {
    const auto nodes = state.nodes_by_name();
    by_rank_.assign(nodes.begin(), nodes.end());
    rank_of_.assign(state.node_rows(), 0);
    for (uint32_t rank = 0; rank < by_rank_.size(); ++rank) rank_of_[by_rank_[rank].index()] = rank;
    node_set_version_ = state.node_set_version();
  }
}

ClassId TaskClassTable::class_of(const ColumnContext& context, TaskId id) {
  const model::Task& task = context.state.task(id);
  if (task.class_note_epoch == note_epoch_) return ClassId(task.class_note);
  scratch_.clear();
  scratch_.add(task.shape);  // the column itself judges by the request
  notify(context.hooks.sign, id, scratch_);
  auto [at, is_new] = ids_.try_emplace(scratch_.bytes(), ClassId());
  if (is_new) at->second = classes_.push_back({});
  task.class_note = at->second.value;
  task.class_note_epoch = note_epoch_;
  return at->second;
}

NodeColumn& TaskClassTable::column(const ColumnContext& context, TaskId task) {
  const ClassId id = class_of(context, task);
  Row& row = classes_[id];
  if (!row.column) {
    make_room();
    row.column = std::make_unique<NodeColumn>();
    row.used = 0;
  }
  if (row.used != clock_ || clock_ == 0) {  // not the most recent already: a gang asks many times in a row
    by_use_.erase(row.used);
    row.used = ++clock_;
    by_use_.emplace_hint(by_use_.end(), row.used, id);
  }
  const uint64_t before = row.column->evaluations();
  row.column->sync(context, task);
  evaluations_ += row.column->evaluations() - before;
  const size_t bytes = row.column->bytes();
  bytes_ += bytes - row.bytes;
  row.bytes = bytes;
  return *row.column;
}

void TaskClassTable::make_room() {
  while (bytes_ > kMaxColumnBytes && !by_use_.empty()) {
    Row& oldest = classes_[by_use_.begin()->second];
    by_use_.erase(by_use_.begin());
    bytes_ -= oldest.bytes;
    oldest.bytes = 0;
    oldest.column.reset();
  }
}

}  // namespace basalt::engine
