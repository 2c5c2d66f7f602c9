// pods/binding, pods/eviction and namespaces/finalize.
#pragma once

#include "server/rest/call_context.h"

namespace basalt::server {

// The scheduler's decision: spec.nodeName is set once and for all, and the PodScheduled condition turns True. A pod
// that has a node, is being deleted or waits behind scheduling gates is a conflict.
void bind_pod(const ContextPtr& context);

// A deletion that respects PodDisruptionBudgets: 429 when none is left, otherwise the budget is charged and the pod
// deleted.
void evict_pod(const ContextPtr& context);

// Replaces spec.finalizers of a namespace; the last one gone, a namespace that is being deleted vanishes.
void finalize_namespace(const ContextPtr& context);

}  // namespace basalt::server
