#include "kube/api/pod_group_types.h"

namespace basalt::api {

Result<void> read(const text::Field& at, NetworkTopology& out) {
  return read_fields(at, "mode", out.mode, "highestTierAllowed", out.highest_tier_allowed,  //
                     "highestTierName", out.highest_tier_name);
}

Result<void> read(const text::Field& at, SubGroupPolicy& out) {
  return read_fields(at, "name", out.name, "networkTopology", out.network_topology,           //
                     "subGroupSize", out.sub_group_size, "minSubGroups", out.min_sub_groups,  //
                     "labelSelector", out.label_selector, "matchLabelKeys", out.match_label_keys);
}

Result<void> read(const text::Field& at, PodGroupSpec& out) {
  return read_fields(at, "minMember", out.min_member, "minTaskMember", out.min_task_member, "queue", out.queue,  //
                     "priorityClassName", out.priority_class_name, "minResources", out.min_resources,            //
                     "networkTopology", out.network_topology, "subGroupPolicy", out.sub_group_policy);
}

Result<void> read(const text::Field& at, PodGroupStatus& out) {
  return read_fields(at, "phase", out.phase, "conditions", out.conditions, "running", out.running,  //
                     "succeeded", out.succeeded, "failed", out.failed);
}

Result<void> read(const text::Field& at, PodGroup& out) {
  if (Result<void> done = read_namespaced(at, out.metadata); !done) return done;
  return read_fields(at, "spec", out.spec, "status", out.status);
}

Result<PodGroup> decode_pod_group(const text::Value& value) {
  return decode_object<PodGroup>(text::Field(value), "PodGroup");
}

}  // namespace basalt::api
