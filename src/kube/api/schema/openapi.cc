#include "kube/api/schema/openapi.h"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "kube/api/schema/structural_rules.h"
#include "kube/api/schema/type_language.h"

namespace basalt::api {
namespace {

// `marked`: with x-kubernetes-preserve-unknown-fields. A schema that only validates keeps everything for the pruning,
// which is nothing that a reader must know.
text::Object written(const Schema& schema, size_t depth, bool marked = true);

text::Value reference(std::string_view name) {
  return text::Object{{"$ref", "#/components/schemas/" + std::string(name)}};
}

text::Value referred(const Schema& schema, size_t depth, bool marked) {
  if (!schema.name.empty()) return reference(schema.name);
  return written(schema, depth + 1, marked);
}

text::Value number(double value) {
  constexpr double kExact = 9007199254740992.0;
  if (std::trunc(value) == value && std::abs(value) <= kExact) return static_cast<int64_t>(value);
  return value;
}

void write_type(const Schema& schema, text::Object& out) {
  const auto type = [&](std::string_view name, std::string_view format = {}) {
    out["type"] = name;
    if (!format.empty()) out["format"] = format;
  };
  switch (schema.shape) {
    case Shape::Any:
      break;
    case Shape::Object:
    case Shape::Map:
      type("object");
      break;
    case Shape::List:
      type("array");
      break;
    case Shape::String:
      type("string");
      break;
    case Shape::Int32:
      type("integer", "int32");
      break;
    case Shape::Int64:
      type("integer", "int64");
      break;
    case Shape::Number:
      type("number");
      break;
    case Shape::Bool:
      type("boolean");
      break;
    case Shape::Quantity:
      out["oneOf"] = text::Array{text::Object{{"type", "string"}}, text::Object{{"type", "number"}}};
      break;
    case Shape::IntOrString:
      out["x-kubernetes-int-or-string"] = true;
      break;
    case Shape::Time:
    case Shape::MicroTime:
      type("string", "date-time");
      break;
    case Shape::Bytes:
      type("string", "byte");
      break;
  }
}

void write_markers(const Schema& schema, text::Object& out, bool marked) {
  if (schema.shape == Shape::List && schema.list_type != ListType::Atomic) {
    out["x-kubernetes-list-type"] = schema.list_type == ListType::Set ? "set" : "map";
  } else if (schema.shape == Shape::List && schema.atomic) {
    out["x-kubernetes-list-type"] = "atomic";
  }
  if (!schema.list_keys.empty()) {
    text::Array keys;
    for (const std::string& key : schema.list_keys) keys.emplace_back(key);
    out["x-kubernetes-list-map-keys"] = std::move(keys);
  }
  if (schema.atomic && schema.shape != Shape::List) out["x-kubernetes-map-type"] = "atomic";
  if (schema.preserve_unknown && marked) out["x-kubernetes-preserve-unknown-fields"] = true;
}

text::Array alternatives(const std::vector<const Schema*>& schemas, size_t depth) {
  text::Array list;
  for (const Schema* schema : schemas) list.emplace_back(written(*schema, depth + 1, false));
  return list;
}

void write_junctors(const ValueLimits& limits, text::Object& out, size_t depth) {
  if (!limits.all_of.empty()) out["allOf"] = alternatives(limits.all_of, depth);
  if (!limits.any_of.empty()) out["anyOf"] = alternatives(limits.any_of, depth);
  if (!limits.one_of.empty()) out["oneOf"] = alternatives(limits.one_of, depth);
  if (limits.none_of != nullptr) out["not"] = written(*limits.none_of, depth + 1, false);
}

void describe_limits(const ValueLimits& limits, text::Object& out) {
  const auto count = [&](const char* key, const std::optional<uint64_t>& value) {
    if (value) out[key] = *value;
  };
  if (!limits.allowed.empty()) out["enum"] = text::Array(limits.allowed.begin(), limits.allowed.end());
  if (limits.minimum) out["minimum"] = number(*limits.minimum);
  if (limits.maximum) out["maximum"] = number(*limits.maximum);
  if (limits.exclusive_minimum) out["exclusiveMinimum"] = true;
  if (limits.exclusive_maximum) out["exclusiveMaximum"] = true;
  if (limits.multiple_of) out["multipleOf"] = number(*limits.multiple_of);
  count("minLength", limits.min_length);
  count("maxLength", limits.max_length);
  count("minItems", limits.min_items);
  count("maxItems", limits.max_items);
  count("minProperties", limits.min_properties);
  count("maxProperties", limits.max_properties);
  if (!limits.rules.empty()) {
    text::Array rules;
    for (const CelRule& rule : limits.rules) {
      text::Object written_rule{{"rule", rule.rule}};
      if (!rule.message.empty()) written_rule["message"] = rule.message;
      rules.emplace_back(std::move(written_rule));
    }
    out["x-kubernetes-validations"] = std::move(rules);
  }
  if (!limits.pattern.empty()) out["pattern"] = limits.pattern;
  if (limits.format == kNoFormat) {
    out.erase("format");
  } else if (!limits.format.empty()) {
    out["format"] = limits.format;
  }
}

text::Value property(const SchemaField& field, size_t depth, bool marked) {
  text::Object out;
  const bool named = !field.type->name.empty();
  if (!named) out = written(*field.type, depth + 1, marked);
  if (!field.description.empty()) out["description"] = field.description;
  if (field.fallback) out["default"] = *field.fallback;
  if (field.nullable && marked) out["nullable"] = true;
  if (field.patch_merge) {
    out["x-kubernetes-patch-strategy"] = field.patch_retain_keys ? "merge,retainKeys" : "merge";
    if (!field.patch_merge_key.empty()) out["x-kubernetes-patch-merge-key"] = field.patch_merge_key;
  } else if (field.patch_retain_keys) {
    out["x-kubernetes-patch-strategy"] = "retainKeys";
  }
  if (!named) return out;
  // A reference has no room for anything beside it.
  if (out.empty()) return reference(field.type->name);
  out["allOf"] = text::Array{reference(field.type->name)};
  return out;
}

void write_fields(const Schema& schema, text::Object& out, size_t depth, bool marked) {
  text::Object properties;
  text::Array required;
  for (const SchemaField& field : schema.fields) {
    properties[field.name] = property(field, depth, marked);
    if (field.required) required.emplace_back(field.name);
  }
  if (schema.limits) {
    for (const std::string& name : schema.limits->required_names) required.emplace_back(name);
  }
  if (!properties.empty()) out["properties"] = std::move(properties);
  if (!required.empty()) out["required"] = std::move(required);
}

text::Object written(const Schema& schema, size_t depth, bool marked) {
  text::Object out;
  if (depth > kMaxSchemaDepth) return out;
  if (!schema.description.empty()) out["description"] = schema.description;
  write_type(schema, out);
  if (schema.element != nullptr) {
    text::Value element = referred(*schema.element, depth, marked);
    if (schema.element_nullable && element.is_object() && !element.get_object().contains("$ref") &&
        schema.element->shape != Shape::Any) {
      element.get_object()["nullable"] = true;
    }
    out[schema.shape == Shape::Map || schema.shape == Shape::Object ? "additionalProperties" : "items"] =
        std::move(element);
  }
  write_fields(schema, out, depth, marked);
  write_markers(schema, out, marked);
  if (schema.limits) {
    describe_limits(*schema.limits, out);
    write_junctors(*schema.limits, out, depth);
  }
  return out;
}

}  // namespace

text::Value openapi_of(const Schema& schema) { return written(schema, 0); }

}  // namespace basalt::api
