#include "kube/api/pod_types.h"

namespace basalt::api {
namespace {

// Reads a list of objects, keeping only each one's `name`.
Result<void> read_names(const text::Field& at, std::vector<std::string>& out) {
  return at.each([&out](const text::Field& element) { return read(element.field("name"), out.emplace_back()); });
}

}  // namespace

Result<void> read(const text::Field& at, Resources& out) {
  return read_fields(at, "requests", out.requests, "limits", out.limits);
}

Result<void> read(const text::Field& at, ContainerPort& out) {
  return read_fields(at, "containerPort", out.container_port, "hostPort", out.host_port, "hostIP", out.host_ip,
                     "protocol", out.protocol);
}

Result<void> read(const text::Field& at, Container& out) {
  return read_fields(at, "name", out.name, "image", out.image, "resources", out.resources, "ports", out.ports,
                     "restartPolicy", out.restart_policy);
}

Result<void> read(const text::Field& at, Volume& out) {
  out.ephemeral = at.field("ephemeral").given();
  if (Result<void> done = read_fields(at, "name", out.name); !done) return done;
  return read_fields(at.field("persistentVolumeClaim"), "claimName", out.claim_name);
}

Result<void> read(const text::Field& at, PodClaim& out) {
  return read_fields(at, "name", out.name, "resourceClaimName", out.claim_name,  //
                     "resourceClaimTemplateName", out.template_name);
}

Result<void> read(const text::Field& at, ContainerStatus& out) {
  return read_fields(at, "name", out.name, "allocatedResources", out.allocated_resources, "resources", out.resources);
}

Result<void> read(const text::Field& at, PodSpec& out) {
  Result<void> done = read_fields(at, "schedulerName", out.scheduler_name, "nodeName", out.node_name,          //
                                  "containers", out.containers, "initContainers", out.init_containers,         //
                                  "overhead", out.overhead, "resources", out.resources,                        //
                                  "nodeSelector", out.node_selector, "affinity", out.affinity,                 //
                                  "tolerations", out.tolerations,                                              //
                                  "topologySpreadConstraints", out.topology_spread, "priority", out.priority,  //
                                  "priorityClassName", out.priority_class_name,                                //
                                  "preemptionPolicy", out.preemption_policy, "volumes", out.volumes,           //
                                  "resourceClaims", out.resource_claims, "hostNetwork", out.host_network);
  return done ? read_names(at.field("schedulingGates"), out.scheduling_gates) : done;
}

Result<void> read(const text::Field& at, PodStatus& out) {
  return read_fields(at, "phase", out.phase, "nominatedNodeName", out.nominated_node_name, "resize", out.resize,  //
                     "conditions", out.conditions, "startTime", out.start_time,                                   //
                     "containerStatuses", out.container_statuses,                                                 //
                     "initContainerStatuses", out.init_container_statuses);
}

Result<void> read(const text::Field& at, Pod& out) {
  if (Result<void> done = read_namespaced(at, out.metadata); !done) return done;
  return read_fields(at, "spec", out.spec, "status", out.status);
}

Result<Pod> decode_pod(const text::Value& value) { return decode_object<Pod>(text::Field(value), "Pod"); }

}  // namespace basalt::api
