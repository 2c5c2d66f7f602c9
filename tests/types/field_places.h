// Every place of a type at which a value can stand, found by walking the graph of types, and what is wrong there.
#pragma once

#include <string>
#include <vector>

#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::types {

struct FieldStep {
  enum class Kind : uint8_t { Member, Element, Entry };
  Kind kind = Kind::Member;
  std::string name;                   // of the member; the key of the entry
  const api::Schema* list = nullptr;  // of an Element
};

struct FieldPlace {
  std::vector<FieldStep> steps;
  const api::Schema* type = nullptr;  // of the value at the place
  bool nullable = false;              // null is a value here
  std::string path;                   // "spec.tasks[0].name", as messages write it
};

// The places below `root`: fields, the elements of lists and the entries of maps. A type within itself
// (JSONSchemaProps) is looked into once on each way down.
[[nodiscard]] std::vector<FieldPlace> places_of(const api::Schema& root);

// One value of each JSON type that the type does not take. Empty: it takes all.
[[nodiscard]] std::vector<text::Value> wrong_values(const api::Schema& type);

// `object` with `value` at the place, and nothing but what leads there: objects, lists of one element (with the keys
// that tell it from others), maps with one entry.
void put(text::Object& object, const FieldPlace& place, const text::Value& value);

// Takes the value at the place out again. Requires: it was put there, and the place is a member.
void erase(text::Object& object, const FieldPlace& place);

// Without what stands in brackets: server-side apply names elements by their keys, others by their numbers.
[[nodiscard]] std::string without_brackets(std::string_view text);

}  // namespace basalt::types
