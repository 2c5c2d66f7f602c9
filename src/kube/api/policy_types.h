// The small kinds that bound or rank other objects: PriorityClass, ResourceQuota, PodDisruptionBudget, Namespace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube/api/metadata.h"
#include "kube/api/selector.h"

namespace basalt::api {

struct PriorityClass {
  ObjectMeta metadata;
  int32_t value = 0;
  bool global_default = false;
  std::string preemption_policy;  // PreemptLowerPriority (also when "") or Never
};

// One line of a quota's scopeSelector.
struct ScopeRequirement {
  std::string scope_name, op;
  std::vector<std::string> values;
};

struct ResourceQuota {
  ObjectMeta metadata;
  ResourceList hard;  // spec.hard
  std::vector<std::string> scopes;
  std::vector<ScopeRequirement> scope_selector;
  ResourceList status_hard, status_used;
};

struct PodDisruptionBudget {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;  // not given: no pod; given empty: every pod of the namespace
  int32_t disruptions_allowed = 0;
  std::map<std::string, Instant, std::less<>> disrupted_pods;  // pod name → when it was evicted
};

struct Namespace {
  ObjectMeta metadata;
};

[[nodiscard]] Result<void> read(const text::Field& at, PriorityClass& out);
[[nodiscard]] Result<void> read(const text::Field& at, ResourceQuota& out);
[[nodiscard]] Result<void> read(const text::Field& at, PodDisruptionBudget& out);
[[nodiscard]] Result<void> read(const text::Field& at, Namespace& out);

[[nodiscard]] Result<PriorityClass> decode_priority_class(const text::Value& value);
[[nodiscard]] Result<ResourceQuota> decode_resource_quota(const text::Value& value);
[[nodiscard]] Result<PodDisruptionBudget> decode_pod_disruption_budget(const text::Value& value);
[[nodiscard]] Result<Namespace> decode_namespace(const text::Value& value);

}  // namespace basalt::api
