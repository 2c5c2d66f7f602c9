#include "kube/api/apply/typed_value.h"

#include <fmt/format.h>

#include <algorithm>

namespace basalt::api {
namespace {

using text::Array;
using text::Object;
using text::Value;

bool is_scalar(const Value& value) { return !value.is_null() && !value.is_array() && !value.is_object(); }

// A key that is not given has its default; in built-in kinds, a field that is always written has the empty value.
std::optional<Value> default_key(const Schema& list, std::string_view key) {
  if (list.element == nullptr || list.element->shape != Shape::Object) return std::nullopt;
  const SchemaField* field = list.element->find(key);
  if (field == nullptr || field->fallback || field->when_empty != WhenEmpty::Write) {
    return field == nullptr ? std::nullopt : field->fallback;
  }
  switch (field->type->shape) {
    case Shape::String:
      return "";
    case Shape::Bool:
      return false;
    case Shape::Int32:
    case Shape::Int64:
      return 0;
    default:
      return std::nullopt;
  }
}

std::string scalar_error(Shape shape, const Value& value) {
  if (value.is_null()) return "";
  switch (shape) {
    case Shape::Bool:
      return value.is_bool() ? "" : "expected boolean, got " + text::describe(value);
    case Shape::Int32:
    case Shape::Int64:
    case Shape::Number:
      return value.is_number() ? "" : "expected numeric (int or float), got " + text::describe(value);
    case Shape::Quantity:
    case Shape::IntOrString:
      return is_scalar(value) ? "" : "expected any scalar, got " + text::describe(value);
    default:
      return value.is_string() ? "" : "expected string, got " + text::describe(value);
  }
}

std::string type_error(FieldArena& arena, const Schema* type, const Value& value, std::string& path);

std::string list_error(FieldArena& arena, const Schema& list, const Array& elements, std::string& path) {
  std::vector<PathElement> seen;
  for (size_t i = 0; i < elements.size(); ++i) {
    PathElement name{.kind = PathElementKind::Index, .text = {}};
    if (list.list_type != ListType::Atomic) {
      const auto named = name_element(arena, list, elements[i]);
      if (!named) return fmt::format("{}: element {}: associative list has an element without a key", path, i);
      name = *named;
      seen.push_back(name);
    } else {
      name.text = arena.keep(fmt::to_string(i));
    }
    const size_t length = path.size();
    append_readable(path, name);
    if (std::string error = type_error(arena, list.element, elements[i], path); !error.empty()) return error;
    path.resize(length);
  }
  const auto before = [](const PathElement& a, const PathElement& b) { return order_of(a, b) < 0; };
  std::ranges::sort(seen, before);
  const auto twice = std::ranges::adjacent_find(seen);
  if (twice == seen.end()) return "";
  std::string error = path + ": duplicate entries for key ";
  append_readable(error, *twice);
  return error;
}

std::string map_error(FieldArena& arena, const Schema& type, const Object& object, std::string& path) {
  for (const auto& member : object) {
    const size_t length = path.size();
    append_readable(path, {.kind = PathElementKind::Field, .text = member.key()});
    const bool known = type.shape != Shape::Object || type.preserve_unknown || type.element != nullptr ||
                       type.find(member.key()) != nullptr;
    if (!known) return path + ": field not declared in schema";
    std::string error = type_error(arena, member_type(&type, member.key()), member.value(), path);
    if (!error.empty()) return error;
    path.resize(length);
  }
  return "";
}

std::string type_error(FieldArena& arena, const Schema* type, const Value& value, std::string& path) {
  if (type == nullptr || type->shape == Shape::Any || value.is_null()) return "";
  switch (form_of(type, &value)) {
    case ValueForm::Map:
      if (!value.is_object()) return path + ": expected map, got " + text::describe(value);
      return map_error(arena, *type, value.get_object(), path);
    case ValueForm::List:
      if (!value.is_array()) return path + ": expected list, got " + text::describe(value);
      return list_error(arena, *type, value.get_array(), path);
    case ValueForm::Scalar:
      break;
  }
  const std::string error = scalar_error(type->shape, value);
  return error.empty() ? "" : path + ": " + error;
}

}  // namespace

ValueForm form_of(const Schema* type, const Value* value) {
  switch (type == nullptr ? Shape::Any : type->shape) {
    case Shape::Object:
    case Shape::Map:
      return ValueForm::Map;
    case Shape::List:
      return ValueForm::List;
    case Shape::Any:
      break;
    default:
      return ValueForm::Scalar;
  }
  if (value == nullptr || value->is_null() || value->is_object()) return ValueForm::Map;
  return value->is_array() ? ValueForm::List : ValueForm::Scalar;
}

bool owned_whole(const Schema* type, ValueForm form) {
  if (form == ValueForm::Scalar) return true;
  if (type == nullptr) return form == ValueForm::List;
  if (type->shape == Shape::Any) return form == ValueForm::List || type->atomic;
  return form == ValueForm::List ? type->list_type == ListType::Atomic : type->atomic;
}

const Schema* member_type(const Schema* type, std::string_view name) {
  if (type == nullptr || type->shape == Shape::Any) return nullptr;
  if (type->shape == Shape::Map) return type->element;
  const SchemaField* field = type->find(name);
  return field == nullptr ? type->element : field->type;
}

const Schema* element_type(const Schema* list) {
  return list == nullptr || list->shape != Shape::List ? nullptr : list->element;
}

bool names_field(const Schema* type, std::string_view name) {
  return type != nullptr && type->shape == Shape::Object && type->find(name) != nullptr;
}

std::optional<PathElement> name_element(FieldArena& arena, const Schema& list, const Value& element) {
  constexpr size_t kUsualLength = 64;
  std::string text;
  text.reserve(kUsualLength);
  if (list.list_type == ListType::Set) {
    if (!is_scalar(element)) return std::nullopt;
    append_canonical(text, element);
    return PathElement{.kind = PathElementKind::Value, .text = arena.keep(text)};
  }
  if (!element.is_object()) return std::nullopt;
  const auto append = [&](std::string_view key) {
    const Value* given = element.get_object().if_contains(key);
    const std::optional<Value> absent = given == nullptr ? default_key(list, key) : std::nullopt;
    if (given == nullptr && !absent) return;
    text.push_back(text.empty() ? '{' : ',');
    append_canonical_string(text, key);
    text.push_back(':');
    append_canonical(text, given == nullptr ? *absent : *given);
  };
  if (std::ranges::is_sorted(list.list_keys)) {
    for (const std::string& key : list.list_keys) append(key);
  } else {
    std::vector<std::string_view> keys(list.list_keys.begin(), list.list_keys.end());
    std::ranges::sort(keys);
    for (const std::string_view key : keys) append(key);
  }
  if (text.empty()) return std::nullopt;
  text.push_back('}');
  return PathElement{.kind = PathElementKind::Key, .text = arena.keep(text)};
}

std::vector<NamedElement> name_elements(FieldArena& arena, const Schema& list, const Array& elements) {
  std::vector<NamedElement> out;
  out.reserve(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    if (const auto name = name_element(arena, list, elements[i])) {
      out.push_back({.name = *name, .value = &elements[i], .index = i});
    }
  }
  const auto before = [](const NamedElement& a, const NamedElement& b) { return order_of(a.name, b.name) < 0; };
  if (!std::ranges::is_sorted(out, before)) std::ranges::stable_sort(out, before);
  return out;
}

bool equal_values(const Value& left, const Value& right) {
  if (left.is_number() && right.is_number() && left.is_double() != right.is_double()) {
    return left.to_number<double>() == right.to_number<double>();
  }
  if (left.is_array() && right.is_array()) {
    return std::ranges::equal(left.get_array(), right.get_array(), equal_values);
  }
  if (!left.is_object() || !right.is_object()) return left == right;
  const Object& object = right.get_object();
  if (left.get_object().size() != object.size()) return false;
  return std::ranges::all_of(left.get_object(), [&](const auto& member) {
    const Value* other = object.if_contains(member.key());
    return other != nullptr && equal_values(member.value(), *other);
  });
}

std::string find_type_error(const Schema& type, const Value& value) {
  FieldArena arena;
  std::string path;
  return type_error(arena, &type, value, path);
}

}  // namespace basalt::api
