#include "api/schema/defaults.h"

#include <cstddef>

namespace basalt::api {
namespace {

void fill(const Schema& schema, text::Value& value, size_t depth);

void fill_object(const Schema& schema, text::Object& object, size_t depth) {
  for (const SchemaField& field : schema.fields) {
    if (!field.fallback) continue;
    text::Value* given = object.if_contains(field.name);
    if (given == nullptr) {
      object.emplace(field.name, *field.fallback);
    } else if (given->is_null() && !field.nullable) {
      *given = *field.fallback;
    }
  }
  for (auto& member : object) {
    if (!member.value().is_structured()) continue;
    if (const SchemaField* field = schema.find({member.key().data(), member.key().size()})) {
      fill(*field->type, member.value(), depth + 1);
    }
  }
}

void fill_element(const Schema& schema, text::Value& element, size_t depth) {
  if (element.is_null() && !schema.element_nullable && schema.element_fallback) element = *schema.element_fallback;
  fill(*schema.element, element, depth + 1);
}

void fill(const Schema& schema, text::Value& value, size_t depth) {
  // Defaults are values, not types, so they cannot nest without end; the bound is for the document.
  if (depth > text::kMaxJsonDepth) return;
  if (value.is_object()) {
    if (schema.shape == Shape::Map && schema.element != nullptr) {
      for (auto& entry : value.get_object()) fill_element(schema, entry.value(), depth);
    } else {
      fill_object(schema, value.get_object(), depth);
    }
  } else if (value.is_array() && schema.shape == Shape::List && schema.element != nullptr) {
    for (auto& element : value.get_array()) fill_element(schema, element, depth);
  }
}

}  // namespace

void apply_defaults(const Schema& schema, text::Value& object) { fill(schema, object, 0); }

}  // namespace basalt::api
