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
  auto found = columns_.find(key);
  if (found == columns_.end()) {
    if (bytes_ > kMaxBytes) {
      columns_.clear();
      bytes_ = 0;
    }
    const auto room = [this, task](NodeId node) { return has_room(task, node); };
    found = columns_.emplace(key, std::make_unique<NodeColumn>(room)).first;
    found->second->sync(context, task);
    bytes_ += found->second->bytes();
  } else {
    found->second->sync(context, task);
  }
  return *found->second;
}

bool EvictionColumns::has_room(TaskId task, NodeId node) const {
  const auto& there = session_.state.node(node).tasks;
  return model::fits(session_.state.shape_of(task).request, session_.state.future_idle(node)) ||
         std::any_of(there.begin(), there.end(), [&](TaskId other) { return may_be_victim_(task, other); });
}

}  // namespace basalt::actions
