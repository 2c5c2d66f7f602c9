// Which keywords an openAPIV3Schema may have: the second half of structural_rules.h.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "kube/api/object_fields.h"
#include "kube/api/schema/structural_rules.h"

namespace basalt::api {
namespace {

// What the place of a schema forbids in it.
struct Surroundings {
  std::string_view no_default;  // "": a default is allowed
  bool inside_metadata = false;
};

bool is_given(const text::Object& s, std::string_view key) {
  const text::Value* value = s.if_contains(key);
  return value != nullptr && !value->is_null();
}

std::set<std::string_view> names_in(const text::Array* list) {
  std::set<std::string_view> names;
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    if ((*list)[i].is_string()) names.insert((*list)[i].get_string());
  }
  return names;
}

bool has_line_end(std::string_view text) { return text.find_first_of("\r\n") != std::string_view::npos; }
bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

class KeywordRules {
 public:
  explicit KeywordRules(Causes& causes) : causes_(causes) {}

  void schema(const text::Object& s, const ValuePath& at, bool root, const Surroundings& around, size_t depth) {
    if (depth > kMaxSchemaDepth || causes_.list().size() >= kMaxSchemaCauses) return;
    unsupported(s, at, around);
    additional_properties(s, at, around, depth);
    if (const text::Object* properties = object_at(s, {"properties"})) {
      const ValuePath below = at.member("properties");
      for (const auto& property : *properties) {
        if (property.value().is_object()) {
          schema(property.value().get_object(), below.entry(property.key()), false,
                 within(s, property.key(), root, around), depth + 1);
        }
      }
    }
    if (const text::Object* none = object_at(s, {"not"})) schema(*none, at.member("not"), false, around, depth + 1);
    for (const char* junctor : {"allOf", "oneOf", "anyOf"}) {
      const text::Array* list = array_at(s, {junctor});
      const ValuePath below = at.member(junctor);
      for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
        if ((*list)[i].is_object()) schema((*list)[i].get_object(), below.element(i), false, around, depth + 1);
      }
    }
    if (const text::Object* items = object_at(s, {"items"})) {
      schema(*items, at.member("items"), false, around, depth + 1);
    }
    map_and_list_types(s, at);
    if (string_at(s, "x-kubernetes-list-type") == "map") list_map(s, at);
    keys_of_list(s, at);
    rules(s, at);
  }

 private:
  static Surroundings within(const text::Object& owner, std::string_view property, bool root, Surroundings around) {
    const bool resource = root || bool_at(owner, {"x-kubernetes-embedded-resource"});
    if (!resource || (property != "metadata" && property != "kind" && property != "apiVersion")) return around;
    around.inside_metadata = true;
    if (root) {
      around.no_default = property == "metadata" ? "in top-level metadata"
                          : property == "kind"   ? "in top-level kind"
                                                 : "in top-level apiVersion";
    }
    return around;
  }

