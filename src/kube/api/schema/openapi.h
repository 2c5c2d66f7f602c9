// The OpenAPI v3 form of a Schema, as served under /openapi/v3 and read by kubectl (explain, apply, diff).
#pragma once

#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::api {

// A schema object: types with a name are referred to by "#/components/schemas/<name>", those without are written in
// place. The schema itself is always written out. Descriptions, defaults, limits, CEL rules, and the x-kubernetes-…
// markers of lists, maps and strategic merge are in it. Cost: O(what is written).
[[nodiscard]] text::Value openapi_of(const Schema& schema);

}  // namespace basalt::api
