#include "kube/api/schema/structural_rules.h"

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "kube/api/object_fields.h"
#include "kube/api/schema/pattern.h"

namespace basalt::api {
namespace {

enum class NodeLevel : uint8_t { Root, Item, Field };

constexpr const char* kPreserve = "x-kubernetes-preserve-unknown-fields";
constexpr const char* kEmbedded = "x-kubernetes-embedded-resource";
constexpr const char* kIntOrString = "x-kubernetes-int-or-string";

// anyOf: [{type: integer}, {type: string}] and nothing else: the one place where a nested type may stand.
bool is_int_or_string(const text::Array* any_of) {
  if (any_of == nullptr || any_of->size() != 2) return false;
  const auto only_type = [](const text::Value& value, std::string_view type) {
    return value.is_object() && value.get_object().size() == 1 && string_at(value.get_object(), "type") == type;
  };
  return only_type((*any_of)[0], "integer") && only_type((*any_of)[1], "string");
}

class StructureRules {
 public:
  explicit StructureRules(Causes& causes) : causes_(causes) {}

  void structure(const text::Object& s, NodeLevel level, const ValuePath& at, size_t depth) {
    if (enough(at, depth)) return;
    const std::string_view type = string_at(s, "type");
    if (type == "array" && object_at(s, {"items"}) == nullptr && array_at(s, {"items"}) == nullptr) {
      causes_.required(at.member("items").bracket_text(), "must be specified");
    }
    children(s, level, at, depth);
    if (bool_at(s, {kIntOrString})) {
      for (const char* other : {kPreserve, kEmbedded}) {
        if (bool_at(s, {other})) {
          causes_.invalid(at.member(other).bracket_text(), text::Value(true),
                          "must be false if x-kubernetes-int-or-string is true");
        }
      }
    }
    const text::Array* all_of = array_at(s, {"allOf"});
    const bool skip_first = all_of != nullptr && !all_of->empty() && all_of->front().is_object() &&
                            is_int_or_string(array_at(all_of->front().get_object(), {"anyOf"}));
    validation(s, is_int_or_string(array_at(s, {"anyOf"})), skip_first, at, depth);
    type_rules(s, level, at);
    metadata_rules(s, level, at);
  }

  // Every field that a validation at the root speaks about must be part of the structure.
  void completeness(const text::Object& validation, const text::Object* structure, const ValuePath& structure_at,
                    const ValuePath& at, size_t depth) {
    if (enough(at, depth)) return;
    if (const text::Object* none = object_at(validation, {"not"})) {
      complete_nested(none, structure, structure_at, at.member("not"), depth + 1);
    }
    for (const char* junctor : {"allOf", "anyOf", "oneOf"}) {
      const text::Array* list = array_at(validation, {junctor});
      const ValuePath below = at.member(junctor);
      for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
        complete_nested((*list)[i].if_object(), structure, structure_at, below.element(i), depth + 1);
      }
    }
  }

 private:
  bool enough(const ValuePath& at, size_t depth) {
    if (depth <= kMaxSchemaDepth) return causes_.list().size() >= kMaxSchemaCauses;
    causes_.forbidden(at.bracket_text(), "the schema is nested too deeply");
    return true;
  }

  void children(const text::Object& s, NodeLevel level, const ValuePath& at, size_t depth) {
    if (const text::Object* items = object_at(s, {"items"})) {
      structure(*items, NodeLevel::Item, at.member("items"), depth + 1);
    }
    if (const text::Object* properties = object_at(s, {"properties"})) {
      const ValuePath below = at.member("properties");
      for (const auto& property : *properties) {
        if (property.value().is_object()) {
          structure(property.value().get_object(), NodeLevel::Field, below.entry(property.key()), depth + 1);
        }
      }
    }
    const text::Value* additional = s.if_contains("additionalProperties");
    if (additional == nullptr || additional->is_null()) return;
    if (level == NodeLevel::Root) {
      causes_.forbidden(at.member("additionalProperties").bracket_text(), "must not be used at the root");
    }
    if (bool_at(s, {kEmbedded})) {
      causes_.forbidden(at.member("additionalProperties").bracket_text(),
                        "must not be used if x-kubernetes-embedded-resource is set");
    }
    if (additional->is_object()) {
      structure(additional->get_object(), NodeLevel::Field, at.member("additionalProperties"), depth + 1);
    }
  }

