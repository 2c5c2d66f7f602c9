// ResourceQuota and LimitRange.
#include <fmt/format.h>

#include <array>
#include <set>

#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/resource_checks.h"

namespace basalt::api::rules {
namespace {

constexpr std::array<std::string_view, 7> kScopes = {"Terminating",          "NotTerminating",
                                                     "BestEffort",           "NotBestEffort",
                                                     "PriorityClass",        "CrossNamespacePodAffinity",
                                                     "VolumeAttributesClass"};
constexpr std::array<std::string_view, 7> kPodResources = {
    "pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"};

bool fits_scope(std::string_view scope, std::string_view resource) {
  if (resource.find('/') != std::string_view::npos || !is_standard_resource(resource)) return true;
  if (scope == "BestEffort") return resource == "pods";
  if (scope == "Terminating" || scope == "NotTerminating" || scope == "NotBestEffort" || scope == "PriorityClass" ||
      scope == "CrossNamespacePodAffinity") {
    return contains(kPodResources, resource);
  }
  return true;
}

void check_amounts(const text::Object& list, const FieldPath& at, Causes& causes) {
  for (const auto& member : list) {
    const std::string_view name = member.key();
    const FieldPath where = at.entry(name);
    check_resource_name(name, where, causes);
    const bool plain = name.find('/') == std::string_view::npos;
    if (plain && (name == "storage" || !is_standard_resource(name))) {
      causes.invalid(where.text(), text_value(name), "must be a standard resource for quota");
    }
    check_amount(name, member.value(), where, causes);
  }
}

void check_scope(std::string_view scope, const text::Object& spec, const text::Value& shown, const FieldPath& where,
                 Causes& causes) {
  if (!contains(kScopes, scope)) causes.invalid(where.text(), shown, "unsupported scope");
  for (const auto& member : part_of(spec, "hard")) {
    if (!fits_scope(scope, member.key())) {
      causes.invalid(where.text(), shown, "unsupported scope applied to resource");
    }
  }
}

void check_scope_pairs(const std::set<std::string_view>& scopes, const text::Value& shown, const FieldPath& where,
                       Causes& causes) {
  const auto both = [&](std::string_view a, std::string_view b) { return scopes.contains(a) && scopes.contains(b); };
  if (both("BestEffort", "NotBestEffort") || both("Terminating", "NotTerminating")) {
    causes.invalid(where.text(), shown, "conflicting scopes");
  }
}

void check_scope_selector(const text::Object& spec, Causes& causes) {
  const text::Object* selector = object_at(spec, "scopeSelector");
  if (selector == nullptr) return;
  const FieldPath at("spec.scopeSelector.matchExpressions");
  std::set<std::string_view> scopes;
  each_object(*selector, "matchExpressions", [&](const text::Object& one, size_t) {
    const std::string_view scope = string_at(one, "scopeName");
    const std::string_view op = string_at(one, "operator");
    const size_t values = length_at(one, "values");
    scopes.insert(scope);
    check_scope(scope, spec, *selector, at, causes);
    if (scope != "PriorityClass" && scope != "VolumeAttributesClass" && op != "Exists") {
      causes.invalid(at.key("operator").text(), text_value(op),
                     fmt::format("must be 'Exists' when scope is {}", scope));
    }
    if (op == "In" || op == "NotIn") {
      if (values == 0) {
        causes.required(at.key("values").text(),
                        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
      }
    } else if (op == "Exists" || op == "DoesNotExist") {
      if (values > 0) {
        causes.invalid(at.key("values").text(), shown_member(one, "values"),
                       "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
      }
    } else {
      causes.invalid(at.key("operator").text(), text_value(op), "not a valid selector operator");
    }
  });
  check_scope_pairs(scopes, *selector, at, causes);
}

void validate_quota(const text::Object& quota, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(quota, "spec");
  check_amounts(part_of(spec, "hard"), at.key("hard"), causes);
  const FieldPath scopes_at = at.key("scopes");
  std::set<std::string_view> scopes;
  each_string(spec, "scopes", [&](std::string_view scope, size_t) {
    scopes.insert(scope);
    check_scope(scope, spec, shown_member(spec, "scopes"), scopes_at, causes);
  });
  check_scope_pairs(scopes, shown_member(spec, "scopes"), scopes_at, causes);
  check_scope_selector(spec, causes);
}

void start_quota(text::Object& quota) { quota["status"].emplace_object(); }

void update_quota(const text::Object& next, const text::Object& old, Causes& causes) {
  const auto scopes = [](const text::Object& quota) {
    std::set<std::string_view> out;
    each_string(part_of(quota, "spec"), "scopes", [&](std::string_view scope, size_t) { out.insert(scope); });
    return out;
  };
  if (scopes(next) != scopes(old)) {
    causes.invalid("spec.scopes", shown_member(part_of(next, "spec"), "scopes"), kImmutable);
  }
}

void quota_status(const text::Object& next, const text::Object&, Causes& causes) {
  const FieldPath at("status");
  check_amounts(part_of(part_of(next, "status"), "hard"), at.key("hard"), causes);
  check_amounts(part_of(part_of(next, "status"), "used"), at.key("used"), causes);
}

// Of a container's limits: the default limit is the maximum, the default request is the default limit or the minimum.
void complete_range(text::Object& range) {
  text::Object* spec = object_at(range, "spec");
  if (spec == nullptr) return;
  each_object(*spec, "limits", [](text::Object& item, size_t) {
    if (string_at(item, "type") != "Container") return;
    const auto fill = [&](std::string_view to, std::string_view from) {
      const text::Object source = part_of(item, from);
      if (source.empty()) return;
      text::Object& list = make_object(item, to);
      for (const auto& member : source) set_if_missing(list, member.key(), member.value());
    };
    fill("default", "max");
    fill("defaultRequest", "default");
    fill("defaultRequest", "min");
  });
}

// A range without a name gets one that nobody else has.
void name_range(text::Object& range) {
  text::Object& metadata = make_object(range, "metadata");
  if (string_at(metadata, "name").empty() && has(metadata, "uid")) metadata["name"] = text::Value(metadata.at("uid"));
}

// One list of a limit range must nowhere exceed another.
struct Order {
  std::string_view low, high, field, words;
};
constexpr std::array<Order, 6> kOrders = {{
    {"min", "max", "min", "min value {} is greater than max value {}"},
    {"min", "defaultRequest", "defaultRequest", "min value {} is greater than default request value {}"},
    {"defaultRequest", "max", "defaultRequest", "default request value {} is greater than max value {}"},
    {"defaultRequest", "default", "defaultRequest", "default request value {} is greater than default limit value {}"},
    {"min", "default", "default", "min value {} is greater than default value {}"},
    {"default", "max", "default", "default value {} is greater than max value {}"},
}};

void check_item(const text::Object& item, const FieldPath& at, Causes& causes) {
  const std::string_view type = string_at(item, "type");
  const bool pods = type == "Pod" || type == "Container";
  for (const std::string_view list : {"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"}) {
    const FieldPath here = at.key(list);
    if (type == "Pod" && list.starts_with("default") && !part_of(item, list).empty()) {
      causes.forbidden(here.text(), "may not be specified when `type` is 'Pod'");
      continue;
    }
    for (const auto& member : part_of(item, list)) {
      if (pods) {
        check_container_resource_name(member.key(), here.entry(member.key()), causes);
      } else {
        check_resource_name(member.key(), here.entry(member.key()), causes);
      }
    }
  }
  for (const Order& order : kOrders) {
    const FieldPath here = at.key(order.field);
    for (const auto& member : part_of(item, order.low)) {
      const text::Value* high = part_of(item, order.high).if_contains(member.key());
      if (high == nullptr || amount_of(member.value()) <= amount_of(*high)) continue;
      causes.invalid(
          here.entry(member.key()).text(), member.value(),
          fmt::format(fmt::runtime(order.words), amount_of(member.value()).to_string(), amount_of(*high).to_string()));
    }
  }
  const FieldPath ratios = at.key("maxLimitRequestRatio");
  for (const auto& member : part_of(item, "maxLimitRequestRatio")) {
    if (amount_of(member.value()) < text::Quantity::from_units(1)) {
      causes.invalid(ratios.entry(member.key()).text(), member.value(), "ratio is less than 1");
    }
  }
  if (type == "PersistentVolumeClaim" && !part_of(item, "min").contains("storage") &&
      !part_of(item, "max").contains("storage")) {
    causes.required(at.key("limits").text(),
                    "either minimum or maximum storage value is required, but neither was provided");
  }
}

void validate_range(const text::Object& range, Causes& causes) {
  const FieldPath list("spec.limits");
  std::set<std::string_view> seen;
  each_object(part_of(range, "spec"), "limits", [&](const text::Object& item, size_t i) {
    const FieldPath here = list.at(i);
    const std::string_view type = string_at(item, "type");
    const ValidationMessages complaints = qualified_name(type);
    refuse(complaints, type, here.key("type"), causes);
    if (complaints.empty() && type.find('/') == std::string_view::npos && type != "Pod" && type != "Container" &&
        type != "PersistentVolumeClaim") {
      causes.invalid(here.key("type").text(), text_value(type), "must be a standard limit type or fully qualified");
    }
    if (!seen.insert(type).second) causes.duplicate(here.key("type").text(), text_value(type));
    check_item(item, here, causes);
  });
}

}  // namespace

KindRules resource_quota_rules() {
  return {.prepare_create = start_quota,
          .validate = validate_quota,
          .validate_update = update_quota,
          .validate_status = quota_status};
}

KindRules limit_range_rules() {
  return {.complete = complete_range, .prepare_create = name_range, .validate = validate_range};
}

}  // namespace basalt::api::rules
