// What governs pods from outside: PodDisruptionBudget, PriorityClass, Lease.
#include <fmt/format.h>

#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/workload_rules.h"

namespace basalt::api::rules {
namespace {

constexpr int64_t kHighestUserPriority = 1'000'000'000;
constexpr std::string_view kSystemPrefix = "system-";

void start_budget(text::Object& budget) {
  budget["status"] =
      text::Object{{"disruptionsAllowed", 0}, {"currentHealthy", 0}, {"desiredHealthy", 0}, {"expectedPods", 0}};
}

void validate_budget(const text::Object& budget, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(budget, "spec");
  if (has(spec, "minAvailable") && has(spec, "maxUnavailable")) {
    causes.invalid(at.text(), spec, "minAvailable and maxUnavailable cannot be both set");
  }
  check_share(spec, "minAvailable", at, causes);
  check_share(spec, "maxUnavailable", at, causes);
  if (const text::Object* selector = object_at(spec, "selector")) {
    check_label_selector(*selector, at.key("selector"), causes);
  }
  check_word(spec, "unhealthyPodEvictionPolicy", {"AlwaysAllow", "IfHealthyBudget"}, Need::Optional, at, causes);
}

void budget_status(const text::Object& next, const text::Object&, Causes& causes) {
  check_counts(next, {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"}, "", causes);
}

// A class never changes in substance, so its generation stays at the beginning.
void start_priority_class(text::Object& object) { make_object(object, "metadata")["generation"] = 1; }

bool is_system_class(std::string_view name, int64_t value) {
  return (name == "system-node-critical" && value == 2'000'001'000) ||
         (name == "system-cluster-critical" && value == 2'000'000'000);
}

void validate_priority_class(const text::Object& object, Causes& causes) {
  const FieldPath at("");
  const std::string_view name = string_at(part_of(object, "metadata"), "name");
  const int64_t value = int_at(object, "value").value_or(0);
  if (name.starts_with(kSystemPrefix)) {
    if (!is_system_class(name, value) || is_true(object, "globalDefault")) {
      causes.forbidden("metadata.name",
                       fmt::format("priority class names with '{}' prefix are reserved for system use only. error: {} "
                                   "is not a known system priority class",
                                   kSystemPrefix, name));
    }
  } else if (value > kHighestUserPriority) {
    causes.forbidden("value",
                     fmt::format("maximum allowed value of a user defined priority is {}", kHighestUserPriority));
  }
  check_word(object, "preemptionPolicy", {"PreemptLowerPriority", "Never"}, Need::Optional, at, causes);
}

void update_priority_class(const text::Object& next, const text::Object& old, Causes& causes) {
  const FieldPath at("");
  if (int_at(next, "value").value_or(0) != int_at(old, "value").value_or(0)) {
    causes.forbidden("value", "may not be changed in an update.");
  }
  check_immutable(next, old, "preemptionPolicy", at, causes);
}

void validate_lease(const text::Object& lease, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(lease, "spec");
  const auto seconds = int_at(spec, "leaseDurationSeconds");
  if (seconds && *seconds <= 0) {
    causes.invalid(at.key("leaseDurationSeconds").text(), *seconds, "must be greater than 0");
  }
  check_not_negative(spec, "leaseTransitions", at, causes);
  if (!string_at(spec, "preferredHolder").empty() && string_at(spec, "strategy").empty()) {
    causes.forbidden(at.key("preferredHolder").text(), "may only be specified if `strategy` is defined");
  }
}

}  // namespace

KindRules disruption_budget_rules() {
  return {.counts_generation = true,
          .prepare_create = start_budget,
          .validate = validate_budget,
          .validate_status = budget_status};
}

KindRules priority_class_rules() {
  return {.prepare_create = start_priority_class,
          .validate = validate_priority_class,
          .validate_update = update_priority_class};
}

KindRules lease_rules() { return {.validate = validate_lease}; }

KindRules counted_rules() { return {.counts_generation = true}; }

}  // namespace basalt::api::rules
