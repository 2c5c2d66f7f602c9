// The dense ids of the cluster's tables. Rows are recycled, so an id names a thing only while that thing exists.
#pragma once

#include "base/string_pool.h"
#include "base/strong_id.h"

namespace basalt::model {

using NodeId = StrongId<struct NodeTag>;
using TaskId = StrongId<struct TaskTag>;
using JobId = StrongId<struct JobTag>;
using QueueId = StrongId<struct QueueTag>;
using ShapeId = StrongId<struct ShapeTag>;        // pods with equal scheduling inputs, see pod_shape.h
using LabelSetId = StrongId<struct LabelSetTag>;  // pods with equal labels
using ResourceId = StrongId<struct ResourceTag>;  // a resource dimension: cpu, memory, pods, nvidia.com/gpu …

}  // namespace basalt::model
