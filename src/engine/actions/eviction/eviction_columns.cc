#include "engine/actions/eviction/eviction_columns.h"

#include <algorithm>

namespace basalt::actions {

using engine::NodeColumn;
using model::NodeId;
using model::TaskId;

const NodeColumn& EvictionColumns::column(TaskId task) {
  const engine::ColumnContext context = session_.columns();
  const auto key = std::pair(session_.memory.classes.class_of(context, task),
                             session_.state.job(session_.state.task(task).job).queue_id);
  if (bytes_ > kMaxBytes && !columns_.contains(key)) {
    columns_.clear();
    bytes_ = 0;
  }
  std::unique_ptr<NodeColumn>& column = columns_[key];
  const bool is_new = column == nullptr;
  if (is_new) column = std::make_unique<NodeColumn>([this, task](NodeId node) { return has_room(task, node); });
  column->sync(context, task);
  if (is_new) bytes_ += column->bytes();
  return *column;
}

bool EvictionColumns::has_room(TaskId task, NodeId node) const {
  const auto& there = session_.state.node(node).tasks;
  return model::fits(session_.state.shape_of(task).request, session_.state.future_idle(node)) ||
         std::any_of(there.begin(), there.end(), [&](TaskId other) { return could_evict_(task, other); });
}

}  // namespace basalt::actions