  void type_rules(const text::Object& s, NodeLevel level, const ValuePath& at) {
    const std::string_view type = string_at(s, "type");
    const ValuePath type_at = at.member("type");
    if (bool_at(s, {kEmbedded}) && type != "object") {
      constexpr std::string_view kWhy = "must be object if x-kubernetes-embedded-resource is true";
      if (type.empty()) {
        causes_.required(type_at.bracket_text(), kWhy);
      } else {
        causes_.invalid(type_at.bracket_text(), text::Value(type), kWhy);
      }
    } else if (type.empty() && !bool_at(s, {kIntOrString}) && !bool_at(s, {kPreserve})) {
      causes_.required(type_at.bracket_text(), level == NodeLevel::Root ? "must not be empty at the root"
                                               : level == NodeLevel::Item
                                                   ? "must not be empty for specified array items"
                                                   : "must not be empty for specified object fields");
    }
    if (level == NodeLevel::Root && !type.empty() && type != "object") {
      causes_.invalid(type_at.bracket_text(), text::Value(type), "must be object at the root");
    }
  }

  void metadata_rules(const text::Object& s, NodeLevel level, const ValuePath& at) {
    const text::Object* properties = object_at(s, {"properties"});
    const bool resource = level == NodeLevel::Root || bool_at(s, {kEmbedded});
    const ValuePath below = at.member("properties");
    if (bool_at(s, {kEmbedded}) && !bool_at(s, {kPreserve}) && (properties == nullptr || properties->empty())) {
      causes_.required(below.bracket_text(),
                       "must not be empty if x-kubernetes-embedded-resource is true without "
                       "x-kubernetes-preserve-unknown-fields");
    }
    if (properties == nullptr) return;
    for (const auto& [name, wanted] : {std::pair{"kind", "string"}, {"apiVersion", "string"}, {"metadata", "object"}}) {
      const text::Object* field = object_at(*properties, {name});
      if (field == nullptr || !resource || string_at(*field, "type") == wanted) continue;
      causes_.invalid(below.entry(name).member("type").bracket_text(), text::Value(string_at(*field, "type")),
                      "must be " + std::string(wanted));
    }
    const text::Object* metadata = object_at(*properties, {"metadata"});
    if (metadata != nullptr && level == NodeLevel::Root && !is_plain_metadata(*metadata)) {
      causes_.forbidden(below.entry("metadata").bracket_text(),
                        "must not specify anything other than name and generateName, but metadata is implicitly "
                        "specified");
    }
  }

  static bool is_plain_metadata(const text::Object& metadata) {
    for (const auto& member : metadata) {
      const std::string_view key = member.key();
      if (key == "type" || key == "default") continue;
      if (key != "properties" || !member.value().is_object()) return false;
      for (const auto& property : member.value().get_object()) {
        const std::string_view name = property.key();
        if (name != "name" && name != "generateName") return false;
      }
    }
    return true;
  }

  void validation(const text::Object& v, bool skip_any_of, bool skip_first_all_of, const ValuePath& at, size_t depth) {
    for (const char* junctor : {"anyOf", "allOf", "oneOf"}) {
      const std::string_view word = junctor;
      const text::Array* list = array_at(v, {junctor});
      if (list == nullptr || (word == "anyOf" && skip_any_of)) continue;
      const ValuePath below = at.member(junctor);
      for (size_t i = 0; i < list->size(); ++i) {
        nested((*list)[i].if_object(), word == "allOf" && skip_first_all_of && i == 0, below.element(i), depth + 1);
      }
    }
    nested(object_at(v, {"not"}), false, at.member("not"), depth + 1);
    const std::string_view pattern = string_at(v, "pattern");
    if (pattern.empty()) return;
    const auto [known, is_new] = pattern_faults_.try_emplace(pattern);
    if (is_new) {
      if (const auto compiled = Pattern::compile(pattern); !compiled) known->second = compiled.error().message;
    }
    if (known->second.empty()) return;
    causes_.invalid(at.member("pattern").bracket_text(), text::Value(pattern),
                    "must be a valid regular expression, but isn't: " + known->second);
  }

