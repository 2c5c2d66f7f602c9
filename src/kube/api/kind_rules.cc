#include "kube/api/kind_rules.h"

#include <map>
#include <string_view>
#include <utility>

#include "kube/api/rules/builtin_kind_rules.h"

namespace basalt::api {
namespace {

using KindName = std::pair<std::string_view, std::string_view>;  // group, kind

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
constexpr std::string_view kNetworking = "networking.k8s.io";
constexpr std::string_view kStorage = "storage.k8s.io";
constexpr std::string_view kWebhooks = "admissionregistration.k8s.io";

std::map<KindName, KindRules> make_table() {
  using namespace rules;
  return {
      {{"", "Pod"}, pod_rules()},
      {{"", "PodTemplate"}, pod_template_rules()},
      {{"", "Node"}, node_rules()},
      {{"", "Namespace"}, namespace_rules()},
      {{"", "Service"}, service_rules()},
      {{"", "ConfigMap"}, config_map_rules()},
      {{"", "Secret"}, secret_rules()},
      {{"", "Event"}, core_event_rules()},
      {{"events.k8s.io", "Event"}, event_rules()},
      {{"", "PersistentVolume"}, persistent_volume_rules()},
      {{"", "PersistentVolumeClaim"}, persistent_volume_claim_rules()},
      {{"", "ResourceQuota"}, resource_quota_rules()},
      {{"", "LimitRange"}, limit_range_rules()},
      {{"", "ReplicationController"}, replication_controller_rules()},
      {{"apps", "Deployment"}, deployment_rules()},
      {{"apps", "ReplicaSet"}, replica_set_rules()},
      {{"apps", "StatefulSet"}, stateful_set_rules()},
      {{"apps", "DaemonSet"}, daemon_set_rules()},
      {{"apps", "ControllerRevision"}, controller_revision_rules()},
      {{"batch", "Job"}, job_rules()},
      {{"batch", "CronJob"}, cron_job_rules()},
      {{"policy", "PodDisruptionBudget"}, disruption_budget_rules()},
      {{"scheduling.k8s.io", "PriorityClass"}, priority_class_rules()},
      {{"coordination.k8s.io", "Lease"}, lease_rules()},
      {{kNetworking, "NetworkPolicy"}, network_policy_rules()},
      {{kNetworking, "Ingress"}, ingress_rules()},
      {{kNetworking, "IngressClass"}, counted_rules()},
      {{"discovery.k8s.io", "EndpointSlice"}, counted_rules()},
      {{kWebhooks, "MutatingWebhookConfiguration"}, counted_rules()},
      {{kWebhooks, "ValidatingWebhookConfiguration"}, counted_rules()},
      {{kStorage, "StorageClass"}, storage_class_rules()},
      {{kStorage, "CSINode"}, csi_node_rules()},
      {{kStorage, "CSIDriver"}, csi_driver_rules()},
      {{kStorage, "VolumeAttachment"}, volume_attachment_rules()},
      {{"apiextensions.k8s.io", "CustomResourceDefinition"}, definition_rules()},
      {{kRbac, "Role"}, role_rules()},
      {{kRbac, "ClusterRole"}, cluster_role_rules()},
      {{kRbac, "RoleBinding"}, role_binding_rules()},
      {{kRbac, "ClusterRoleBinding"}, cluster_role_binding_rules()},
  };
}

}  // namespace

const KindRules* rules_of(std::string_view group, std::string_view kind) {
  static const std::map<KindName, KindRules> kTable = make_table();
  static const KindRules kNoRules;
  const auto row = kTable.find({group, kind});
  return row == kTable.end() ? &kNoRules : &row->second;
}

}  // namespace basalt::api
