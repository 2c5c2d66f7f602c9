// Changing objects field by field, along their type: what server-side apply does to the live object.
#pragma once

#include "kube/api/apply/field_set.h"
#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::api {

// `live` with everything that `config` mentions set as there. Nothing is removed. Elements that both have are merged;
// new ones come in the order of the config, others keep their order as far as that allows.
// Requires: `config` has no type error (find_type_error). Cost: O(live + config), sorting of merged lists aside.
[[nodiscard]] text::Value merge_config(const Schema& type, const text::Value& live, const text::Value& config);

// Takes the members of `fields` out of `value`, with all that is below them. What becomes empty stays, empty.
void remove_fields(const Schema& type, text::Value& value, FieldSet fields);

}  // namespace basalt::api
