#include "kube/api/rules/resource_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace basalt::api::rules {
namespace {

constexpr std::string_view kHugePages = "hugepages-";

constexpr std::array<std::string_view, 19> kStandard = {"cpu",
                                                        "memory",
                                                        "ephemeral-storage",
                                                        "requests.cpu",
                                                        "requests.memory",
                                                        "requests.ephemeral-storage",
                                                        "limits.cpu",
                                                        "limits.memory",
                                                        "limits.ephemeral-storage",
                                                        "pods",
                                                        "resourcequotas",
                                                        "services",
                                                        "replicationcontrollers",
                                                        "secrets",
                                                        "configmaps",
                                                        "persistentvolumeclaims",
                                                        "storage",
                                                        "requests.storage",
                                                        "services.nodeports"};

constexpr std::array<std::string_view, 9> kCounted = {
    "pods",       "resourcequotas",         "services",           "replicationcontrollers", "secrets",
    "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"};

bool is_standard_for_containers(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource == "ephemeral-storage" || is_huge_pages(resource);
}

bool is_counted(std::string_view resource) {
  return std::ranges::find(kCounted, resource) != kCounted.end() || is_extended_resource(resource);
}

void check_huge_pages(std::string_view resource, const text::Value& value, const FieldPath& where, Causes& causes) {
  if (!is_huge_pages(resource)) return;
  const auto size = text::Quantity::parse(resource.substr(kHugePages.size()));
  const text::Quantity amount = amount_of(value);
  if (!size || size->value() <= 0 || amount.value() % size->value() != 0) {
    causes.invalid(where.text(), value,
                   fmt::format("{} is not positive integer multiple of {}", amount.to_string(), resource));
  }
}

void check_request_and_limit(std::string_view resource, const text::Value& request, const text::Object* limits,
                             const FieldPath& at, Causes& causes) {
  const text::Value* limit = limits == nullptr ? nullptr : limits->if_contains(resource);
  if (limit == nullptr) {
    if (!may_overcommit(resource)) {
      causes.required(at.key("limits").text(), "Limit must be set for non overcommitable resources");
    }
    return;
  }
  const auto order = amount_of(request) <=> amount_of(*limit);
  if (order != 0 && !may_overcommit(resource)) {
    causes.invalid(at.key("requests").text(), request,
                   fmt::format("must be equal to {} limit of {}", resource, amount_of(*limit).to_string()));
  } else if (order > 0) {
    causes.invalid(
        at.key("requests").text(), request,
        fmt::format("must be less than or equal to {} limit of {}", resource, amount_of(*limit).to_string()));
  }
}

void check_claims(const text::Object& resources, const std::set<std::string_view>& claims, const FieldPath& at,
                  Causes& causes) {
  std::set<std::string> seen;
  each_object(resources, "claims", [&](const text::Object& claim, size_t i) {
    const FieldPath where = at.at(i);
    const std::string_view name = string_at(claim, "name");
    if (name.empty()) {
      causes.required(where.text());
      return;
    }
    check_name(claim, "request", dns1123_label, Need::Optional, where, causes);
    const std::string key = fmt::format("{}/{}", name, string_at(claim, "request"));
    if (!seen.insert(key).second) causes.duplicate(where.text(), text_value(name));
    if (!claims.contains(name)) causes.not_found(where.text(), text_value(name));
  });
}

}  // namespace

text::Quantity amount_of(const text::Value& value) {
  if (value.is_int64()) return text::Quantity::from_units(value.get_int64());
  const auto amount = text::Quantity::parse(view_of(value));
  return amount ? *amount : text::Quantity();
}

bool is_huge_pages(std::string_view resource) { return resource.starts_with(kHugePages); }

bool is_pod_level(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || is_huge_pages(resource);
}

bool is_native_resource(std::string_view resource) {
  return resource.find('/') == std::string_view::npos || resource.find("kubernetes.io/") != std::string_view::npos;
}

bool is_extended_resource(std::string_view resource) {
  if (is_native_resource(resource) || resource.starts_with("requests.")) return false;
  return qualified_name(fmt::format("requests.{}", resource)).empty();
}

bool may_overcommit(std::string_view resource) { return is_native_resource(resource) && !is_huge_pages(resource); }

bool is_standard_resource(std::string_view resource) {
  return std::ranges::find(kStandard, resource) != kStandard.end() || is_huge_pages(resource) ||
         resource == "services.loadbalancers" || resource.starts_with("requests.hugepages-");
}

void check_amount(std::string_view resource, const text::Value& value, const FieldPath& where, Causes& causes) {
  const text::Quantity amount = amount_of(value);
  if (amount.is_negative()) causes.invalid(where.text(), value, "must be greater than or equal to 0");
  if (is_counted(resource) && amount.milli_value() % 1000 != 0) {
    causes.invalid(where.text(), value, "must be an integer");
  }
}

void check_resource_name(std::string_view resource, const FieldPath& where, Causes& causes) {
  const ValidationMessages complaints = qualified_name(resource);
  refuse(complaints, resource, where, causes);
  if (complaints.empty() && resource.find('/') == std::string_view::npos && !is_standard_resource(resource)) {
    causes.invalid(where.text(), text_value(resource), "must be a standard resource type or fully qualified");
  }
}

void check_container_resource_name(std::string_view resource, const FieldPath& where, Causes& causes) {
  check_resource_name(resource, where, causes);
  if (resource.find('/') == std::string_view::npos) {
    if (!is_standard_for_containers(resource)) {
      causes.invalid(where.text(), text_value(resource), "must be a standard resource for containers");
    }
  } else if (!is_native_resource(resource) && !is_extended_resource(resource)) {
    causes.invalid(where.text(), text_value(resource), "doesn't follow extended resource name standard");
  }
}

void check_requirements(const text::Object& resources, ResourceOwner owner, const std::set<std::string_view>& claims,
                        const FieldPath& at, Causes& causes) {
  const text::Object* limits = object_at(resources, "limits");
  bool huge = false;
  bool compute = false;
  for (const std::string_view part : {"limits", "requests"}) {
    const text::Object* list = object_at(resources, part);
    if (list == nullptr) continue;
    const FieldPath here = at.key(part);
    for (const auto& member : *list) {
      const std::string_view resource = member.key();
      const FieldPath where = here.entry(resource);
      if (owner == ResourceOwner::Container) {
        check_container_resource_name(resource, where, causes);
      } else if (!is_pod_level(resource)) {
        causes.not_supported(where.text(), text_value(resource), {"cpu", "hugepages-", "memory"});
      }
      check_amount(resource, member.value(), where, causes);
      check_huge_pages(resource, member.value(), where, causes);
      if (part == "requests") check_request_and_limit(resource, member.value(), limits, at, causes);
      huge = huge || is_huge_pages(resource);
      compute = compute || resource == "cpu" || resource == "memory";
    }
  }
  if (huge && !compute) causes.forbidden(at.text(), "HugePages require cpu or memory");
  check_claims(resources, claims, at.key("claims"), causes);
}

void fill_requests_from_limits(text::Object& container) {
  text::Object* resources = object_at(container, "resources");
  const text::Object* limits = resources == nullptr ? nullptr : object_at(*resources, "limits");
  if (limits == nullptr || limits->empty()) return;
  const text::Object copy = *limits;  // making "requests" may move its neighbour
  text::Object& requests = make_object(*resources, "requests");
  for (const auto& member : copy) set_if_missing(requests, member.key(), member.value());
}

}  // namespace basalt::api::rules
