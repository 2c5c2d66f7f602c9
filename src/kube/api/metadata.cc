#include "kube/api/metadata.h"

namespace basalt::api {
namespace {

Result<void> read_named(const text::Field& root, ObjectMeta& out) {
  const text::Field metadata = root.field("metadata");
  if (Result<void> done = read(metadata, out); !done) return done;
  if (out.name.empty()) return std::unexpected(metadata.field("name").error("is required: give the object a name"));
  return {};
}

}  // namespace

Result<void> read(const text::Field& at, OwnerReference& out) {
  return read_fields(at, "kind", out.kind, "name", out.name, "uid", out.uid, "controller", out.controller, "apiVersion",
                     out.api_version);
}

Result<void> read(const text::Field& at, ObjectMeta& out) {
  return read_fields(at, "name", out.name, "namespace", out.namespace_name, "uid", out.uid,  //
                     "resourceVersion", out.resource_version,                                //
                     "labels", out.labels, "annotations", out.annotations,                   //
                     "creationTimestamp", out.creation_time, "deletionTimestamp", out.deletion_time, "ownerReferences",
                     out.owners);
}

Result<void> read(const text::Field& at, Condition& out) {
  return read_fields(at, "type", out.type, "status", out.status, "reason", out.reason, "message", out.message,
                     "transitionID", out.transition_id, "lastTransitionTime", out.last_transition_time);
}

Result<void> read_namespaced(const text::Field& root, ObjectMeta& out) {
  if (Result<void> done = read_named(root, out); !done) return done;
  if (out.namespace_name.empty()) out.namespace_name = kDefaultNamespace;
  return {};
}

Result<void> read_cluster_scoped(const text::Field& root, ObjectMeta& out) {
  Result<void> done = read_named(root, out);
  out.namespace_name.clear();
  return done;
}

}  // namespace basalt::api
