#include "server/table/builtin_columns.h"

#include <algorithm>
#include <array>
#include <utility>

namespace basalt::server {
namespace {

// Columns that many kinds share.
constexpr TableColumnDefinition kName{
    .name = "Name", .format = "name", .description = "The name of the object, unique among its kind."};
constexpr TableColumnDefinition kAge{.name = "Age", .description = "How long ago the object was created."};
constexpr TableColumnDefinition kContainers{
    .name = "Containers", .priority = 1, .description = "Names of the containers."};
constexpr TableColumnDefinition kImages{.name = "Images", .priority = 1, .description = "Images of the containers."};
constexpr TableColumnDefinition kSelector{
    .name = "Selector", .priority = 1, .description = "Labels that select the pods."};

constexpr TableColumnDefinition text_column(std::string_view name, std::string_view description) {
  return {.name = name, .description = description};
}
constexpr TableColumnDefinition wide(std::string_view name, std::string_view description) {
  return {.name = name, .priority = 1, .description = description};
}
constexpr TableColumnDefinition number(std::string_view name, std::string_view description) {
  return {.name = name, .type = "integer", .description = description};
}
constexpr TableColumnDefinition flag(std::string_view name, std::string_view description) {
  return {.name = name, .type = "boolean", .description = description};
}

constexpr auto kPod = std::to_array<TableColumnDefinition>(
    {kName, text_column("Ready", "Ready containers of all."), text_column("Status", "The state of the pod, in a word."),
     text_column("Restarts", "Restarts of containers, and how long ago the last was."), kAge,
     wide("IP", "The address of the pod."), wide("Node", "The node that runs the pod."),
     wide("Nominated Node", "The node that the scheduler is making room on."),
     wide("Readiness Gates", "Open readiness gates of all.")});

constexpr auto kNode = std::to_array<TableColumnDefinition>(
    {kName, text_column("Status", "Whether the node is ready and takes pods."),
     text_column("Roles", "Roles, from the node's labels."), kAge, text_column("Version", "Version of the kubelet."),
     wide("Internal-IP", "Address inside the cluster."), wide("External-IP", "Address outside the cluster."),
     wide("OS-Image", "The operating system."), wide("Kernel-Version", "Version of the kernel."),
     wide("Container-Runtime", "Name and version of the container runtime.")});

constexpr auto kNamespace =
    std::to_array<TableColumnDefinition>({kName, text_column("Status", "Active, or Terminating."), kAge});

constexpr auto kService = std::to_array<TableColumnDefinition>(
    {kName, text_column("Type", "How the service is reached."), text_column("Cluster-IP", "Address in the cluster."),
     text_column("External-IP", "Addresses outside the cluster."), text_column("Port(s)", "Ports and protocols."), kAge,
     kSelector});

constexpr auto kEndpoints = std::to_array<TableColumnDefinition>(
    {kName, text_column("Endpoints", "Addresses and ports behind the service."), kAge});

constexpr auto kIngress = std::to_array<TableColumnDefinition>(
    {kName, text_column("Class", "The ingress class."), text_column("Hosts", "Hosts that are routed."),
     text_column("Address", "Addresses of the load balancer."), text_column("Ports", "Ports that are open."), kAge});

constexpr auto kNetworkPolicy =
    std::to_array<TableColumnDefinition>({kName, text_column("Pod-Selector", "The pods that it is about."), kAge});

constexpr auto kConfigMap =
    std::to_array<TableColumnDefinition>({kName, text_column("Data", "How many entries it has."), kAge});

constexpr auto kSecret = std::to_array<TableColumnDefinition>(
    {kName, text_column("Type", "What the data is for."), text_column("Data", "How many entries it has."), kAge});

constexpr auto kServiceAccount = std::to_array<TableColumnDefinition>({kName, kAge});

constexpr auto kEvent = std::to_array<TableColumnDefinition>(
    {text_column("Last Seen", "When it happened last."), text_column("Type", "Normal, or Warning."),
     text_column("Reason", "What happened, in a word."), text_column("Object", "What it happened to."),
     wide("Subobject", "The part of the object."), wide("Source", "Who reported it."),
     text_column("Message", "What happened, in a sentence."), wide("First Seen", "When it happened first."),
     wide("Count", "How often it happened."),
     TableColumnDefinition{.name = "Name", .priority = 1, .format = "name", .description = kName.description}});

constexpr auto kPersistentVolume = std::to_array<TableColumnDefinition>(
    {kName, text_column("Capacity", "Size of the volume."), text_column("Access Modes", "How it may be mounted."),
     text_column("Reclaim Policy", "What happens when its claim is gone."),
     text_column("Status", "Phase of the volume."), text_column("Claim", "The claim it is bound to."),
     text_column("StorageClass", "Class of the volume."),
     text_column("VolumeAttributesClass", "Class of its attributes."), text_column("Reason", "Why it failed."), kAge,
     wide("VolumeMode", "File system, or block device.")});

constexpr auto kPersistentVolumeClaim = std::to_array<TableColumnDefinition>(
    {kName, text_column("Status", "Phase of the claim."), text_column("Volume", "The volume it is bound to."),
     text_column("Capacity", "Size of that volume."), text_column("Access Modes", "How that volume may be mounted."),
     text_column("StorageClass", "Class that is asked for."),
     text_column("VolumeAttributesClass", "Class of the volume's attributes."), kAge,
     wide("VolumeMode", "File system, or block device.")});

constexpr auto kResourceQuota =
    std::to_array<TableColumnDefinition>({kName, text_column("Request", "Used and allowed amounts."),
                                          text_column("Limit", "Used and allowed limits."), kAge});

constexpr auto kPriorityClass = std::to_array<TableColumnDefinition>(
    {kName, number("Value", "The priority."), flag("Global-Default", "Whether pods without a class get it."), kAge,
     text_column("PreemptionPolicy", "Whether its pods may preempt others.")});

constexpr auto kLease =
    std::to_array<TableColumnDefinition>({kName, text_column("Holder", "Who holds the lease."), kAge});

constexpr auto kDisruptionBudget = std::to_array<TableColumnDefinition>(
    {kName, text_column("Min Available", "Pods that must stay."), text_column("Max Unavailable", "Pods that may go."),
     number("Allowed Disruptions", "Pods that may be evicted now."), kAge});

constexpr auto kStorageClass = std::to_array<TableColumnDefinition>(
    {kName, text_column("Provisioner", "Who makes the volumes."),
     text_column("ReclaimPolicy", "What happens to a volume when its claim is gone."),
     text_column("VolumeBindingMode", "When volumes are bound."),
     text_column("AllowVolumeExpansion", "Whether volumes may grow."), kAge});

constexpr auto kCsiNode =
    std::to_array<TableColumnDefinition>({kName, number("Drivers", "How many drivers the node has."), kAge});

constexpr auto kCsiDriver = std::to_array<TableColumnDefinition>(
    {kName, flag("AttachRequired", "Whether volumes are attached first."),
     flag("PodInfoOnMount", "Whether the driver is told about the pod."),
     flag("StorageCapacity", "Whether capacity counts in scheduling."),
     text_column("TokenRequests", "Audiences of tokens it is given."),
     flag("RequiresRepublish", "Whether mounts are refreshed."), text_column("Modes", "Kinds of volumes."), kAge});

constexpr auto kRoleBinding = std::to_array<TableColumnDefinition>(
    {kName, text_column("Role", "The role that is given."), kAge, wide("Users", "Users that get it."),
     wide("Groups", "Groups that get it."), wide("ServiceAccounts", "Service accounts that get it.")});

constexpr auto kDeployment = std::to_array<TableColumnDefinition>(
    {kName, text_column("Ready", "Ready pods of all."), text_column("Up-to-date", "Pods of the newest template."),
     text_column("Available", "Pods that are available."), kAge, kContainers, kImages, kSelector});

constexpr auto kReplicaSet = std::to_array<TableColumnDefinition>(
    {kName, number("Desired", "Pods that are wanted."), number("Current", "Pods there are."),
     number("Ready", "Pods that are ready."), kAge, kContainers, kImages, kSelector});

constexpr auto kStatefulSet = std::to_array<TableColumnDefinition>(
    {kName, text_column("Ready", "Ready pods of all."), kAge, kContainers, kImages});

constexpr auto kDaemonSet = std::to_array<TableColumnDefinition>(
    {kName, number("Desired", "Nodes that should run it."), number("Current", "Nodes that run it."),
     number("Ready", "Nodes where it is ready."), number("Up-to-date", "Nodes with the newest template."),
     number("Available", "Nodes where it is available."), text_column("Node Selector", "Labels of those nodes."), kAge,
     kContainers, kImages, kSelector});

constexpr auto kJob = std::to_array<TableColumnDefinition>(
    {kName, text_column("Status", "The state of the job."), text_column("Completions", "Succeeded pods of all."),
     text_column("Duration", "How long it ran."), kAge, kContainers, kImages, kSelector});

constexpr auto kCronJob = std::to_array<TableColumnDefinition>(
    {kName, text_column("Schedule", "When it starts jobs."), text_column("Timezone", "Time zone of the schedule."),
     flag("Suspend", "Whether it starts none now."), number("Active", "Jobs that are running."),
     text_column("Last Schedule", "When it started a job last."), kAge, kContainers, kImages, kSelector});

constexpr auto kControllerRevision = std::to_array<TableColumnDefinition>(
    {kName, text_column("Controller", "Who made it."), text_column("Revision", "Its number."), kAge});

constexpr auto kPodTemplate = std::to_array<TableColumnDefinition>(
    {kName, text_column("Containers", "Names of the containers."), text_column("Images", "Images of the containers."),
     text_column("Pod Labels", "Labels of pods made from it.")});

constexpr auto kEndpointSlice = std::to_array<TableColumnDefinition>(
    {kName, text_column("AddressType", "Kind of the addresses."), text_column("Ports", "Ports of the endpoints."),
     text_column("Endpoints", "Their addresses."), kAge});

constexpr auto kIngressClass = std::to_array<TableColumnDefinition>(
    {kName, text_column("Controller", "Who serves it."), text_column("Parameters", "Its settings."), kAge});

constexpr auto kVolumeAttachment = std::to_array<TableColumnDefinition>(
    {kName, TableColumnDefinition{.name = "Attacher", .format = "name", .description = "Who attaches it."},
     text_column("PV", "The volume."), text_column("Node", "The node."), flag("Attached", "Whether it is attached."),
     kAge});

constexpr auto kWebhooks =
    std::to_array<TableColumnDefinition>({kName, number("Webhooks", "How many webhooks it has."), kAge});

// Sorted by group and kind.
constexpr auto kKinds = std::to_array<KindColumns>({
    {"", "ConfigMap", kConfigMap, fill_config_map},
    {"", "Endpoints", kEndpoints, fill_endpoints},
    {"", "Event", kEvent, fill_event},
    {"", "Namespace", kNamespace, fill_namespace},
    {"", "Node", kNode, fill_node},
    {"", "PersistentVolume", kPersistentVolume, fill_persistent_volume},
    {"", "PersistentVolumeClaim", kPersistentVolumeClaim, fill_persistent_volume_claim},
    {"", "Pod", kPod, fill_pod},
    {"", "PodTemplate", kPodTemplate, fill_pod_template},
    {"", "ReplicationController", kReplicaSet, fill_replication_controller},
    {"", "ResourceQuota", kResourceQuota, fill_resource_quota},
    {"", "Secret", kSecret, fill_secret},
    {"", "Service", kService, fill_service},
    {"", "ServiceAccount", kServiceAccount, fill_service_account},
    {"admissionregistration.k8s.io", "MutatingWebhookConfiguration", kWebhooks, fill_webhooks},
    {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", kWebhooks, fill_webhooks},
    {"apps", "ControllerRevision", kControllerRevision, fill_controller_revision},
    {"apps", "DaemonSet", kDaemonSet, fill_daemon_set},
    {"apps", "Deployment", kDeployment, fill_deployment},
    {"apps", "ReplicaSet", kReplicaSet, fill_replica_set},
    {"apps", "StatefulSet", kStatefulSet, fill_stateful_set},
    {"batch", "CronJob", kCronJob, fill_cron_job},
    {"batch", "Job", kJob, fill_job},
    {"coordination.k8s.io", "Lease", kLease, fill_lease},
    {"discovery.k8s.io", "EndpointSlice", kEndpointSlice, fill_endpoint_slice},
    {"events.k8s.io", "Event", kEvent, fill_event},
    {"networking.k8s.io", "Ingress", kIngress, fill_ingress},
    {"networking.k8s.io", "IngressClass", kIngressClass, fill_ingress_class},
    {"networking.k8s.io", "NetworkPolicy", kNetworkPolicy, fill_network_policy},
    {"policy", "PodDisruptionBudget", kDisruptionBudget, fill_disruption_budget},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", kRoleBinding, fill_role_binding},
    {"rbac.authorization.k8s.io", "RoleBinding", kRoleBinding, fill_role_binding},
    {"scheduling.k8s.io", "PriorityClass", kPriorityClass, fill_priority_class},
    {"storage.k8s.io", "CSIDriver", kCsiDriver, fill_csi_driver},
    {"storage.k8s.io", "CSINode", kCsiNode, fill_csi_node},
    {"storage.k8s.io", "StorageClass", kStorageClass, fill_storage_class},
    {"storage.k8s.io", "VolumeAttachment", kVolumeAttachment, fill_volume_attachment},
});

constexpr bool before(const KindColumns& row, const std::pair<std::string_view, std::string_view>& key) {
  return std::pair(row.group, row.kind) < key;
}

static_assert(std::ranges::is_sorted(kKinds, {},
                                     [](const KindColumns& row) { return std::pair(row.group, row.kind); }));

}  // namespace

const KindColumns* columns_of(std::string_view group, std::string_view kind) {
  const std::pair key(group, kind);
  const auto* const found = std::lower_bound(kKinds.begin(), kKinds.end(), key, before);
  return found != kKinds.end() && found->group == group && found->kind == kind ? found : nullptr;
}

text::Object column_definition(const TableColumnDefinition& column) {
  return {{"name", column.name},
          {"type", column.type},
          {"format", column.format},
          {"description", column.description},
          {"priority", column.priority}};
}

}  // namespace basalt::server
