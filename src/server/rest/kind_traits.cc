#include "server/rest/kind_traits.h"

#include <array>

namespace basalt::server {
namespace {

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kNetworking = "networking.k8s.io";
constexpr std::string_view kStorage = "storage.k8s.io";
constexpr std::string_view kWebhooksGroup = "admissionregistration.k8s.io";

constexpr std::array kTable = {
    KindTraits{.kind = "ConfigMap", .update_whole = 1},
    KindTraits{.kind = "Endpoints", .put_creates = true},
    KindTraits{
        .kind = "Event", .put_creates = true, .bare_finalizers = true, .metadata_last = true, .update_changes = 0},
    KindTraits{.group = "events.k8s.io", .kind = "Event", .put_creates = true},
    KindTraits{.kind = "LimitRange", .put_creates = true, .update_changes = 0, .update_whole = 1},
    KindTraits{.kind = "Namespace", .delete_answers_object = true, .update_whole = 1},
    KindTraits{.kind = "Node", .update_whole = 1},
    KindTraits{.kind = "PersistentVolume", .delete_answers_object = true, .update_changes = 0, .update_whole = 2},
    KindTraits{.kind = "PersistentVolumeClaim", .delete_answers_object = true, .update_whole = 1},
    KindTraits{.kind = "Pod", .delete_answers_object = true, .update_whole = 1},
    KindTraits{.kind = "PodTemplate", .delete_answers_object = true},
    KindTraits{.kind = "ReplicationController", .orphans = true},
    KindTraits{.kind = "ResourceQuota", .delete_answers_object = true},
    KindTraits{.kind = "Secret", .update_whole = 1},
    KindTraits{.kind = "Service", .put_creates = true, .delete_answers_object = true},
    KindTraits{.kind = "ServiceAccount", .delete_answers_object = true, .update_whole = 1},
    KindTraits{.group = "apiextensions.k8s.io",
               .kind = "CustomResourceDefinition",
               .put_needs_version = true,
               .bare_finalizers = true},
    KindTraits{.group = "batch", .kind = "CronJob", .status_changes = 0},
    KindTraits{.group = "batch", .kind = "Job", .orphans = true, .update_whole = 1},
    KindTraits{.group = "coordination.k8s.io",
               .kind = "Lease",
               .put_creates = true,
               .put_needs_version = true,
               .bare_finalizers = true},
    KindTraits{.group = "discovery.k8s.io", .kind = "EndpointSlice", .update_changes = 0, .update_whole = 1},
    KindTraits{.group = "policy",
               .kind = "PodDisruptionBudget",
               .put_needs_version = true,
               .bare_finalizers = true,
               .metadata_last = true,
               .update_changes = 0,
               .status_changes = 0},
    KindTraits{.group = kNetworking, .kind = "Ingress", .update_whole = 1},
    KindTraits{.group = kNetworking, .kind = "IngressClass", .update_whole = 1},
    KindTraits{.group = kRbacGroup, .kind = "ClusterRole", .put_creates = true, .update_whole = 1},
    KindTraits{.group = kRbacGroup, .kind = "ClusterRoleBinding", .put_creates = true, .update_whole = 1},
    KindTraits{.group = kRbacGroup, .kind = "Role", .put_creates = true, .update_whole = 1},
    KindTraits{.group = kRbacGroup, .kind = "RoleBinding", .put_creates = true, .update_whole = 1},
    KindTraits{.group = kStorage, .kind = "CSIDriver", .put_needs_version = true, .delete_answers_object = true},
    KindTraits{.group = kStorage,
               .kind = "CSINode",
               .put_needs_version = true,
               .delete_answers_object = true,
               .update_changes = 0,
               .update_whole = 1},
    KindTraits{.group = kStorage,
               .kind = "CSIStorageCapacity",
               .put_needs_version = true,
               .delete_answers_object = true,
               .update_whole = 1},
    KindTraits{.group = kStorage, .kind = "StorageClass", .delete_answers_object = true, .update_whole = 1},
    KindTraits{.group = kStorage,
               .kind = "VolumeAttachment",
               .put_needs_version = true,
               .delete_answers_object = true,
               .update_changes = 0,
               .update_whole = 1},
    KindTraits{.group = kWebhooksGroup,
               .kind = "MutatingWebhookConfiguration",
               .put_needs_version = true,
               .bare_finalizers = true,
               .update_changes = 0,
               .update_whole = 1},
    KindTraits{.group = kWebhooksGroup,
               .kind = "ValidatingWebhookConfiguration",
               .put_needs_version = true,
               .bare_finalizers = true,
               .update_changes = 0,
               .update_whole = 1},
};

}  // namespace

const KindTraits& traits_of(const api::ApiResource& resource) {
  static constexpr KindTraits kUsual{};
  static constexpr KindTraits kCustom{.put_needs_version = true, .bare_finalizers = true};
  if (resource.custom) return kCustom;
  for (const KindTraits& row : kTable) {
    if (row.kind == resource.kind && row.group == resource.group) return row;
  }
  return kUsual;
}

}  // namespace basalt::server
