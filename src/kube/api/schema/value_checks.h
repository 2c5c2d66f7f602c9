// The checks of one value against ValueLimits, without looking into it: the leaves of validate.h.
#pragma once

#include <string_view>

#include "kube/api/api_error.h"
#include "kube/api/schema/schema.h"
#include "kube/api/schema/value_path.h"
#include "kube/text/json.h"

namespace basalt::api {

// The name of a JSON type as schemas have it: "integer" for whole numbers, "number" for others.
[[nodiscard]] std::string_view schema_type_of(const text::Value& value);

// Whether `value`, not null, has the type of `schema`; otherwise a cause is added.
bool check_type(const Schema& schema, const text::Value& value, const ValuePath& at, Causes& causes);

void check_enum(const ValueLimits& limits, const text::Value& value, const ValuePath& at, Causes& causes);
void check_string(const ValueLimits& limits, std::string_view text, const ValuePath& at, Causes& causes);
void check_number(const Schema& schema, const text::Value& value, const ValuePath& at, Causes& causes);
// How many elements or members there are.
void check_items(const ValueLimits& limits, size_t count, const ValuePath& at, Causes& causes);
void check_properties(const ValueLimits& limits, size_t count, const ValuePath& at, Causes& causes);

// Sets and list-maps: the second appearance of an element or a key. Cost: O(n log n · size of what is compared).
void check_duplicates(const Schema& schema, const text::Array& list, const ValuePath& at, Causes& causes);

}  // namespace basalt::api
