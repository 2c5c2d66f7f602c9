#include "lab/life/life_kinds.h"

#include <fmt/format.h>

#include <array>

namespace basalt::lab {
namespace {

constexpr std::string_view kBatch = "batch.volcano.sh", kScheduling = "scheduling.volcano.sh",
                           kFlow = "flow.volcano.sh", kAlpha = "v1alpha1", kBeta = "v1beta1";

// The first word of a kind is the one that traces use.
constexpr std::array kKinds = {
    LifeKind{"job", kBatch, kAlpha, "jobs", "Job", true},
    LifeKind{"cronjob", kBatch, kAlpha, "cronjobs", "CronJob", true},
    LifeKind{"command", "bus.volcano.sh", kAlpha, "commands", "Command", true},
    LifeKind{"podgroup", kScheduling, kBeta, "podgroups", "PodGroup", true},
    LifeKind{kGroupWord, kScheduling, kBeta, "podgroups", "PodGroup", true},
    LifeKind{"queue", kScheduling, kBeta, "queues", "Queue", false},
    LifeKind{"jobflow", kFlow, kAlpha, "jobflows", "JobFlow", true},
    LifeKind{"jobtemplate", kFlow, kAlpha, "jobtemplates", "JobTemplate", true},
    LifeKind{"hypernode", "topology.volcano.sh", kAlpha, "hypernodes", "HyperNode", false},
    LifeKind{"pod", "", "v1", "pods", "Pod", true},
    LifeKind{"node", "", "v1", "nodes", "Node", false},
    LifeKind{"namespace", "", "v1", "namespaces", "Namespace", false},
    LifeKind{"configmap", "", "v1", "configmaps", "ConfigMap", true},
    LifeKind{"secret", "", "v1", "secrets", "Secret", true},
    LifeKind{"service", "", "v1", "services", "Service", true},
    LifeKind{"pvc", "", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true},
    LifeKind{"event", "", "v1", "events", "Event", true},
    LifeKind{"quota", "", "v1", "resourcequotas", "ResourceQuota", true},
    LifeKind{"networkpolicy", "networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", true},
    LifeKind{"ingress", "networking.k8s.io", "v1", "ingresses", "Ingress", true},
    LifeKind{"priorityclass", "scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false},
    LifeKind{"deployment", "apps", "v1", "deployments", "Deployment", true},
    LifeKind{"replicaset", "apps", "v1", "replicasets", "ReplicaSet", true},
    LifeKind{"statefulset", "apps", "v1", "statefulsets", "StatefulSet", true},
    LifeKind{"batchjob", "batch", "v1", "jobs", "Job", true},
};

std::string all_words() {
  std::string words;
  for (const LifeKind& kind : kKinds) fmt::format_to(std::back_inserter(words), " {}", kind.word);
  return words;
}

}  // namespace

std::string LifeKind::api_version() const {
  return group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
}

Result<const LifeKind*> life_kind(std::string_view word) {
  for (const LifeKind& kind : kKinds) {
    if (kind.word == word) return &kind;
  }
  return failure(ErrorCode::NotFound, fmt::format("\"{}\" is no kind; there are:{}", word, all_words()));
}

const LifeKind* life_kind_of(const api::GroupVersionResource& resource) {
  for (const LifeKind& kind : kKinds) {
    if (kind.group == resource.group && kind.plural == resource.plural) return &kind;
  }
  return nullptr;
}

Result<const LifeKind*> life_kind_of(std::string_view api_version, std::string_view name) {
  for (const LifeKind& kind : kKinds) {
    if (kind.kind == name && kind.api_version() == api_version) return &kind;
  }
  return failure(ErrorCode::NotFound,
                 fmt::format("scenarios do not know {} {}; they know:{}", api_version, name, all_words()));
}

LifeObjectName life_name(const LifeKind& kind, std::string_view text) {
  if (!kind.namespaced) return {.namespace_name = "", .name = std::string(text)};
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos)
    return {.namespace_name = std::string(kLifeNamespace), .name = std::string(text)};
  return {.namespace_name = std::string(text.substr(0, slash)), .name = std::string(text.substr(slash + 1))};
}

}  // namespace basalt::lab
