#include "kube/api/quota_usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <optional>

#include "kube/api/rules/checks.h"
#include "kube/api/rules/pod_template.h"
#include "kube/api/rules/resource_checks.h"
#include "kube/text/rfc3339.h"

namespace basalt::api {
namespace {

constexpr std::array<std::string_view, 10> kOfPods = {"pods",
                                                      "cpu",
                                                      "memory",
                                                      "ephemeral-storage",
                                                      "requests.cpu",
                                                      "requests.memory",
                                                      "requests.ephemeral-storage",
                                                      "limits.cpu",
                                                      "limits.memory",
                                                      "limits.ephemeral-storage"};
// Core kinds that are counted under their bare plural.
constexpr std::array<std::string_view, 7> kCounted = {
    "configmaps", "secrets", "services", "resourcequotas", "persistentvolumeclaims", "replicationcontrollers", "pods"};

bool is_core(const QuotaKind& of, std::string_view kind) { return of.group.empty() && of.kind == kind; }

std::string count_name(const QuotaKind& of) { return "count/" + std::string(of.storage_name); }

bool is_count_of(std::string_view name, const QuotaKind& of) {
  return name.starts_with("count/") && name.substr(6) == of.storage_name;
}

ResourceList compute_usage(const ResourceList& requests, const ResourceList& limits) {
  ResourceList out;
  for (const auto& [name, amount] : requests) {
    if (name == "cpu" || name == "memory" || name == "ephemeral-storage" || rules::is_huge_pages(name))
      out[name] = amount;
    out["requests." + name] = amount;
  }
  for (const auto& [name, amount] : limits) {
    if (name == "cpu" || name == "memory" || name == "ephemeral-storage") out["limits." + name] = amount;
  }
  return out;
}

// Of podAffinity or podAntiAffinity.
template <std::derived_from<View> Terms>
bool reaches_other_namespaces(Terms terms) {
  const auto reaches = [](PodAffinityTermView term) { return !term.namespaces().empty() || term.namespace_selector(); };
  for (const PodAffinityTermView term : terms.required_during_scheduling_ignored_during_execution()) {
    if (reaches(term)) return true;
  }
  for (const WeightedPodAffinityTermView weighted : terms.preferred_during_scheduling_ignored_during_execution()) {
    if (reaches(weighted.pod_affinity_term())) return true;
  }
  return false;
}

bool matches_scope(std::string_view scope, const text::Object* expression, const PodScopes& pod) {
  if (scope == "Terminating") return pod.terminating;
  if (scope == "NotTerminating") return !pod.terminating;
  if (scope == "BestEffort") return pod.best_effort;
  if (scope == "NotBestEffort") return !pod.best_effort;
  if (scope == "CrossNamespacePodAffinity") return pod.reaches_other_namespaces;
  if (scope != "PriorityClass") return false;
  const std::string_view name = pod.priority_class;
  const std::string_view op = expression == nullptr ? "Exists" : rules::string_at(*expression, "operator");
  if (op == "Exists") return !name.empty();
  if (op == "DoesNotExist") return name.empty();
  bool listed = false;
  rules::each_string(*expression, "values",
                     [&](std::string_view one, size_t) { listed = listed || (!name.empty() && one == name); });
  return op == "NotIn" ? !listed : listed;
}

}  // namespace

bool concerns(std::string_view name, const QuotaKind& of) {
  if (is_count_of(name, of)) return true;
  if (is_core(of, "Pod")) {
    return std::ranges::find(kOfPods, name) != kOfPods.end() || rules::is_huge_pages(name) ||
           name.starts_with("requests.hugepages-") ||
           (name.starts_with("requests.") && !rules::is_native_resource(name));
  }
  if (is_core(of, "Service")) return name == "services" || name.starts_with("services.");
  if (is_core(of, "PersistentVolumeClaim")) {
    return name == "persistentvolumeclaims" || name == "requests.storage" ||
           name.find(".storageclass.storage.k8s.io/") != std::string_view::npos;
  }
  return of.group.empty() && name == of.plural && std::ranges::find(kCounted, name) != kCounted.end();
}

PodScopes scopes_of(PodView pod) {
  const PodSpecView spec = pod.spec();
  const AffinityView affinity = spec.affinity();
  return {.terminating = spec.active_deadline_seconds().value_or(-1) >= 0,
          .best_effort = rules::qos_class(spec) == "BestEffort",
          .reaches_other_namespaces = reaches_other_namespaces(affinity.pod_affinity()) ||
                                      reaches_other_namespaces(affinity.pod_anti_affinity()),
          .priority_class = std::string(spec.priority_class_name())};
}

bool has_scopes(const text::Object& quota) {
  const text::Object& spec = rules::part_of(quota, "spec");
  return rules::length_at(spec, "scopes") > 0 ||
         rules::length_at(rules::part_of(spec, "scopeSelector"), "matchExpressions") > 0;
}

bool in_scope(const text::Object& quota, const PodScopes& pod) {
  const text::Object& spec = rules::part_of(quota, "spec");
  bool matches = true;
  rules::each_string(spec, "scopes",
                     [&](std::string_view scope, size_t) { matches = matches && matches_scope(scope, nullptr, pod); });
  rules::each_object(rules::part_of(spec, "scopeSelector"), "matchExpressions", [&](const text::Object& one, size_t) {
    matches = matches && matches_scope(rules::string_at(one, "scopeName"), &one, pod);
  });
  return matches;
}

bool in_scope(const text::Object& quota, const QuotaKind& of, const text::Object& object) {
  if (!has_scopes(quota)) return true;
  return is_core(of, "Pod") && in_scope(quota, scopes_of(PodView(object)));  // scopes are about pods
}

bool is_over(PodView pod, Instant now) {
  const std::string_view phase = pod.status().phase();
  if (phase == "Succeeded" || phase == "Failed") return true;
  const std::optional<Instant> end = end_of_grace(pod);
  return end && now > *end;
}

std::optional<Instant> end_of_grace(PodView pod) {
  const auto grace = pod.metadata().deletion_grace_period_seconds();
  if (!grace || pod.metadata().deletion_timestamp().empty()) return std::nullopt;
  const auto deleted = text::parse_time(pod.metadata().deletion_timestamp());
  if (!deleted || *grace < 0 || *grace > kMaxGraceSeconds) return std::nullopt;
  return *deleted + Duration::seconds(*grace);
}

ResourceList usage_of_pod(PodSpecView spec) {
  ResourceList usage =
      compute_usage(pod_resource_total(spec, ResourceBound::Requests), pod_resource_total(spec, ResourceBound::Limits));
  usage["pods"] = text::Quantity::from_units(1);
  return usage;
}

ResourceList container_usage(ContainerView container) {
  return compute_usage(resource_list_of(container.resources(), ResourceBound::Requests),
                       resource_list_of(container.resources(), ResourceBound::Limits));
}

ResourceList usage_of(const QuotaKind& of, const text::Object& object, Instant now) {
  const text::Quantity one = text::Quantity::from_units(1);
  ResourceList usage{{count_name(of), one}};
  const text::Object& spec = rules::part_of(object, "spec");
  if (is_core(of, "Pod")) {
    const PodView pod(object);
    if (!is_over(pod, now)) add(usage, usage_of_pod(pod.spec()));
  } else if (is_core(of, "Service")) {
    usage["services"] = one;
    const std::string_view type = rules::string_at(spec, "type");
    if (type == "LoadBalancer") usage["services.loadbalancers"] = one;
    if (type == "LoadBalancer" || type == "NodePort") {
      usage["services.nodeports"] = text::Quantity::from_units(static_cast<int64_t>(rules::length_at(spec, "ports")));
    }
  } else if (is_core(of, "PersistentVolumeClaim")) {
    usage["persistentvolumeclaims"] = one;
    const std::string_view of_class = rules::string_at(spec, "storageClassName");
    const ResourceList requests = resource_list_in(rules::object_at(rules::part_of(spec, "resources"), "requests"));
    const auto storage = requests.find("storage");
    if (storage != requests.end()) usage["requests.storage"] = storage->second;
    if (!of_class.empty()) {
      usage[fmt::format("{}.storageclass.storage.k8s.io/persistentvolumeclaims", of_class)] = one;
      if (storage != requests.end()) {
        usage[fmt::format("{}.storageclass.storage.k8s.io/requests.storage", of_class)] = storage->second;
      }
    }
  } else if (of.group.empty()) {
    usage[std::string(of.plural)] = one;
  }
  return usage;
}

}  // namespace basalt::api
