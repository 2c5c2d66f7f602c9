// Compiles the openAPIV3Schema of a CustomResourceDefinition into the graph of schema.h.
//
// Kubernetes accepts only structural schemas: each level has a type, and what merely validates (allOf, anyOf, oneOf,
// not) adds no structure. Everything it refuses is refused here (structural_rules.h), as causes whose paths start at
// `path`. x-kubernetes-validations (CEL) are accepted when well-formed, and not evaluated.
//
// How the graph reads for CRDs: Shape::Any with preserve_unknown keeps everything below it; without, it is the element
// of `additionalProperties: true`, whose scalars stay and whose members are pruned. An Object with an element has both
// properties and `additionalProperties: true`. Schemas in ValueLimits are of Shape::Any and only validate.
#pragma once

#include <string>

#include "kube/api/api_error.h"
#include "kube/api/schema/schema.h"
#include "kube/api/schema/validate.h"
#include "kube/text/json.h"

namespace basalt::api {

// The schema of the whole object: with apiVersion, kind and metadata, whether written or not. nullptr when causes were
// added. The Schemas go into `set`; the type of metadata is the built-in ObjectMeta. Patterns are checked, and compiled
// when an object first needs them. Cost: O(schema), the checking of each different pattern, and that of the defaults,
// which is bounded by `work`, together with what it says was spent already.
[[nodiscard]] const Schema* compile_structural(const text::Value& open_api_v3_schema, SchemaSet& set, Causes& causes,
                                               const std::string& path, ValidationWork& work);
[[nodiscard]] const Schema* compile_structural(const text::Value& open_api_v3_schema, SchemaSet& set, Causes& causes,
                                               const std::string& path);

}  // namespace basalt::api
