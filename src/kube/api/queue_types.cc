#include "kube/api/queue_types.h"

namespace basalt::api {

Result<void> read(const text::Field& at, NodeGroupTerms& out) {
  return read_fields(at, "requiredDuringSchedulingIgnoredDuringExecution", out.required,  //
                     "preferredDuringSchedulingIgnoredDuringExecution", out.preferred);
}

Result<void> read(const text::Field& at, QueueAffinity& out) {
  return read_fields(at, "nodeGroupAffinity", out.node_group, "nodeGroupAntiAffinity", out.node_group_anti);
}

Result<void> read(const text::Field& at, QueueSpec& out) {
  Result<void> done = read_fields(at, "weight", out.weight, "capability", out.capability, "deserved", out.deserved,  //
                                  "reclaimable", out.reclaimable, "parent", out.parent, "priority", out.priority,    //
                                  "affinity", out.affinity);
  return done ? read_fields(at.field("guarantee"), "resource", out.guarantee) : done;
}

Result<void> read(const text::Field& at, QueueStatus& out) {
  return read_fields(at, "state", out.state, "allocated", out.allocated);
}

Result<void> read(const text::Field& at, Queue& out) {
  if (Result<void> done = read_cluster_scoped(at, out.metadata); !done) return done;
  return read_fields(at, "spec", out.spec, "status", out.status);
}

Result<Queue> decode_queue(const text::Value& value) { return decode_object<Queue>(text::Field(value), "Queue"); }

}  // namespace basalt::api
