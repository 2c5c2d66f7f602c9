// Fills in what a schema says a field is when nobody gives it.
//
// Fields in order of their names, outer before inner: a default object gets the defaults of its own fields. Nothing is
// made to hold a default: without `spec` there is no default of `spec.x` (unless `spec` has a default itself). A null
// counts as not given where null is no value (SchemaField::nullable) and there is a default; a null elsewhere in a kind
// of a CRD is removed by normalize_custom.
// Cost: O(document + defaults + fields of the objects' types), all bounded. Requires: a normalized object; a value of a
// wrong type is passed over.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::api {

// The fields of the types of all objects in a document together: each is looked at for a default.
inline constexpr size_t kMaxDefaultFields = 20'000'000;

// An error (Unsupported, with the place) when more than that would be looked at, or more than kMaxFilledBytes
// (fill_budget.h) be filled in; the object is then partly filled.
[[nodiscard]] Result<void> apply_defaults(const Schema& schema, text::Value& object);

}  // namespace basalt::api
