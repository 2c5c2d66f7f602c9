#include "kube/api/schema/struct_reader.h"

#include <cstdint>
#include <limits>
#include <string_view>

#include "kube/api/schema/normalize.h"
#include "kube/api/schema/scalar_forms.h"

namespace basalt::api {
namespace {

std::string_view json_kind(const text::Value& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  if (value.is_bool()) return "bool";
  if (value.is_null()) return "null";
  return "number";
}

// The type as a Go programmer would name it: "bool", "[]string", "PodSpec".
std::string go_type(const Schema& schema, size_t depth = 0) {
  constexpr size_t kDeepest = 4;
  switch (schema.shape) {
    case Shape::Any:
      return "interface {}";
    case Shape::Object: {
      const size_t dot = schema.name.rfind('.');
      return schema.name.empty() ? "struct" : schema.name.substr(dot == std::string::npos ? 0 : dot + 1);
    }
    case Shape::Map:
      return "map[string]" + (schema.element != nullptr && depth < kDeepest ? go_type(*schema.element, depth + 1) : "");
    case Shape::List:
      return "[]" + (schema.element != nullptr && depth < kDeepest ? go_type(*schema.element, depth + 1) : "");
    case Shape::String:
      return "string";
    case Shape::Int32:
      return "int32";
    case Shape::Int64:
      return "int64";
    case Shape::Number:
      return "float64";
    case Shape::Bool:
      return "bool";
    case Shape::Quantity:
      return "resource.Quantity";
    case Shape::IntOrString:
      return "intstr.IntOrString";
    case Shape::Time:
      return "v1.Time";
    case Shape::MicroTime:
      return "v1.MicroTime";
    case Shape::Bytes:
      return "[]uint8";
  }
  return "";
}

bool is_zero(const text::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return true;
    case boost::json::kind::bool_:
      return !value.get_bool();
    case boost::json::kind::int64:
      return value.get_int64() == 0;
    case boost::json::kind::uint64:
      return value.get_uint64() == 0;
    case boost::json::kind::double_:
      return value.get_double() == 0;
    case boost::json::kind::string:
      return value.get_string().empty();
    case boost::json::kind::array:
      return value.get_array().empty();
    case boost::json::kind::object:
      return value.get_object().empty();
  }
  return false;
}

// How much was added, roughly.
size_t write_missing(const Schema& schema, text::Object& object, size_t depth) {
  size_t added = 0;
  for (const SchemaField& field : schema.fields) {
    if (field.when_empty != WhenEmpty::Write || object.contains(field.name)) continue;
    const auto at = object.emplace(field.name, zero_value(*field.type, depth + 1)).first;
    added += field.name.size() + rough_size(at->value());
  }
  return added;
}

// Lists and maps that are empty come back from storage as Go's nil.
bool becomes_null(const Schema& schema, const text::Value& value) {
  return (schema.shape == Shape::List && value.is_array() && value.get_array().empty()) ||
         (schema.shape == Shape::Map && value.is_object() && value.get_object().empty());
}

}  // namespace

text::Value zero_value(const Schema& schema, size_t depth) {
  switch (schema.shape) {
    case Shape::Object: {
      text::Object object;
      // A Go struct cannot hold itself by value, so this ends; the bound is for a schema that says it does.
      if (depth < text::kMaxJsonDepth) (void)write_missing(schema, object, depth);
      return object;
    }
    case Shape::String:
    case Shape::Bytes:
      return "";
    case Shape::Int32:
    case Shape::Int64:
    case Shape::Number:
    case Shape::IntOrString:
      return 0;
    case Shape::Bool:
      return false;
    case Shape::Quantity:
      return "0";
    default:
      return nullptr;
  }
}

bool StructReader::fail_with(const ValuePath& at, std::string_view why) {
  error_ = at.text();
  if (!error_.empty()) error_ += ": ";
  error_ += why;
  return false;
}

bool StructReader::fail(const ValuePath& at, const text::Value& value, std::string_view type) {
  std::string found(json_kind(value));
  if (found == "number" && (type.starts_with("int") || type.starts_with("uint"))) found += " " + text::to_json(value);
  const std::string path = at.text();
  error_ = "json: cannot unmarshal " + found + " into Go " + (path.empty() ? "value" : "struct field " + path) +
           " of type " + std::string(type);
  return false;
}

bool StructReader::grow(const ValuePath& at, size_t bytes) {
  if (growth_.add(bytes)) return true;
  too_large_ = true;
  return fail_with(at, "with the fields that are always written the object grows by more than " +
                           std::to_string(kMaxFilledBytes) + " bytes: write shorter lists");
}

void StructReader::report_unknown(const ValuePath& at, std::string_view key) {
  if (unknown_.size() < kMaxUnknownFields) unknown_.push_back(at.member(key).text());
}

bool StructReader::read(const Schema& schema, text::Value& value, const ValuePath& at, size_t depth) {
  if (depth > text::kMaxJsonDepth) return fail_with(at, "exceeded max depth");
  const auto scalar = [&](const char* why) { return why == nullptr || fail_with(at, why); };
  switch (schema.shape) {
    case Shape::Any:
      return true;
    case Shape::Object:
      return read_object(schema, value, at, depth);
    case Shape::Map:
      return read_map(schema, value, at, depth);
    case Shape::List:
      return read_list(schema, value, at, depth);
    case Shape::String:
      return value.is_string() || fail(at, value, "string");
    case Shape::Bool:
      return value.is_bool() || fail(at, value, "bool");
    case Shape::Int32:
    case Shape::Int64:
    case Shape::Number:
      return read_number(schema, value, at);
    case Shape::IntOrString:
      return value.is_string() || read_number(schema, value, at);
    case Shape::Quantity:
      return scalar(make_canonical_quantity(value));
    case Shape::Time:
      return scalar(make_canonical_time(value));
    case Shape::MicroTime:
      return scalar(make_canonical_micro_time(value));
    case Shape::Bytes:
      return scalar(make_canonical_bytes(value));
  }
  return true;
}

