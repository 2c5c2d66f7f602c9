// Where evicting pods may make room for a task: a column (node_columns.h) per class and queue, for one run of an
// action.
//
// A preemptor changes one node. The next one of its class finds the others in order: O(log nodes) instead of filtering,
// scoring and sorting all of them. Nodes without room and without anybody who could be evicted are not even visited.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "engine/core/session.h"

namespace basalt::actions {

class EvictionColumns {
 public:
  // True if `other` could be evicted for `task` as far as the two of them alone tell. Of `task` only its class and its
  // queue may count. A wrong "true" costs time, a wrong "false" hides a node.
  using EvictionTest = std::function<bool(model::TaskId task, model::TaskId other)>;

  EvictionColumns(engine::Session& session, EvictionTest could_evict)
      : session_(session), could_evict_(std::move(could_evict)) {}

  // The task's column, synced. Valid until the next call.
  const engine::NodeColumn& column(model::TaskId task);

 private:
  static constexpr size_t kMaxBytes = size_t{64} * 1024 * 1024;  // beyond that all are built anew

  [[nodiscard]] bool has_room(model::TaskId task, model::NodeId node) const;

  engine::Session& session_;
  const EvictionTest could_evict_;
  std::map<std::pair<engine::ClassId, model::QueueId>, std::unique_ptr<engine::NodeColumn>> columns_;
  size_t bytes_ = 0;  // of those that were built
};

}  // namespace basalt::actions
