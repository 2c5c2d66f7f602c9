#include "kube/api/schema/defaults.h"

#include <string>

#include "kube/api/schema/fill_budget.h"
#include "kube/api/schema/value_path.h"

namespace basalt::api {
namespace {

class Filler {
 public:
  bool fill(const Schema& schema, text::Value& value, const ValuePath& at, size_t depth) {
    // Defaults are values, not types, so they cannot nest without end; the bound is for the document.
    if (depth > text::kMaxJsonDepth) return true;
    if (value.is_object()) {
      if (schema.shape != Shape::Map || schema.element == nullptr)
        return fill_object(schema, value.get_object(), at, depth);
      for (auto& entry : value.get_object()) {
        if (!fill_element(schema, entry.value(), at.entry(entry.key()), depth)) return false;
      }
    } else if (value.is_array() && schema.shape == Shape::List && schema.element != nullptr) {
      text::Array& list = value.get_array();
      for (size_t i = 0; i < list.size(); ++i) {
        if (!fill_element(schema, list[i], at.element(i), depth)) return false;
      }
    }
    return true;
  }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  bool fill_object(const Schema& schema, text::Object& object, const ValuePath& at, size_t depth) {
    fields_ += schema.fields.size();
    if (fields_ > kMaxDefaultFields) {
      return fail(at, "the objects have more than " + std::to_string(kMaxDefaultFields) +
                          " fields that could have defaults: write shorter lists");
    }
    for (const SchemaField& field : schema.fields) {
      if (!field.fallback) continue;
      text::Value* given = object.if_contains(field.name);
      if (given != nullptr && (!given->is_null() || field.nullable)) continue;
      if (!pay(at, field.name.size() + rough_size(*field.fallback))) return false;
      if (given == nullptr) {
        object.emplace(field.name, *field.fallback);
      } else {
        *given = *field.fallback;
      }
    }
    for (auto& member : object) {
      if (!member.value().is_structured()) continue;
      const SchemaField* field = schema.find(member.key());
      if (field != nullptr && !fill(*field->type, member.value(), at.member(field->name), depth + 1)) return false;
    }
    return true;
  }

  bool fill_element(const Schema& schema, text::Value& element, const ValuePath& at, size_t depth) {
    if (element.is_null() && !schema.element_nullable && schema.element_fallback) {
      if (!pay(at, rough_size(*schema.element_fallback))) return false;
      element = *schema.element_fallback;
    }
    return fill(*schema.element, element, at, depth + 1);
  }

  bool pay(const ValuePath& at, size_t bytes) {
    return growth_.add(bytes) || fail(at, "with its defaults the object grows by more than " +
                                              std::to_string(kMaxFilledBytes) + " bytes: write shorter lists");
  }

  bool fail(const ValuePath& at, const std::string& why) {
    error_ = at.text() + ": " + why;
    return false;
  }

  FillBudget growth_;
  size_t fields_ = 0;
  std::string error_;
};

}  // namespace

Result<void> apply_defaults(const Schema& schema, text::Value& object) {
  Filler filler;
  if (filler.fill(schema, object, ValuePath::root(), 0)) return {};
  return failure(ErrorCode::Unsupported, filler.error());
}

}  // namespace basalt::api
