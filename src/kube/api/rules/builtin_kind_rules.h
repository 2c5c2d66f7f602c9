// The rules of each kind, family by family; kind_rules.cc joins them into one table.
#pragma once

#include "kube/api/kind_rules.h"

namespace basalt::api::rules {

// core
[[nodiscard]] KindRules pod_rules();
[[nodiscard]] KindRules pod_template_rules();
[[nodiscard]] KindRules node_rules();
[[nodiscard]] KindRules namespace_rules();
[[nodiscard]] KindRules service_rules();
[[nodiscard]] KindRules config_map_rules();
[[nodiscard]] KindRules secret_rules();
[[nodiscard]] KindRules core_event_rules();
[[nodiscard]] KindRules event_rules();  // events.k8s.io
[[nodiscard]] KindRules persistent_volume_rules();
[[nodiscard]] KindRules persistent_volume_claim_rules();
[[nodiscard]] KindRules resource_quota_rules();
[[nodiscard]] KindRules limit_range_rules();
[[nodiscard]] KindRules replication_controller_rules();
// apps, batch, policy, scheduling, coordination
[[nodiscard]] KindRules deployment_rules();
[[nodiscard]] KindRules replica_set_rules();
[[nodiscard]] KindRules stateful_set_rules();
[[nodiscard]] KindRules daemon_set_rules();
[[nodiscard]] KindRules controller_revision_rules();
[[nodiscard]] KindRules definition_rules();
[[nodiscard]] KindRules job_rules();
[[nodiscard]] KindRules cron_job_rules();
[[nodiscard]] KindRules disruption_budget_rules();
[[nodiscard]] KindRules priority_class_rules();
[[nodiscard]] KindRules lease_rules();
// networking, storage, rbac
[[nodiscard]] KindRules network_policy_rules();
[[nodiscard]] KindRules ingress_rules();
[[nodiscard]] KindRules storage_class_rules();
[[nodiscard]] KindRules csi_node_rules();
[[nodiscard]] KindRules csi_driver_rules();
[[nodiscard]] KindRules volume_attachment_rules();
[[nodiscard]] KindRules role_rules();
[[nodiscard]] KindRules cluster_role_rules();
[[nodiscard]] KindRules role_binding_rules();
[[nodiscard]] KindRules cluster_role_binding_rules();
// Kinds with no rules but that their generation is counted.
[[nodiscard]] KindRules counted_rules();

}  // namespace basalt::api::rules
