#include "kube/api/schema/structural.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/api/schema/formats.h"
#include "kube/api/schema/normalize.h"
#include "kube/api/schema/pattern.h"
#include "kube/api/schema/structural_rules.h"
#include "kube/api/schema/type_language.h"
#include "kube/api/schema/validate.h"

namespace basalt::api {
namespace {

// For the patterns of a schema: their programs, and the states that matching remembers.
constexpr int64_t kPatternMemory = int64_t{32} * 1024 * 1024;

const text::Value* given(const text::Object& s, std::string_view key) {
  const text::Value* value = s.if_contains(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::optional<double> number_at(const text::Object& s, std::string_view key) {
  const text::Value* value = given(s, key);
  if (value == nullptr) return std::nullopt;
  if (value->is_int64()) return static_cast<double>(value->get_int64());
  if (value->is_uint64()) return static_cast<double>(value->get_uint64());
  if (value->is_double()) return value->get_double();
  return std::nullopt;
}

std::optional<uint64_t> count_at(const text::Object& s, std::string_view key) {
  const text::Value* value = given(s, key);
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->get_int64() < 0 ? 0 : static_cast<uint64_t>(value->get_int64());
}

Shape shape_of(const text::Object& s) {
  const std::string_view type = string_at(s, "type");
  if (bool_at(s, {"x-kubernetes-int-or-string"})) return Shape::IntOrString;
  if (type == "array") return Shape::List;
  if (type == "string") return Shape::String;
  if (type == "integer") return string_at(s, "format") == "int32" ? Shape::Int32 : Shape::Int64;
  if (type == "number") return Shape::Number;
  if (type == "boolean") return Shape::Bool;
  if (type != "object") return Shape::Any;
  const text::Object* properties = object_at(s, {"properties"});
  const bool named = properties != nullptr && !properties->empty();
  return given(s, "additionalProperties") != nullptr && !named ? Shape::Map : Shape::Object;
}

class Compiler {
 public:
  Compiler(SchemaSet& set, Causes& causes, ValidationWork& work) : set_(set), causes_(causes), work_(work) {}

  // Requires: the rules of structural_rules.h hold, so the depth is bounded.
  Schema& structure(const text::Object& s, const ValuePath& at) {
    Schema& out = set_.add("");
    out.shape = shape_of(s);
    out.description = string_at(s, "description");
    out.preserve_unknown = bool_at(s, {"x-kubernetes-preserve-unknown-fields"});
    out.embedded_resource = bool_at(s, {"x-kubernetes-embedded-resource"});
    out.atomic = string_at(s, "x-kubernetes-map-type") == "atomic";
    list_type(s, out);
    if (const text::Object* properties = object_at(s, {"properties"})) {
      const ValuePath below = at.member("properties");
      for (const auto& property : *properties) {
        if (property.value().is_object()) {
          out.fields.push_back(field(property.key(), property.value().get_object(), below.entry(property.key())));
        }
      }
    }
    elements(s, out, at);
    if (out.embedded_resource) add_meta_fields(out);
    std::ranges::sort(out.fields, {}, &SchemaField::name);
    limits(s, out, true);
    return out;
  }

  // apiVersion, kind and metadata; what a CRD says about metadata.name becomes a limit of its own.
  void add_meta_fields(Schema& out) {
    const Schema* written = nullptr;
    for (const char* name : {"apiVersion", "kind", "metadata"}) {
      auto at = std::ranges::find(out.fields, std::string_view(name), &SchemaField::name);
      const bool found = at != out.fields.end();
      if (!found) at = out.fields.insert(out.fields.end(), SchemaField{.name = name});
      if (std::string_view(name) == "metadata") {
        if (found) written = at->type;
        at->type = object_meta();
      } else if (!found) {
        Schema& text = set_.add("");
        text.shape = Shape::String;
        at->type = &text;
      }
    }
    if (written != nullptr && !written->fields.empty()) limits_of(out).metadata = written;
  }

  // After all of the structure: equal patterns are one, and each gets an equal part of the memory for all.
  void set_matchers() {
    std::map<std::string_view, std::shared_ptr<const Pattern>> patterns;
    for (const ValueLimits* limits : with_pattern_) patterns.try_emplace(limits->pattern);
    const int64_t memory = kPatternMemory / std::max<int64_t>(std::ssize(patterns), 1);
    for (ValueLimits* limits : with_pattern_) {
      std::shared_ptr<const Pattern>& shared = patterns.at(limits->pattern);
      if (shared == nullptr) shared = Pattern::compile_later(limits->pattern, memory);
      limits->matcher = shared;
    }
  }

 private:
  const Schema* object_meta() {
    if (object_meta_ == nullptr) object_meta_ = builtin_schemas().find(kObjectMeta);
    if (object_meta_ == nullptr) {
      Schema& any = set_.add("");
      any.preserve_unknown = true;
      object_meta_ = &any;
    }
    return object_meta_;
  }

  static ValueLimits& limits_of(Schema& out) {
    if (!out.limits) out.limits = std::make_unique<ValueLimits>();
    return *out.limits;
  }

  static void list_type(const text::Object& s, Schema& out) {
    const std::string_view type = string_at(s, "x-kubernetes-list-type");
    out.list_type = type == "set" ? ListType::Set : type == "map" ? ListType::Map : ListType::Atomic;
    if (out.list_type != ListType::Map) return;
    const text::Array* keys = array_at(s, {"x-kubernetes-list-map-keys"});
    for (size_t i = 0; keys != nullptr && i < keys->size(); ++i) {
      if ((*keys)[i].is_string()) out.list_keys.emplace_back(std::string_view((*keys)[i].get_string()));
    }
  }

  SchemaField field(std::string_view name, const text::Object& s, const ValuePath& at) {
    const Schema& type = structure(s, at);
    SchemaField out{.name = std::string(name), .type = &type, .description = type.description};
    out.nullable = bool_at(s, {"nullable"});
    if (const text::Value* value = given(s, "default")) {
      check_default(type, *value, out.nullable, at.member("default"));
      out.fallback = *value;
    }
    return out;
  }

  void elements(const text::Object& s, Schema& out, const ValuePath& at) {
    if (const text::Object* items = object_at(s, {"items"})) element(*items, out, at.member("items"));
    const text::Value* additional = given(s, "additionalProperties");
    if (additional == nullptr || (out.shape != Shape::Map && out.shape != Shape::Object)) return;
    if (additional->is_object()) {
      element(additional->get_object(), out, at.member("additionalProperties"));
    } else {
      out.element = &set_.add("");
      out.element_nullable = true;
      if (additional->is_bool() && !additional->get_bool()) limits_of(out).max_properties = 0;
    }
  }

  void element(const text::Object& s, Schema& out, const ValuePath& at) {
    const Schema& type = structure(s, at);
    out.element = &type;
    out.element_nullable = bool_at(s, {"nullable"});
    if (const text::Value* value = given(s, "default")) {
      check_default(type, *value, out.element_nullable, at.member("default"));
      out.element_fallback = *value;
    }
  }

  // A default must be what the schema itself accepts, and nothing of it may be pruned.
  void check_default(const Schema& type, const text::Value& value, bool nullable, const ValuePath& at) {
    text::Value pruned = value;
    const std::string path = at.bracket_text();
    if (!prune_value(type, pruned)) causes_.invalid(path, value, "must not have unknown fields");
    validate_value_at(type, value, path, nullable, work_, causes_);
  }

  // A schema below allOf, anyOf, oneOf or not.
  const Schema* validation(const text::Object& s) {
    Schema& out = set_.add("");
    out.preserve_unknown = true;
    if (const text::Object* properties = object_at(s, {"properties"})) {
      for (const auto& property : *properties) {
        if (!property.value().is_object()) continue;
        out.fields.push_back({.name = std::string(std::string_view(property.key())),
                              .type = validation(property.value().get_object()),
                              .nullable = true});
      }
      std::ranges::sort(out.fields, {}, &SchemaField::name);
    }
    if (const text::Object* items = object_at(s, {"items"})) {
      out.element = validation(*items);
      out.element_nullable = true;
    }
    limits(s, out, false);
    return &out;
  }

  void limits(const text::Object& s, Schema& out, bool structural) {
    ValueLimits found;
    if (const text::Array* allowed = array_at(s, {"enum"})) found.allowed.assign(allowed->begin(), allowed->end());
    found.minimum = number_at(s, "minimum");
    found.maximum = number_at(s, "maximum");
    found.multiple_of = number_at(s, "multipleOf");
    found.exclusive_minimum = bool_at(s, {"exclusiveMinimum"});
    found.exclusive_maximum = bool_at(s, {"exclusiveMaximum"});
    found.min_length = count_at(s, "minLength");
    found.max_length = count_at(s, "maxLength");
    found.min_items = count_at(s, "minItems");
    found.max_items = count_at(s, "maxItems");
    found.min_properties = count_at(s, "minProperties");
    found.max_properties =
        out.limits && out.limits->max_properties ? out.limits->max_properties : count_at(s, "maxProperties");
    found.pattern = string_at(s, "pattern");
    if (out.shape == Shape::String || out.shape == Shape::Any) found.format = string_at(s, "format");
    if (out.shape == Shape::Int64 && string_at(s, "format").empty()) found.format = kNoFormat;
    if (!structural || out.shape != Shape::IntOrString) found.any_of = junctor(s, "anyOf");
    found.all_of = junctor(s, "allOf");
    found.one_of = junctor(s, "oneOf");
    if (const text::Object* none = object_at(s, {"not"})) found.none_of = validation(*none);
    found.metadata = out.limits ? out.limits->metadata : nullptr;
    rules(s, found);
    required(s, out, found);
    if (!is_used(found)) return;
    out.limits = std::make_unique<ValueLimits>(std::move(found));
    if (!out.limits->pattern.empty()) with_pattern_.push_back(out.limits.get());
  }

  std::vector<const Schema*> junctor(const text::Object& s, std::string_view key) {
    std::vector<const Schema*> schemas;
    const text::Array* list = array_at(s, {key});
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      if ((*list)[i].is_object()) schemas.push_back(validation((*list)[i].get_object()));
    }
    return schemas;
  }

  static void rules(const text::Object& s, ValueLimits& found) {
    const text::Array* list = array_at(s, {"x-kubernetes-validations"});
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const text::Object* rule = (*list)[i].if_object();
      if (rule == nullptr) continue;
      found.rules.push_back(
          {.rule = std::string(string_at(*rule, "rule")), .message = std::string(string_at(*rule, "message"))});
    }
  }

  static void required(const text::Object& s, Schema& out, ValueLimits& found) {
    const text::Array* names = array_at(s, {"required"});
    for (size_t i = 0; names != nullptr && i < names->size(); ++i) {
      if (!(*names)[i].is_string()) continue;
      const std::string_view name = (*names)[i].get_string();
      const auto at = std::ranges::lower_bound(out.fields, name, {}, &SchemaField::name);  // sorted by now
      if (at != out.fields.end() && at->name == name) {
        at->required = true;
      } else {
        found.required_names.emplace_back(name);
      }
    }
  }

  static bool is_used(const ValueLimits& limits) {
    return !limits.allowed.empty() || limits.minimum || limits.maximum || limits.multiple_of || limits.min_length ||
           limits.max_length || limits.min_items || limits.max_items || limits.min_properties ||
           limits.max_properties || !limits.pattern.empty() || !limits.format.empty() || !limits.all_of.empty() ||
           !limits.any_of.empty() || !limits.one_of.empty() || limits.none_of != nullptr ||
           !limits.required_names.empty() || !limits.rules.empty() || limits.metadata != nullptr;
  }

  SchemaSet& set_;
  Causes& causes_;
  ValidationWork& work_;
  const Schema* object_meta_ = nullptr;
  std::vector<ValueLimits*> with_pattern_;
};

}  // namespace

const Schema* compile_structural(const text::Value& open_api_v3_schema, SchemaSet& set, Causes& causes,
                                 const std::string& path) {
  ValidationWork work{.most = kMaxDefaultSteps};
  return compile_structural(open_api_v3_schema, set, causes, path, work);
}

const Schema* compile_structural(const text::Value& open_api_v3_schema, SchemaSet& set, Causes& causes,
                                 const std::string& path, ValidationWork& work) {
  if (!open_api_v3_schema.is_object()) {
    causes.required(path);
    return nullptr;
  }
  const text::Object& schema = open_api_v3_schema.get_object();
  const size_t before = causes.list().size();
  const ValuePath at = ValuePath::root(path);
  check_structure(schema, at, causes);
  check_keywords(schema, at, causes);
  if (const text::Object* whole = object_at(schema, {"default"})) {
    for (const char* key : {"apiVersion", "kind"}) {
      if (!whole->contains(key)) causes.required(at.member("default").member(key).bracket_text());
    }
  }
  if (causes.list().size() != before) return nullptr;
  Compiler compiler(set, causes, work);
  Schema& root = compiler.structure(schema, at);
  compiler.set_matchers();
  if (!root.embedded_resource) {
    compiler.add_meta_fields(root);
    std::ranges::sort(root.fields, {}, &SchemaField::name);
    root.embedded_resource = true;
  }
  // A type that keeps what it does not know must still be an object at the root.
  root.shape = Shape::Object;
  return causes.list().size() == before ? &root : nullptr;
}

}  // namespace basalt::api
