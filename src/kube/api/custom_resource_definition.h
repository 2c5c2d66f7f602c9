// CustomResourceDefinitions: what they leave out, what they must look like, and the rows of kinds they define.
#pragma once

#include <vector>

#include "kube/api/api_error.h"
#include "kube/api/api_resource.h"
#include "kube/text/json.h"

namespace basalt::api {

// Defaults that depend on other fields: names.singular, names.listKind, conversion None, the port of a conversion
// webhook, and status.storedVersions (the storage version) when there are none.
void complete_crd(text::Object& crd);

// What Kubernetes refuses with 422: names, group, versions (exactly one is stored), schemas that are not structural,
// printer columns, subresources, selectable fields, conversion. Requires: a normalized CRD (types are right), after
// complete_crd. As in Kubernetes, what all versions have in common is named at spec (spec.validation.openAPIV3Schema,
// …).
void validate_crd(const text::Object& crd, Causes& causes);
// Besides, for a new one: it is named after its plural and its group.
void validate_crd_name(const text::Object& crd, Causes& causes);

// What may not change: group and plural; scope and kind once the CRD is established. Besides validate_crd.
void validate_crd_update(const text::Object& next, const text::Object& old, Causes& causes);

// One row per served version, with compiled schemas; all versions share one SchemaSet, which the rows keep alive.
// An error (422) has the causes, with paths into the CRD. Requires: as above.
[[nodiscard]] ApiResult<std::vector<ApiResource>> resources_of(const text::Object& crd);

}  // namespace basalt::api
