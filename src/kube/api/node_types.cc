#include "kube/api/node_types.h"

namespace basalt::api {

Result<void> read(const text::Field& at, Taint& out) {
  return read_fields(at, "key", out.key, "value", out.value, "effect", out.effect);
}

Result<void> read(const text::Field& at, ContainerImage& out) {
  return read_fields(at, "names", out.names, "sizeBytes", out.size_bytes);
}

Result<void> read(const text::Field& at, NodeSpec& out) {
  return read_fields(at, "unschedulable", out.unschedulable, "taints", out.taints);
}

Result<void> read(const text::Field& at, NodeStatus& out) {
  return read_fields(at, "capacity", out.capacity, "allocatable", out.allocatable, "images", out.images,  //
                     "conditions", out.conditions);
}

Result<void> read(const text::Field& at, Node& out) {
  if (Result<void> done = read_cluster_scoped(at, out.metadata); !done) return done;
  return read_fields(at, "spec", out.spec, "status", out.status);
}

Result<Node> decode_node(const text::Value& value) { return decode_object<Node>(text::Field(value), "Node"); }

}  // namespace basalt::api
