// The rules by which fields change owners.
#pragma once

#include "kube/api/apply/field_changes.h"
#include "kube/api/apply/field_owners.h"
#include "kube/api/apply/managed_fields.h"

namespace basalt::api {

// The writer as an owner of nothing yet; it must outlive the owner.
[[nodiscard]] FieldOwner owner_of(const FieldManager& writer, bool applied);

// Without what nobody can own: apiVersion, kind, and in metadata what names the object or what the server sets.
[[nodiscard]] FieldSet without_identity(FieldArena& arena, FieldSet fields);

// Without what a write to the resource (or subresource) cannot change: the status there, the rest here.
[[nodiscard]] FieldSet without_reset_fields(FieldArena& arena, const Schema& schema, FieldSet fields,
                                            const FieldManager& writer);
[[nodiscard]] FieldChanges without_reset_fields(FieldArena& arena, const Schema& schema, const FieldChanges& changes,
                                                const FieldManager& writer);

// The owners before a write: as the client sent them (`given`, null: it cannot), if they can be read and there are any,
// else as the live object has them.
[[nodiscard]] FieldOwners owners_before(FieldArena& arena, const text::Value* given, const text::Value& live);

// After an update: what changed leaves its owners and goes to `self` (its fields and time), what was removed is owned
// by nobody.
void record_update(FieldArena& arena, FieldOwners& owners, const FieldChanges& changes, const FieldOwner& self);

}  // namespace basalt::api
