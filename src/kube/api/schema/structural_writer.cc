#include "kube/api/schema/structural_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "kube/api/schema/type_language.h"

namespace basalt::api {
namespace {

constexpr std::array<std::string_view, 5> kTemplateMeta = {"annotations", "finalizers", "labels", "name", "namespace"};
// Types that contain a reference by name as a part of themselves, which CRDs take for a reason to own them as a whole.
constexpr std::array<std::string_view, 5> kAtomicInTemplates = {
    "io.k8s.api.core.v1.ConfigMapEnvSource", "io.k8s.api.core.v1.SecretEnvSource",
    "io.k8s.api.core.v1.ConfigMapVolumeSource", "io.k8s.api.core.v1.ConfigMapProjection",
    "io.k8s.api.core.v1.SecretProjection"};
// What Kubernetes accepts as a quantity, for CRDs.
constexpr std::string_view kQuantityPattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+)))"
    R"((([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

text::Value number_value(double number) {
  if (std::trunc(number) == number && std::abs(number) < 1e15) return static_cast<int64_t>(number);
  return number;
}

text::Object int_or_string() {
  return {{"anyOf", text::Array{text::Object{{"type", "integer"}}, text::Object{{"type", "string"}}}},
          {"x-kubernetes-int-or-string", true}};
}

text::Object whatever() { return {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}; }

text::Object scalar(Shape shape) {
  switch (shape) {
    case Shape::Int32:
      return {{"type", "integer"}, {"format", "int32"}};
    case Shape::Int64:
      return {{"type", "integer"}, {"format", "int64"}};
    case Shape::Number:
      return {{"type", "number"}};
    case Shape::Bool:
      return {{"type", "boolean"}};
    case Shape::Time:
    case Shape::MicroTime:
      return {{"type", "string"}, {"format", "date-time"}};
    case Shape::Bytes:
      return {{"type", "string"}, {"format", "byte"}};
    case Shape::IntOrString:
      return int_or_string();
    case Shape::Quantity: {
      text::Object quantity = int_or_string();
      quantity["pattern"] = kQuantityPattern;
      return quantity;
    }
    case Shape::Any:
      return whatever();
    case Shape::String:
    case Shape::Object:
    case Shape::Map:
    case Shape::List:
      break;
  }
  return {{"type", "string"}};
}

void write_rules(const std::vector<CelRule>& rules, text::Object& out) {
  if (rules.empty()) return;
  text::Array list;
  for (const CelRule& rule : rules) list.push_back(text::Object{{"rule", rule.rule}, {"message", rule.message}});
  out["x-kubernetes-validations"] = std::move(list);
}

void write_limits(const ValueLimits& limits, text::Object& out) {
  const auto number = [&](const char* name, const std::optional<double>& limit) {
    if (limit) out[name] = number_value(*limit);
  };
  const auto count = [&](const char* name, const std::optional<uint64_t>& limit) {
    if (limit) out[name] = static_cast<int64_t>(*limit);
  };
  if (!limits.allowed.empty()) out["enum"] = text::Array(limits.allowed.begin(), limits.allowed.end());
  number("minimum", limits.minimum);
  number("maximum", limits.maximum);
  number("multipleOf", limits.multiple_of);
  if (limits.exclusive_minimum) out["exclusiveMinimum"] = true;
  if (limits.exclusive_maximum) out["exclusiveMaximum"] = true;
  count("minLength", limits.min_length);
  count("maxLength", limits.max_length);
  count("minItems", limits.min_items);
  count("maxItems", limits.max_items);
  count("minProperties", limits.min_properties);
  count("maxProperties", limits.max_properties);
  if (limits.unique_items) out["uniqueItems"] = true;
  if (!limits.pattern.empty()) out["pattern"] = limits.pattern;
  if (limits.format == kNoFormat) {
    out.erase("format");
  } else if (!limits.format.empty()) {
    out["format"] = limits.format;
  }
  write_rules(limits.rules, out);
}

class StructuralWriter {
 public:
  text::Object type(const Schema& schema) {
    text::Object out = shaped(schema);
    if (schema.limits) write_limits(*schema.limits, out);
    return out;
  }

  void fields(const Schema& schema, text::Object& out) {
    const bool built_in = schema.name.starts_with("io.k8s.");
    text::Object properties;
    text::Array required;
    for (const SchemaField& field : schema.fields) {
      if (schema.name == kObjectMeta && std::ranges::find(kTemplateMeta, field.name) == kTemplateMeta.end()) continue;
      text::Object property = type(*field.type);
      if (schema.name == kObjectMeta) property.erase("x-kubernetes-list-type");  // finalizers: a set only at the top
      if (!field.description.empty()) property["description"] = field.description;
      if (field.nullable) property["nullable"] = true;
      const auto& fallback = built_in ? field.embedded_fallback : field.fallback;
      if (fallback) property["default"] = *fallback;
      if (field.required) required.emplace_back(field.name);
      properties[field.name] = std::move(property);
    }
    if (!required.empty()) out["required"] = std::move(required);
    out["properties"] = std::move(properties);
  }

 private:
  text::Object shaped(const Schema& schema) {
    switch (schema.shape) {
      case Shape::Object:
        return object(schema);
      case Shape::Map: {
        text::Object map{{"type", "object"}, {"additionalProperties", type(*schema.element)}};
        if (schema.atomic) map["x-kubernetes-map-type"] = "atomic";
        return map;
      }
      case Shape::List:
        return list(schema);
      default:
        return scalar(schema.shape);
    }
  }

  text::Object list(const Schema& schema) {
    text::Object list{{"type", "array"}, {"items", type(*schema.element)}};
    if (schema.list_type == ListType::Set) list["x-kubernetes-list-type"] = "set";
    if (schema.list_type == ListType::Map) {
      list["x-kubernetes-list-type"] = "map";
      list["x-kubernetes-list-map-keys"] = text::Array(schema.list_keys.begin(), schema.list_keys.end());
    }
    return list;
  }

  text::Object object(const Schema& schema) {
    if (std::ranges::find(above_, &schema) != above_.end()) return whatever();
    above_.push_back(&schema);
    text::Object object{{"type", "object"}};
    if (!schema.description.empty()) object["description"] = schema.description;
    fields(schema, object);
    if (schema.atomic || std::ranges::find(kAtomicInTemplates, schema.name) != kAtomicInTemplates.end()) {
      object["x-kubernetes-map-type"] = "atomic";
    }
    if (schema.preserve_unknown) object["x-kubernetes-preserve-unknown-fields"] = true;
    if (schema.embedded_resource) object["x-kubernetes-embedded-resource"] = true;
    above_.pop_back();
    return object;
  }

  std::vector<const Schema*> above_;  // the objects around, to notice a type within itself
};

}  // namespace

text::Value structural_schema(const Schema& kind) {
  text::Object out = StructuralWriter().type(kind);
  if (text::Value* properties = out.if_contains("properties"); properties != nullptr && properties->is_object()) {
    properties->get_object()["metadata"] = text::Object{{"type", "object"}};
  }
  return out;
}

}  // namespace basalt::api