  void unsupported(const text::Object& s, const ValuePath& at, const Surroundings& around) {
    const std::string_view type = string_at(s, "type");
    static const std::vector<std::string> kTypes = {"array", "boolean", "integer", "number", "object", "string"};
    if (!type.empty() && std::ranges::find(kTypes, type) == kTypes.end()) {
      causes_.not_supported(at.member("type").bracket_text(), text::Value(type), kTypes);
    }
    if (type == "null") {
      causes_.forbidden(at.member("type").bracket_text(), "type cannot be set to null, use nullable as an alternative");
    }
    if (is_given(s, "default") && !around.no_default.empty()) {
      causes_.forbidden(at.member("default").bracket_text(), "must not be set " + std::string(around.no_default));
    }
    for (const char* key : {"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"}) {
      const text::Value* value = s.if_contains(key);
      if (value == nullptr || value->is_null() || (value->is_object() && value->get_object().empty())) continue;
      causes_.forbidden(at.member(key).bracket_text(), std::string(key) + " is not supported");
    }
    if (array_at(s, {"items"}) != nullptr) {
      causes_.forbidden(at.member("items").bracket_text(), "items must be a schema object and not an array");
    }
    if (around.inside_metadata && bool_at(s, {"x-kubernetes-embedded-resource"})) {
      causes_.forbidden(at.member("x-kubernetes-embedded-resource").bracket_text(),
                        "must not be used inside of resource meta");
    }
    if (bool_at(s, {"uniqueItems"})) {
      causes_.forbidden(at.member("uniqueItems").bracket_text(),
                        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
    const text::Value* preserve = s.if_contains("x-kubernetes-preserve-unknown-fields");
    if (preserve != nullptr && preserve->is_bool() && !preserve->get_bool()) {
      causes_.invalid(at.member("x-kubernetes-preserve-unknown-fields").bracket_text(), *preserve,
                      "must be true or undefined");
    }
  }

  void additional_properties(const text::Object& s, const ValuePath& at, Surroundings around, size_t depth) {
    if (!is_given(s, "additionalProperties")) return;
    const text::Value& additional = *s.if_contains("additionalProperties");
    const text::Object* properties = object_at(s, {"properties"});
    const bool allows_all = additional.is_bool() && additional.get_bool();
    if (properties != nullptr && !properties->empty() && !allows_all) {
      causes_.forbidden(at.member("additionalProperties").bracket_text(),
                        "additionalProperties and properties are mutual exclusive");
    }
    if (around.inside_metadata) around.no_default = "inside additionalProperties applying to object metadata";
    if (additional.is_object()) {
      schema(additional.get_object(), at.member("additionalProperties"), false, around, depth + 1);
    }
  }

  void map_and_list_types(const text::Object& s, const ValuePath& at) {
    struct Extension {
      const char* key;
      std::string_view type;
      std::vector<std::string> allowed;
    };
    static const std::array<Extension, 2> kExtensions = {{
        {.key = "x-kubernetes-map-type", .type = "object", .allowed = {"atomic", "granular"}},
        {.key = "x-kubernetes-list-type", .type = "array", .allowed = {"atomic", "set", "map"}},
    }};
    const std::string_view type = string_at(s, "type");
    for (const Extension& extension : kExtensions) {
      if (!is_given(s, extension.key)) continue;
      const std::string_view value = string_at(s, extension.key);
      const std::string why = "must be " + std::string(extension.type) + " if " + extension.key + " is specified";
      if (type.empty()) {
        causes_.required(at.member("type").bracket_text(), why);
      } else if (type != extension.type) {
        causes_.invalid(at.member("type").bracket_text(), text::Value(type), why);
      }
      if (std::ranges::find(extension.allowed, value) == extension.allowed.end()) {
        causes_.not_supported(at.member(extension.key).bracket_text(), text::Value(value), extension.allowed);
      }
    }
    const text::Object* items = object_at(s, {"items"});
    if (type != "array" || items == nullptr || string_at(s, "x-kubernetes-list-type") != "set") return;
    const std::string_view item_type = string_at(*items, "type");
    const char* key = item_type == "array" ? "x-kubernetes-list-type" : "x-kubernetes-map-type";
    const std::string_view merge = string_at(*items, key);
    if ((item_type == "array" && !merge.empty() && merge != "atomic") || (item_type == "object" && merge != "atomic")) {
      causes_.invalid(at.member("items").member(key).bracket_text(), text::Value(merge),
                      "must be atomic as item of a list with x-kubernetes-list-type=set");
    }
  }

  void keys_of_list(const text::Object& s, const ValuePath& at) {
    const text::Array* keys = array_at(s, {"x-kubernetes-list-map-keys"});
    const std::string_view type = string_at(s, "x-kubernetes-list-type");
    const ValuePath type_at = at.member("x-kubernetes-list-type");
    constexpr std::string_view kWhy = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (keys != nullptr && !keys->empty() && type != "map") {
      if (!is_given(s, "x-kubernetes-list-type")) {
        causes_.required(type_at.bracket_text(), kWhy);
      } else {
        causes_.invalid(type_at.bracket_text(), text::Value(type), kWhy);
      }
    }
    const text::Object* items = object_at(s, {"items"});
    if (items != nullptr && (type == "set" || type == "map") && bool_at(*items, {"nullable"})) {
      causes_.forbidden(at.member("items").member("nullable").bracket_text(),
                        "cannot be nullable when x-kubernetes-list-type is " + std::string(type));
    }
  }

  void list_map(const text::Object& s, const ValuePath& at) {
    const text::Array* keys = array_at(s, {"x-kubernetes-list-map-keys"});
    const text::Object* items = object_at(s, {"items"});
    const ValuePath keys_at = at.member("x-kubernetes-list-map-keys");
    const ValuePath items_at = at.member("items");
    if (keys == nullptr || keys->empty()) {
      causes_.required(keys_at.bracket_text(), "must not be empty if x-kubernetes-list-type is map");
    }
    if (items == nullptr) {
      causes_.required(items_at.bracket_text(), "must have a schema if x-kubernetes-list-type is map");
      return;
    }
    if (string_at(*items, "type") != "object") {
      causes_.invalid(items_at.member("type").bracket_text(), text::Value(string_at(*items, "type")),
                      "must be object if parent array's x-kubernetes-list-type is map");
      return;
    }
    std::set<std::string_view> seen;
    const std::set<std::string_view> required = names_in(array_at(*items, {"required"}));
    for (size_t i = 0; keys != nullptr && i < keys->size(); ++i) {
      if (causes_.list().size() >= kMaxSchemaCauses) return;  // each may show all keys
      const std::string_view key = (*keys)[i].is_string() ? std::string_view((*keys)[i].get_string()) : "";
      if (!seen.insert(key).second) {
        causes_.invalid(keys_at.bracket_text(), text::Value(*keys), "must not contain duplicate entries");
      }
      const text::Object* properties = object_at(*items, {"properties"});
      const text::Object* property = properties == nullptr ? nullptr : object_at(*properties, {key});
      if (property == nullptr) {
        causes_.invalid(keys_at.bracket_text(), text::Value(*keys), "entries must all be names of item properties");
      } else {
        const ValuePath below = items_at.member("properties");
        key_property(*items, required.contains(key), *property, below.entry(key));
      }
    }
  }

  void key_property(const text::Object& items, bool required, const text::Object& property, const ValuePath& at) {
    const std::string_view type = string_at(property, "type");
    if (type == "array" || type == "object") {
      causes_.invalid(at.member("type").bracket_text(), text::Value(string_at(items, "type")),
                      "must be a scalar type if parent array's x-kubernetes-list-type is map");
    }
    if (!is_given(property, "default") && !required) {
      causes_.required(at.member("default").bracket_text(),
                       "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required "
                       "property");
    }
    if (bool_at(property, {"nullable"})) {
      causes_.forbidden(at.member("nullable").bracket_text(),
                        "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
    }
  }

  // CEL rules are not evaluated, but what is wrong with them without reading the expression is said.
  void rules(const text::Object& s, const ValuePath& at) {
    static const std::vector<std::string> kReasons = {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid",
                                                      "FieldValueRequired"};
    const text::Array* list = array_at(s, {"x-kubernetes-validations"});
    const ValuePath below = at.member("x-kubernetes-validations");
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      if (!(*list)[i].is_object()) continue;
      const text::Object& rule = (*list)[i].get_object();
      const ValuePath here = below.element(i);
      const std::string_view message = string_at(rule, "message");
      if (is_blank(string_at(rule, "rule"))) {
        causes_.required(here.member("rule").bracket_text(), "rule is not specified");
      } else if (!message.empty() && is_blank(message)) {
        causes_.invalid(here.member("message").bracket_text(), text::Value(message), "must be non-empty if specified");
      } else if (has_line_end(message)) {
        causes_.invalid(here.member("message").bracket_text(), text::Value(message), "must not contain line breaks");
      } else if (has_line_end(string_at(rule, "rule")) && message.empty()) {
        causes_.required(here.member("message").bracket_text(),
                         "message must be specified if rule contains line breaks");
      }
      const std::string_view reason = string_at(rule, "reason");
      if (!reason.empty() && std::ranges::find(kReasons, reason) == kReasons.end()) {
        causes_.not_supported(here.member("reason").bracket_text(), text::Value(reason), kReasons);
      }
    }
  }

  Causes& causes_;
};

}  // namespace

void check_keywords(const text::Object& schema, const ValuePath& at, Causes& causes) {
  if (bool_at(schema, {"nullable"})) {
    causes.forbidden(at.member("nullable").bracket_text(), "nullable cannot be true at the root");
  }
  KeywordRules(causes).schema(schema, at, true, {}, 0);
}

}  // namespace basalt::api
