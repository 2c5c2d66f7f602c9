// Resource names and amounts as objects write them.
#pragma once

#include <set>
#include <string_view>

#include "kube/api/rules/checks.h"
#include "kube/text/quantity.h"

namespace basalt::api::rules {

// An amount; 0 for what is no quantity (decoding has refused that before).
[[nodiscard]] text::Quantity amount_of(const text::Value& value);

[[nodiscard]] bool is_huge_pages(std::string_view resource);
[[nodiscard]] bool is_pod_level(std::string_view resource);          // may stand in the resources of a whole pod
[[nodiscard]] bool is_native_resource(std::string_view resource);    // no domain, or one of kubernetes.io
[[nodiscard]] bool is_extended_resource(std::string_view resource);  // "nvidia.com/gpu"
[[nodiscard]] bool may_overcommit(std::string_view resource);        // request below limit is allowed
[[nodiscard]] bool is_standard_resource(std::string_view resource);  // of quotas too: "requests.cpu", "pods"

void check_amount(std::string_view resource, const text::Value& amount, const FieldPath& where, Causes& causes);
// A name that a list of resources may hold / that a container may ask for.
void check_resource_name(std::string_view resource, const FieldPath& where, Causes& causes);
void check_container_resource_name(std::string_view resource, const FieldPath& where, Causes& causes);

enum class ResourceOwner : uint8_t { Container, Pod };
// resources: of a container or a pod. `claims`: the names in the pod's resourceClaims.
void check_requirements(const text::Object& resources, ResourceOwner owner, const std::set<std::string_view>& claims,
                        const FieldPath& at, Causes& causes);

// Limits that have no request become one; as a Pod (not a template) does it.
void fill_requests_from_limits(text::Object& container);

}  // namespace basalt::api::rules