  void nested(const text::Object* v, bool skip_any_of, const ValuePath& at, size_t depth) {
    if (v == nullptr || enough(at, depth)) return;
    validation(*v, skip_any_of, false, at, depth);
    nested(object_at(*v, {"items"}), false, at.member("items"), depth + 1);
    if (const text::Object* properties = object_at(*v, {"properties"})) {
      const ValuePath below = at.member("properties");
      for (const auto& property : *properties) {
        nested(property.value().if_object(), false, below.entry(property.key()), depth + 1);
      }
      if (properties->contains("metadata")) {
        causes_.forbidden(below.entry("metadata").bracket_text(), "must not be specified in a nested context");
      }
    }
    forbid_structure(*v, at);
  }

  void forbid_structure(const text::Object& v, const ValuePath& at) {
    const auto forbid = [&](const char* key, const char* why) {
      causes_.forbidden(at.member(key).bracket_text(), why);
    };
    for (const char* key : {"type", "title", "description"}) {
      if (!string_at(v, key).empty()) forbid(key, "must be empty to be structural");
    }
    for (const char* key : {"nullable", kPreserve, kEmbedded, kIntOrString}) {
      if (bool_at(v, {key})) forbid(key, "must be false to be structural");
    }
    for (const char* key : {"x-kubernetes-list-map-keys", "x-kubernetes-validations"}) {
      const text::Array* list = array_at(v, {key});
      if (list != nullptr && !list->empty()) forbid(key, "must be empty to be structural");
    }
    for (const char* key : {"default", "x-kubernetes-list-type", "x-kubernetes-map-type"}) {
      const text::Value* value = v.if_contains(key);
      if (value != nullptr && !value->is_null()) forbid(key, "must be undefined to be structural");
    }
    const text::Value* additional = v.if_contains("additionalProperties");
    if (additional != nullptr && (additional->is_object() || (additional->is_bool() && additional->get_bool()))) {
      forbid("additionalProperties", "must be undefined to be structural");
    }
  }

  void complete_nested(const text::Object* v, const text::Object* s, const ValuePath& s_at, const ValuePath& at,
                       size_t depth) {
    if (v == nullptr) return;
    if (s == nullptr) {
      causes_.required(s_at.bracket_text(), "because it is defined in " + at.bracket_text());
      return;
    }
    completeness(*v, s, s_at, at, depth);
    if (const text::Object* items = object_at(*v, {"items"})) {
      complete_nested(items, object_at(*s, {"items"}), s_at.member("items"), at.member("items"), depth + 1);
    }
    const text::Object* properties = object_at(*v, {"properties"});
    if (properties == nullptr) return;
    const text::Object* known = object_at(*s, {"properties"});
    const ValuePath s_below = s_at.member("properties");
    const ValuePath below = at.member("properties");
    for (const auto& property : *properties) {
      const text::Value* same = known == nullptr ? nullptr : known->if_contains(property.key());
      complete_nested(property.value().if_object(), same == nullptr ? nullptr : same->if_object(),
                      s_below.entry(property.key()), below.entry(property.key()), depth + 1);
    }
  }

  Causes& causes_;
  std::map<std::string_view, std::string> pattern_faults_;  // of each pattern seen; "": it is right
};

}  // namespace

void check_structure(const text::Object& schema, const ValuePath& at, Causes& causes) {
  StructureRules rules(causes);
  rules.structure(schema, NodeLevel::Root, at, 0);
  rules.completeness(schema, &schema, at, at, 0);
}

}  // namespace basalt::api
