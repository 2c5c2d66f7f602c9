#include "kube/api/policy_types.h"

namespace basalt::api {

Result<void> read(const text::Field& at, PriorityClass& out) {
  if (Result<void> done = read_cluster_scoped(at, out.metadata); !done) return done;
  return read_fields(at, "value", out.value, "globalDefault", out.global_default,  //
                     "preemptionPolicy", out.preemption_policy);
}

Result<void> read(const text::Field& at, ScopeRequirement& out) {
  return read_fields(at, "scopeName", out.scope_name, "operator", out.op, "values", out.values);
}

Result<void> read(const text::Field& at, ResourceQuota& out) {
  if (Result<void> done = read_namespaced(at, out.metadata); !done) return done;
  const text::Field spec = at.field("spec");
  if (Result<void> done = read_fields(spec, "hard", out.hard, "scopes", out.scopes); !done) return done;
  if (Result<void> done = read_fields(spec.field("scopeSelector"), "matchExpressions", out.scope_selector); !done) {
    return done;
  }
  return read_fields(at.field("status"), "hard", out.status_hard, "used", out.status_used);
}

Result<void> read(const text::Field& at, PodDisruptionBudget& out) {
  if (Result<void> done = read_namespaced(at, out.metadata); !done) return done;
  if (Result<void> done = read_fields(at.field("spec"), "selector", out.selector); !done) return done;
  return read_fields(at.field("status"), "disruptionsAllowed", out.disruptions_allowed,  //
                     "disruptedPods", out.disrupted_pods);
}

Result<void> read(const text::Field& at, Namespace& out) { return read_cluster_scoped(at, out.metadata); }

Result<PriorityClass> decode_priority_class(const text::Value& value) {
  return decode_object<PriorityClass>(text::Field(value), "PriorityClass");
}
Result<ResourceQuota> decode_resource_quota(const text::Value& value) {
  return decode_object<ResourceQuota>(text::Field(value), "ResourceQuota");
}
Result<PodDisruptionBudget> decode_pod_disruption_budget(const text::Value& value) {
  return decode_object<PodDisruptionBudget>(text::Field(value), "PodDisruptionBudget");
}
Result<Namespace> decode_namespace(const text::Value& value) {
  return decode_object<Namespace>(text::Field(value), "Namespace");
}

}  // namespace basalt::api
