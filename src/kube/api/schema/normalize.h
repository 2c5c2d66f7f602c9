// Brings a decoded document into the form in which its kind is stored.
//
// Built-in kinds behave as Go's decoding into structs and encoding back would: fields without a name in the schema are
// dropped and reported, null is "not given", values that are empty stay, go or are written as the field says
// (WhenEmpty), quantities and times become canonical. A value of the wrong type is an error (400) that names its path.
//
// Kinds of CRDs keep their values as they are, but for doubles without a fraction (2.0), which Go reads as numbers and
// writes as whole ones: unknown fields are pruned (but for preserve_unknown), metadata and that
// of embedded resources is read as the built-in ObjectMeta. Wrong types are left for validate_value (422); only
// apiVersion, kind and metadata of the wrong type are an error here (400).
//
// Both work in place in one walk, and build paths only for what they report. Cost: O(document · log fields of a type).
// Documents deeper than text::kMaxJsonDepth are an error. At most kMaxUnknownFields paths are reported.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kube/api/api_error.h"
#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::api {

inline constexpr size_t kMaxUnknownFields = 100;

// The paths of the fields that were dropped: "spec.foo", "spec.containers[0].bar", in document order.
[[nodiscard]] ApiResult<std::vector<std::string>> normalize(const Schema& schema, text::Value& object);
[[nodiscard]] ApiResult<std::vector<std::string>> normalize_custom(const Schema& schema, text::Value& object);

// A part of an object of a CRD (a default), pruned likewise; whether nothing of it was unknown or malformed.
[[nodiscard]] bool prune_value(const Schema& schema, text::Value& value);

}  // namespace basalt::api
