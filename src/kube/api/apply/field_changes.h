// Which fields a value has, and which of them a change touched.
//
// These are the facts from which ownership follows. All walk the value along its type; sets point into the keys of the
// values, which must outlive them.
#pragma once

#include "kube/api/apply/field_set.h"
#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::api {

struct FieldChanges {
  FieldSet removed = nullptr;
  FieldSet modified = nullptr;
  FieldSet added = nullptr;
};

// From `old` to `next`. A struct or map that appears is added itself, besides what is in it. metadata.managedFields is
// not looked at. Cost: O(old + next); nodes are made only for what differs.
[[nodiscard]] FieldChanges compare_objects(FieldArena& arena, const Schema& type, const text::Value& old,
                                           const text::Value& next);

// What compare_objects(empty_object(type), object) calls modified or added: the same in one walk and without the empty
// object.
[[nodiscard]] FieldSet fields_of_new(FieldArena& arena, const Schema& type, const text::Value& object);

// An object of which nothing is given, as Go writes it: structs that are always written are there, and empty.
[[nodiscard]] text::Value empty_object(const Schema& type);

// What an applied configuration mentions: leaves, elements of lists, and what is given empty.
[[nodiscard]] FieldSet fields_of_config(FieldArena& arena, const Schema& type, const text::Value& config);

// `set` with all named fields as members that lie on the way to a member.
[[nodiscard]] FieldSet with_named_fields(FieldArena& arena, const Schema* type, FieldSet set);

}  // namespace basalt::api
