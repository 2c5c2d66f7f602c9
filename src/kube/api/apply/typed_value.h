// How ownership sees a value of a type: as a scalar, a list or a map, whole or in parts.
//
// A type is a Schema, or null for values without one (unknown fields that are kept,
// x-kubernetes-preserve-unknown-fields): there maps are owned by field, lists as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube/api/apply/field_set.h"
#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::api {

enum class ValueForm : uint8_t { Scalar, List, Map };

// `value` may be null (absent): only types without a schema look at it.
[[nodiscard]] ValueForm form_of(const Schema* type, const text::Value* value);
// Whether a list or map is one field for its owners.
[[nodiscard]] bool owned_whole(const Schema* type, ValueForm form);

// The type of a map's member, of a list's element.
[[nodiscard]] const Schema* member_type(const Schema* type, std::string_view name);
[[nodiscard]] const Schema* element_type(const Schema* list);
// Whether `name` is a field that the type itself names (not a key of a map, not an unknown field).
[[nodiscard]] bool names_field(const Schema* type, std::string_view name);

// What `element` of a list that is a set or a map is called: by its keys (absent ones by their default) or its value.
// Nothing: it has no name, because it is of the wrong type or has none of the keys.
[[nodiscard]] std::optional<PathElement> name_element(FieldArena& arena, const Schema& list,
                                                      const text::Value& element);

// The elements of a list by name, sorted; equal names in list order. Elements without a name are left out.
struct NamedElement {
  PathElement name;
  const text::Value* value = nullptr;
  size_t index = 0;
};
[[nodiscard]] std::vector<NamedElement> name_elements(FieldArena& arena, const Schema& list,
                                                      const text::Array& elements);

// Equality as ownership sees it: 1 and 1.0 are the same, order of members does not matter.
[[nodiscard]] bool equal_values(const text::Value& left, const text::Value& right);

// What is wrong with `value` for its type: ".spec.foo: field not declared in schema", "" if nothing is. The elements of
// sets and maps must be distinct.
[[nodiscard]] std::string find_type_error(const Schema& type, const text::Value& value);

}  // namespace basalt::api
