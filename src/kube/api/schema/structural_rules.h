// What makes an openAPIV3Schema of a CustomResourceDefinition structural, and which keywords Kubernetes refuses in it.
//
// Structure (type, properties, items, additionalProperties and the x-kubernetes-… extensions) is written once, outside
// of allOf, anyOf, oneOf and not; what stands in those only validates. Both functions add causes with paths such as
// `….openAPIV3Schema.properties[spec].type`. Wrong types of keywords read as absent: the CRD was decoded before.
#pragma once

#include "kube/api/api_error.h"
#include "kube/api/schema/value_path.h"
#include "kube/text/json.h"

namespace basalt::api {

inline constexpr size_t kMaxSchemaDepth = 100;
inline constexpr size_t kMaxSchemaCauses = 200;

// The structure itself.
void check_structure(const text::Object& schema, const ValuePath& at, Causes& causes);

// Keywords: unsupported ones, list and map types, keys of list-maps, places where a default may not stand.
void check_keywords(const text::Object& schema, const ValuePath& at, Causes& causes);

}  // namespace basalt::api
