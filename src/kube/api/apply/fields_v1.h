// FieldSets as metadata.managedFields writes them (fieldsType FieldsV1).
//
//   {"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},…}}}}
//
// "." says that the field itself is a member besides what is below it; {} says that it is a member. Elements of kinds
// not known here are skipped, as Kubernetes does. What is written is canonical: reading it gives the same set, and the
// same set gives the same text.
#pragma once

#include "base/result.h"
#include "kube/api/apply/field_set.h"
#include "kube/text/json.h"

namespace basalt::api {

// The set points into `fields`, which must outlive it. Cost: O(fields).
[[nodiscard]] Result<FieldSet> read_fields(FieldArena& arena, const text::Value& fields);
[[nodiscard]] text::Value write_fields(FieldSet set);

// The same questions as on sets, asked of the written form: cheaper than reading it. Cost: O(set).
[[nodiscard]] bool touches(const text::Value& fields, FieldSet set);   // they have a member in common
[[nodiscard]] bool includes(const text::Value& fields, FieldSet set);  // each member of `set` is in `fields`

}  // namespace basalt::api
