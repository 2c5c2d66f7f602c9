#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/check.h"
#include "kube/api/api_resource.h"

namespace basalt::api {
namespace {

enum class Scope : uint8_t { Namespaced, Cluster };
enum class Stores : uint8_t { Yes, StatusToo, OnlyAsked };  // StatusToo: has the status subresource

// Lists are words with a blank between them. The singular is the kind in small letters, the list kind is KindList.
struct Row {
  std::string_view group, kind, plural, short_names, categories;
  Scope scope = Scope::Namespaced;
  Stores stores = Stores::Yes;
  std::string_view extra_subresources, selectable_fields;
};

constexpr std::string_view kPodFields =
    "spec.nodeName spec.host spec.restartPolicy spec.schedulerName spec.serviceAccountName spec.hostNetwork "
    "status.phase status.podIP status.podIPs status.nominatedNodeName";
constexpr std::string_view kCoreEventFields =
    "involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid involvedObject.apiVersion "
    "involvedObject.resourceVersion involvedObject.fieldPath reason reportingComponent source type";
constexpr std::string_view kEventFields =
    "reason regarding.kind regarding.namespace regarding.name regarding.uid regarding.apiVersion "
    "regarding.resourceVersion regarding.fieldPath reportingController type";

constexpr auto kCluster = Scope::Cluster;
constexpr auto kNamespaced = Scope::Namespaced;
constexpr auto kPlain = Stores::Yes;
constexpr auto kWithStatus = Stores::StatusToo;
constexpr auto kAsked = Stores::OnlyAsked;

constexpr Row kCoreRows[] = {
    {"", "Namespace", "namespaces", "ns", "", kCluster, kWithStatus, "finalize", "status.phase"},
    {"", "Node", "nodes", "no", "", kCluster, kWithStatus, "", "spec.unschedulable"},
    {"", "Pod", "pods", "po", "all", kNamespaced, kWithStatus, "binding eviction exec log", kPodFields},
    {"", "Service", "services", "svc", "all", kNamespaced, kWithStatus, "", "spec.clusterIP spec.type"},
    {"", "Endpoints", "endpoints", "ep", "", kNamespaced, kPlain},
    {"", "ConfigMap", "configmaps", "cm", "", kNamespaced, kPlain},
    {"", "Secret", "secrets", "", "", kNamespaced, kPlain, "", "type"},
    {"", "ServiceAccount", "serviceaccounts", "sa", "", kNamespaced, kPlain},
    {"", "Event", "events", "ev", "", kNamespaced, kPlain, "", kCoreEventFields},
    {"", "PersistentVolume", "persistentvolumes", "pv", "", kCluster, kWithStatus},
    {"", "PersistentVolumeClaim", "persistentvolumeclaims", "pvc", "", kNamespaced, kWithStatus},
    {"", "ResourceQuota", "resourcequotas", "quota", "", kNamespaced, kWithStatus},
    {"", "LimitRange", "limitranges", "limits", "", kNamespaced, kPlain},
    {"", "ReplicationController", "replicationcontrollers", "rc", "all", kNamespaced, kWithStatus, "",
     "status.replicas"},
    {"", "PodTemplate", "podtemplates", "", "", kNamespaced, kPlain},
    {"", "Binding", "bindings", "", "", kNamespaced, kAsked},
};

constexpr Row kWorkloadRows[] = {
    {"apps", "Deployment", "deployments", "deploy", "all", kNamespaced, kWithStatus},
    {"apps", "ReplicaSet", "replicasets", "rs", "all", kNamespaced, kWithStatus},
    {"apps", "StatefulSet", "statefulsets", "sts", "all", kNamespaced, kWithStatus},
    {"apps", "DaemonSet", "daemonsets", "ds", "all", kNamespaced, kWithStatus},
    {"apps", "ControllerRevision", "controllerrevisions", "", "", kNamespaced, kPlain},
    {"batch", "Job", "jobs", "", "all", kNamespaced, kWithStatus, "", "status.successful"},
    {"batch", "CronJob", "cronjobs", "cj", "all", kNamespaced, kWithStatus},
    {"policy", "PodDisruptionBudget", "poddisruptionbudgets", "pdb", "", kNamespaced, kWithStatus},
    {"scheduling.k8s.io", "PriorityClass", "priorityclasses", "pc", "", kCluster, kPlain},
    {"coordination.k8s.io", "Lease", "leases", "", "", kNamespaced, kPlain},
    {"events.k8s.io", "Event", "events", "ev", "", kNamespaced, kPlain, "", kEventFields},
};

constexpr Row kInfrastructureRows[] = {
    {"networking.k8s.io", "NetworkPolicy", "networkpolicies", "netpol", "", kNamespaced, kPlain},
    {"networking.k8s.io", "Ingress", "ingresses", "ing", "", kNamespaced, kWithStatus},
    {"networking.k8s.io", "IngressClass", "ingressclasses", "", "", kCluster, kPlain},
    {"discovery.k8s.io", "EndpointSlice", "endpointslices", "", "", kNamespaced, kPlain},
    {"storage.k8s.io", "StorageClass", "storageclasses", "sc", "", kCluster, kPlain},
    {"storage.k8s.io", "CSINode", "csinodes", "", "", kCluster, kPlain},
    {"storage.k8s.io", "CSIDriver", "csidrivers", "", "", kCluster, kPlain},
    {"storage.k8s.io", "VolumeAttachment", "volumeattachments", "", "", kCluster, kWithStatus},
    {"storage.k8s.io", "CSIStorageCapacity", "csistoragecapacities", "", "", kNamespaced, kPlain},
};

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kAuthorization = "authorization.k8s.io";
constexpr std::string_view kWebhooksGroup = "admissionregistration.k8s.io";

constexpr Row kAccessRows[] = {
    {kRbacGroup, "Role", "roles", "", "", kNamespaced, kPlain},
    {kRbacGroup, "RoleBinding", "rolebindings", "", "", kNamespaced, kPlain},
    {kRbacGroup, "ClusterRole", "clusterroles", "", "", kCluster, kPlain},
    {kRbacGroup, "ClusterRoleBinding", "clusterrolebindings", "", "", kCluster, kPlain},
    {"authentication.k8s.io", "SelfSubjectReview", "selfsubjectreviews", "", "", kCluster, kAsked},
    {"authentication.k8s.io", "TokenReview", "tokenreviews", "", "", kCluster, kAsked},
    {kAuthorization, "SubjectAccessReview", "subjectaccessreviews", "", "", kCluster, kAsked},
    {kAuthorization, "LocalSubjectAccessReview", "localsubjectaccessreviews", "", "", kNamespaced, kAsked},
    {kAuthorization, "SelfSubjectAccessReview", "selfsubjectaccessreviews", "", "", kCluster, kAsked},
    {kAuthorization, "SelfSubjectRulesReview", "selfsubjectrulesreviews", "", "", kCluster, kAsked},
    {kWebhooksGroup, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", "", "api-extensions", kCluster,
     kPlain},
    {kWebhooksGroup, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", "", "api-extensions",
     kCluster, kPlain},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions", "crd crds", "api-extensions",
     kCluster, kWithStatus},
};

// Kinds with the scale subresource. A ReplicationController selects by a plain map, the others by a LabelSelector.
constexpr std::array<std::string_view, 4> kScaled = {"Deployment", "ReplicaSet", "StatefulSet",
                                                     "ReplicationController"};

std::vector<std::string> cut_at_blanks(std::string_view words) {
  std::vector<std::string> list;
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    list.emplace_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return list;
}

std::string type_name(std::string_view group, std::string_view kind) {
  if (group == "apiextensions.k8s.io") {
    return "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1." + std::string(kind);
  }
  const std::string_view package = group.empty() ? "core" : group.substr(0, group.find('.'));
  return "io.k8s.api." + std::string(package) + ".v1." + std::string(kind);
}

ApiResource resource_of(const Row& row) {
  ApiResource resource;
  resource.group = row.group;
  resource.version = "v1";
  resource.kind = row.kind;
  resource.list_kind = std::string(row.kind) + "List";
  resource.plural = row.plural;
  resource.singular = lower(row.kind);
  resource.short_names = cut_at_blanks(row.short_names);
  resource.categories = cut_at_blanks(row.categories);
  resource.namespaced = row.scope == Scope::Namespaced;
  resource.has_status = row.stores == Stores::StatusToo;
  resource.extra_subresources = cut_at_blanks(row.extra_subresources);
  if (row.stores == Stores::OnlyAsked) resource.verbs = {"create"};
  if (row.kind == "Namespace") resource.verbs = {"create", "delete", "get", "list", "patch", "update", "watch"};
  resource.schema = builtin_schemas().find(type_name(row.group, row.kind));
  check(resource.schema != nullptr, "a built-in kind has its type");
  resource.rules = rules_of(row.group, row.kind);
  resource.selectable_fields = cut_at_blanks(row.selectable_fields);
  resource.storage_group = row.kind == "Event" ? "" : row.group;
  for (const std::string_view kind : kScaled) {
    if (kind != row.kind) continue;
    resource.scale = ScalePaths{
        .spec_replicas = ".spec.replicas", .status_replicas = ".status.replicas", .label_selector = ".spec.selector"};
  }
  return resource;
}

}  // namespace

std::vector<ApiResource> builtin_resources() {
  std::vector<ApiResource> resources;
  for (const Row& row : kCoreRows) resources.push_back(resource_of(row));
  for (const Row& row : kWorkloadRows) resources.push_back(resource_of(row));
  for (const Row& row : kInfrastructureRows) resources.push_back(resource_of(row));
  for (const Row& row : kAccessRows) resources.push_back(resource_of(row));
  return resources;
}

}  // namespace basalt::api
