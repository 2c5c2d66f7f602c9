// Fills in what a schema says a field is when nobody gives it.
//
// Fields in order of their names, outer before inner: a default object gets the defaults of its own fields. Nothing is
// made to hold a default: without `spec` there is no default of `spec.x` (unless `spec` has a default itself). A null
// counts as not given where null is no value (SchemaField::nullable) and there is a default; a null elsewhere in a kind
// of a CRD is removed by normalize_custom.
// Cost: O(document + defaults). Requires: a normalized object; a value of a wrong type is passed over.
#pragma once

#include "api/schema/schema.h"
#include "text/json.h"

namespace basalt::api {

void apply_defaults(const Schema& schema, text::Value& object);

}  // namespace basalt::api