bool StructReader::can_read(const Schema& schema, const text::Value& value, const ValuePath& at, size_t depth) {
  if (depth > text::kMaxJsonDepth) return fail_with(at, "exceeded max depth");
  switch (schema.shape) {
    case Shape::Any:
      return true;
    case Shape::Object:
    case Shape::Map:
      return value.is_object() ? can_read(schema, value.get_object(), at, depth) : fail(at, value, go_type(schema));
    case Shape::List:
      break;
    default: {
      // In a copy; of what is no scalar only the type matters.
      text::Value scalar = value.is_array()    ? text::Value(text::Array())
                           : value.is_object() ? text::Value(text::Object())
                                               : value;
      return read(schema, scalar, at, depth);
    }
  }
  if (!value.is_array()) return fail(at, value, go_type(schema));
  if (schema.element == nullptr) return true;
  const text::Array& list = value.get_array();
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_null() && !can_read(*schema.element, list[i], at.element(i), depth + 1)) return false;
  }
  return true;
}

bool StructReader::can_read(const Schema& schema, const text::Object& object, const ValuePath& at, size_t depth) {
  for (const auto& member : object) {
    if (member.value().is_null()) continue;
    const std::string_view key{member.key().data(), member.key().size()};
    const SchemaField* field = schema.find(key);
    const Schema* type = field != nullptr ? field->type : schema.shape == Shape::Map ? schema.element : nullptr;
    if (type == nullptr) continue;
    const ValuePath place = field != nullptr ? at.member(key) : at.entry(key);
    if (!can_read(*type, member.value(), place, depth + 1)) return false;
  }
  return true;
}

bool StructReader::read_object(const Schema& schema, text::Value& value, const ValuePath& at, size_t depth) {
  if (!value.is_object()) return fail(at, value, go_type(schema));
  text::Object& object = value.get_object();
  for (auto it = object.begin(); it != object.end();) {
    const std::string_view key{it->key().data(), it->key().size()};
    const SchemaField* field = schema.find(key);
    if (field == nullptr) {
      if (schema.preserve_unknown) {
        ++it;
        continue;
      }
      report_unknown(at, key);
      it = object.erase(it);
      continue;
    }
    text::Value& member = it->value();
    if (!member.is_null() && !read(*field->type, member, at.member(key), depth + 1)) return false;
    if (field->type->shape == Shape::Any && !read_nested_schema(schema, key, member, at.member(key), depth + 1)) {
      return false;
    }
    // A null that is left is "not given", or Go's zero time.
    const bool drop = member.is_null() || (field->when_empty == WhenEmpty::Omit && is_zero(member)) ||
                      (field->when_empty == WhenEmpty::Write && becomes_null(*field->type, member));
    it = drop ? object.erase(it) : it + 1;
  }
  return grow(at, write_missing(schema, object, depth));
}

// Two fields of JSONSchemaProps hold either a schema or something else, which the graph of types cannot say.
bool StructReader::read_nested_schema(const Schema& owner, std::string_view key, text::Value& value,
                                      const ValuePath& at, size_t depth) {
  if ((key != "items" && key != "additionalProperties") || !owner.name.ends_with(".JSONSchemaProps")) return true;
  if (value.is_object()) return read(owner, value, at, depth);
  if (key == "additionalProperties") {
    return value.is_bool() || value.is_null() || fail_with(at, "boolean or JSON schema expected");
  }
  if (!value.is_array()) return true;
  for (size_t i = 0; i < value.get_array().size(); ++i) {
    if (!read(owner, value.get_array()[i], at.element(i), depth + 1)) return false;
  }
  return true;
}

bool StructReader::read_map(const Schema& schema, text::Value& value, const ValuePath& at, size_t depth) {
  if (!value.is_object()) return fail(at, value, go_type(schema));
  if (schema.element == nullptr) return true;
  for (auto& entry : value.get_object()) {
    const std::string_view key{entry.key().data(), entry.key().size()};
    if (entry.value().is_null()) {
      entry.value() = zero_value(*schema.element);
      if (!grow(at, rough_size(entry.value()))) return false;
    } else if (!read(*schema.element, entry.value(), at.entry(key), depth + 1)) {
      return false;
    }
  }
  return true;
}

bool StructReader::read_list(const Schema& schema, text::Value& value, const ValuePath& at, size_t depth) {
  if (!value.is_array()) return fail(at, value, go_type(schema));
  if (schema.element == nullptr) return true;
  text::Array& list = value.get_array();
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].is_null()) {
      list[i] = zero_value(*schema.element);
      if (!grow(at, rough_size(list[i]))) return false;
    } else if (!read(*schema.element, list[i], at.element(i), depth + 1)) {
      return false;
    }
  }
  return true;
}

bool StructReader::read_number(const Schema& schema, text::Value& value, const ValuePath& at) {
  if (schema.shape == Shape::Number) {
    make_canonical_number(value);
    return value.is_number() || fail(at, value, "float64");
  }
  const bool wide = schema.shape == Shape::Int64;
  // 5.0 and 5e3 are refused too: Go reads the text as a whole number.
  if (!value.is_int64()) return fail(at, value, wide ? "int64" : "int32");
  const int64_t number = value.get_int64();
  if (wide || (number >= std::numeric_limits<int32_t>::min() && number <= std::numeric_limits<int32_t>::max())) {
    return true;
  }
  return fail(at, value, "int32");
}

}  // namespace basalt::api
