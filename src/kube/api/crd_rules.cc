// What a CustomResourceDefinition must look like: validate_crd of custom_resource_definition.h.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "kube/api/crd_budget.h"
#include "kube/api/custom_resource_definition.h"
#include "kube/api/name_validation.h"
#include "kube/api/object_fields.h"
#include "kube/api/schema/structural.h"

namespace basalt::api {
namespace {

constexpr size_t kMaxSelectableFields = 8;
constexpr size_t kMaxDeprecationWarning = 256;

std::string joined(const ValidationMessages& complaints) {
  std::string text;
  for (const std::string& one : complaints) text += (text.empty() ? "" : ",") + one;
  return text;
}

std::string indexed(const std::string& path, size_t index) { return path + "[" + std::to_string(index) + "]"; }

const text::Object& no_members() {
  static const text::Object kNothing;
  return kNothing;
}

const text::Object& object_or_nothing(const text::Object& object, std::string_view key) {
  const text::Object* found = object_at(object, {key});
  return found == nullptr ? no_members() : *found;
}

class CrdRules {
 public:
  CrdRules(const text::Object& crd, Causes& causes) : spec_(object_or_nothing(crd, "spec")), causes_(causes) {
    const text::Array* versions = array_at(spec_, {"versions"});
    for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
      versions_.push_back((*versions)[i].is_object() ? &(*versions)[i].get_object() : &no_members());
    }
  }

  void check() {
    group();
    choice("spec.scope", string_at(spec_, "scope"), {"Cluster", "Namespaced"});
    if (bool_at(spec_, {"preserveUnknownFields"})) {
      causes_.invalid("spec.preserveUnknownFields", text::Value(true),
                      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                      "spec.versions[*].schema instead");
    }
    each_version_or_spec("schema", "spec.validation",
                         [&](const text::Object& version, const std::string& path) { schema(version, path); });
    each_version_or_spec("subresources", "spec.subresources",
                         [&](const text::Object& version, const std::string& path) { scale(version, path); });
    each_version_or_spec("additionalPrinterColumns", "spec.additionalPrinterColumns",
                         [&](const text::Object& version, const std::string& path) { columns(version, path); });
    each_version_or_spec("selectableFields", "spec.selectableFields",
                         [&](const text::Object& version, const std::string& path) { selectable(version, path); });
    versions();
    names(object_or_nothing(spec_, "names"), "spec.names");
    conversion();
  }

 private:
  void group() {
    const std::string_view group = string_at(spec_, "group");
    if (group.empty()) {
      causes_.required("spec.group");
    } else if (const ValidationMessages wrong = dns1123_subdomain(group); !wrong.empty()) {
      causes_.invalid("spec.group", text::Value(group), joined(wrong));
    } else if (group.find('.') == std::string_view::npos) {
      causes_.invalid("spec.group", text::Value(group), "should be a domain with at least one dot");
    }
  }

  void choice(const std::string& path, std::string_view value, const std::vector<std::string>& allowed) {
    if (value.empty()) {
      causes_.required(path);
    } else if (std::ranges::find(allowed, value) == allowed.end()) {
      causes_.not_supported(path, text::Value(value), allowed);
    }
  }

  // Kubernetes lifts what all versions have in common into spec before it looks, and names it there.
  template <class Check>
  void each_version_or_spec(std::string_view key, const std::string& common_path, Check&& check) {
    if (versions_.empty()) return;
    const text::Value* first = versions_.front()->if_contains(key);
    const bool same = std::ranges::all_of(versions_, [&](const text::Object* version) {
      const text::Value* other = version->if_contains(key);
      return (first == nullptr) == (other == nullptr) && (first == nullptr || *first == *other);
    });
    if (same && first != nullptr) return check(*versions_.front(), common_path);
    for (size_t i = 0; i < versions_.size(); ++i) {
      check(*versions_[i], indexed("spec.versions", i) + "." + std::string(key));
    }
  }

  void schema(const text::Object& version, const std::string& path) {
    const text::Value* schema = value_at(version, {"schema", "openAPIV3Schema"});
    if (schema == nullptr || !schema->is_object()) {
      causes_.required(path + ".openAPIV3Schema");
      return;
    }
    if (object_at(version, {"subresources", "status"}) != nullptr) root_keywords(schema->get_object(), path);
    SchemaSet scratch;
    (void)compile_structural(*schema, scratch, causes_, path + ".openAPIV3Schema", work_);
  }

  // With a status subresource its part of the schema is used alone, so the root may not say things about all of it.
  void root_keywords(const text::Object& schema, const std::string& path) {
    static const std::set<std::string_view> kAllowed = {"description",
                                                        "type",
                                                        "format",
                                                        "title",
                                                        "maximum",
                                                        "exclusiveMaximum",
                                                        "minimum",
                                                        "exclusiveMinimum",
                                                        "maxLength",
                                                        "minLength",
                                                        "pattern",
                                                        "maxItems",
                                                        "minItems",
                                                        "uniqueItems",
                                                        "multipleOf",
                                                        "required",
                                                        "items",
                                                        "properties",
                                                        "externalDocs",
                                                        "example",
                                                        "x-kubernetes-preserve-unknown-fields",
                                                        "x-kubernetes-validations"};
    const text::Value type(string_at(schema, "type"));
    if (type != "" && type != "object") return causes_.invalid(path + ".openAPIV3Schema.type", type, "must be object");
    const auto allowed = [](const auto& member) {
      return member.value().is_null() || kAllowed.contains(std::string_view(member.key()));
    };
    if (std::ranges::all_of(schema, allowed)) return;
    causes_.invalid(path + ".openAPIV3Schema", text::Value(schema),
                    "only description, type, properties, required, items, limits and the like are allowed at the root "
                    "of the schema if the status subresource is enabled");
  }

  void json_path(const std::string& path, std::string_view value) {
    if (!value.starts_with('.')) {
      causes_.invalid(path, text::Value(value), "must be a simple json path starting with .");
    }
  }

  void scale(const text::Object& version, const std::string& path) {
    const text::Object* scale = object_at(version, {"subresources", "scale"});
    if (scale == nullptr) return;
    for (const auto& [key, below] : {std::pair{"specReplicasPath", ".spec."}, {"statusReplicasPath", ".status."}}) {
      const std::string_view value = string_at(*scale, key);
      const std::string place = path + ".scale." + key;
      if (value.empty()) {
        causes_.required(place);
      } else if (!value.starts_with('.')) {
        json_path(place, value);
      } else if (!value.starts_with(below)) {
        causes_.invalid(
            place, text::Value(value),
            std::string("should be a json path under ") + std::string(below).substr(0, std::string(below).size() - 1));
      }
    }
    const std::string_view selector = string_at(*scale, "labelSelectorPath");
    if (selector.empty() || selector.starts_with(".spec.") || selector.starts_with(".status.")) return;
    causes_.invalid(path + ".scale.labelSelectorPath", text::Value(selector),
                    "should be a json path under either .spec or .status");
  }

  void columns(const text::Object& version, const std::string& path) {
    static const std::set<std::string_view> kTypes = {"integer", "number", "string", "boolean", "date"};
    static const std::set<std::string_view> kFormats = {"int32", "int64", "float",     "double",
                                                        "byte",  "date",  "date-time", "password"};
    const text::Array* columns = array_at(version, {"additionalPrinterColumns"});
    for (size_t i = 0; columns != nullptr && i < columns->size(); ++i) {
      const std::string place = indexed(path, i);
      const text::Object& column = (*columns)[i].is_object() ? (*columns)[i].get_object() : no_members();
      const std::string_view type = string_at(column, "type");
      const std::string_view format = string_at(column, "format");
      if (string_at(column, "name").empty()) causes_.required(place + ".name");
      if (type.empty()) {
        causes_.required(place + ".type", "must be one of boolean,date,integer,number,string");
      } else if (!kTypes.contains(type)) {
        causes_.invalid(place + ".type", text::Value(type), "must be one of boolean,date,integer,number,string");
      }
      if (!format.empty() && !kFormats.contains(format)) {
        causes_.invalid(place + ".format", text::Value(format),
                        "must be one of byte,date,date-time,double,float,int32,int64,password");
      }
      const std::string_view value = string_at(column, "jsonPath");
      if (value.empty()) {
        causes_.required(place + ".JSONPath");
      } else {
        json_path(place + ".JSONPath", value);
      }
    }
  }

  void selectable(const text::Object& version, const std::string& path) {
    const text::Array* fields = array_at(version, {"selectableFields"});
    const text::Object* schema = object_at(version, {"schema", "openAPIV3Schema"});
    std::set<std::string_view> seen;
    for (size_t i = 0; fields != nullptr && schema != nullptr && i < fields->size(); ++i) {
      const std::string place = indexed(path, i) + ".jsonPath";
      const std::string_view value =
          (*fields)[i].is_object() ? string_at((*fields)[i].get_object(), "jsonPath") : std::string_view();
      if (value.empty()) {
        causes_.required(place);
        continue;
      }
      const std::string_view type = type_at(*schema, value);
      if (type.empty()) {
        causes_.invalid(place, text::Value(value), "is an invalid path: does not refer to a valid field");
        continue;
      }
      if (value.starts_with(".metadata")) {
        causes_.invalid(place, text::Value(value), "must not point to fields in metadata");
      }
      if (type != "string" && type != "boolean" && type != "integer") {
        causes_.invalid(place, text::Value(value),
                        "must point to a field of type string, boolean or integer. Enum string fields and strings "
                        "with formats are allowed.");
      }
      if (!seen.insert(value).second) causes_.duplicate(place, text::Value(value));
    }
    if (seen.size() > kMaxSelectableFields) causes_.too_many(path, seen.size(), kMaxSelectableFields);
  }

  // The type of the property at ".spec.x"; "" when there is none.
  static std::string_view type_at(const text::Object& schema, std::string_view path) {
    const text::Object* at = &schema;
    while (!path.empty()) {
      if (!path.starts_with('.')) return {};
      path.remove_prefix(1);
      const size_t end = std::min(path.find('.'), path.size());
      at = object_at(*at, {"properties", path.substr(0, end)});
      if (at == nullptr) return {};
      path.remove_prefix(end);
    }
    return string_at(*at, "type");
  }

  void versions() {
    std::set<std::string_view> seen;
    size_t stored = 0;
    bool unique = true;
    for (size_t i = 0; i < versions_.size(); ++i) {
      const text::Object& version = *versions_[i];
      const std::string path = indexed("spec.versions", i);
      const std::string_view name = string_at(version, "name");
      stored += bool_at(version, {"storage"}) ? 1 : 0;
      unique = seen.insert(name).second && unique;
      if (const ValidationMessages wrong = dns1035_label(name); !wrong.empty()) {
        causes_.invalid(path + ".name", text::Value(name), joined(wrong));
        if (i == 0) causes_.invalid("spec.version", text::Value(name), joined(wrong));
      }
      const text::Value* warning = version.if_contains("deprecationWarning");
      if (warning == nullptr || !warning->is_string()) continue;
      if (!bool_at(version, {"deprecated"})) {
        causes_.invalid(path + ".deprecationWarning", *warning, "can only be set for deprecated versions");
      } else if (warning->get_string().size() > kMaxDeprecationWarning) {
        causes_.invalid(path + ".deprecationWarning", *warning, "must be <= 256 characters long");
      } else if (warning->get_string().empty()) {
        causes_.invalid(path + ".deprecationWarning", *warning, "must not be an empty string");
      }
    }
    const text::Value* list = spec_.if_contains("versions");
    const text::Value shown = list == nullptr ? text::Value() : *list;
    if (!unique) causes_.invalid("spec.versions", shown, "must contain unique version names");
    if (stored != 1) {
      causes_.invalid("spec.versions", shown, "must have exactly one version marked as storage version");
    }
  }

  void names(const text::Object& names, const std::string& path) {
    for (const char* key : {"plural", "singular", "kind", "listKind"}) {
      const std::string_view name = string_at(names, key);
      const std::string place = path + "." + key;
      const bool mixed_case = std::string_view(key).ends_with("ind");
      if (name.empty()) {
        causes_.required(place);
      } else if (const ValidationMessages wrong = dns1035_label(mixed_case ? lower(name) : std::string(name));
                 !wrong.empty()) {
        causes_.invalid(place, text::Value(name),
                        (mixed_case ? "may have mixed case, but should otherwise match: " : "") + joined(wrong));
      }
    }
    for (const char* key : {"shortNames", "categories"}) {
      const text::Array* list = array_at(names, {key});
      for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
        if (!(*list)[i].is_string()) continue;
        const ValidationMessages wrong = dns1035_label(std::string_view((*list)[i].get_string()));
        if (!wrong.empty()) causes_.invalid(indexed(path + "." + key, i), (*list)[i], joined(wrong));
      }
    }
    const std::string_view kind = string_at(names, "kind");
    if (!kind.empty() && kind == string_at(names, "listKind")) {
      causes_.invalid(path + ".listKind", text::Value(kind), "kind and listKind may not be the same");
    }
  }

  void conversion() {
    const text::Object* conversion = object_at(spec_, {"conversion"});
    if (conversion == nullptr) return;
    const std::string_view strategy = string_at(*conversion, "strategy");
    choice("spec.conversion.strategy", strategy, {"None", "Webhook"});
    const text::Object* config = object_at(*conversion, {"webhook", "clientConfig"});
    const text::Array* reviews = array_at(*conversion, {"webhook", "conversionReviewVersions"});
    if (strategy != "Webhook") {
      if (config != nullptr) {
        causes_.forbidden("spec.conversion.webhookClientConfig",
                          "should not be set when strategy is not set to Webhook");
      }
      if (reviews != nullptr && !reviews->empty()) {
        causes_.forbidden("spec.conversion.conversionReviewVersions",
                          "should not be set when strategy is not set to Webhook");
      }
      return;
    }
    if (config == nullptr) {
      causes_.required("spec.conversion.webhookClientConfig", "required when strategy is set to Webhook");
    } else if (config->contains("url") == config->contains("service")) {
      causes_.required("spec.conversion.webhookClientConfig", "exactly one of url or service is required");
    }
    if (reviews == nullptr || reviews->empty()) causes_.required("spec.conversion.conversionReviewVersions");
  }

  const text::Object& spec_;
  std::vector<const text::Object*> versions_;
  Causes& causes_;
  ValidationWork work_{.most = kMaxDefaultSteps};  // on the defaults of all versions
};

// A version that was ever stored must stay until its objects were stored anew.
void check_stored(const text::Object& crd, Causes& causes) {
  const std::string path = "status.storedVersions";
  const text::Array* stored = array_at(crd, {"status", "storedVersions"});
  if (stored == nullptr || stored->empty()) {
    causes.invalid(path, text::Value(), "must have at least one stored version");
    return;
  }
  std::map<std::string_view, size_t> left;
  for (size_t i = 0; i < stored->size(); ++i) {
    if ((*stored)[i].is_string()) left.emplace((*stored)[i].get_string(), i);
  }
  const text::Array* versions = array_at(crd, {"spec", "versions"});
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    const text::Object& version = (*versions)[i].is_object() ? (*versions)[i].get_object() : no_members();
    const std::string_view name = string_at(version, "name");
    if (left.erase(name) == 0 && bool_at(version, {"storage"})) {
      causes.invalid(path, text::Value(*stored), "must have the storage version " + std::string(name));
    }
  }
  for (const auto& [name, i] : left) {
    causes.invalid(indexed(path, i), text::Value(name),
                   "missing from spec.versions; it was a storage version, and must remain in spec.versions until no "
                   "data is stored in it and it is removed from status.storedVersions");
  }
}

// Groups of the Kubernetes community need a word of approval.
void check_approval(const text::Object& crd, Causes& causes) {
  constexpr std::string_view kAnnotation = "api-approved.kubernetes.io";
  const std::string_view group = string_at(crd, {"spec", "group"});
  const bool community =
      group == "k8s.io" || group.ends_with(".k8s.io") || group == "kubernetes.io" || group.ends_with(".kubernetes.io");
  if (!community) return;
  const std::string_view approval = string_at(crd, {"metadata", "annotations", kAnnotation});
  const std::string path = "metadata.annotations[api-approved.kubernetes.io]";
  if (approval.empty()) {
    causes.required(path, "protected groups must have approval annotation \"api-approved.kubernetes.io\"");
  } else if (!approval.starts_with("unapproved") && approval.find("://") == std::string_view::npos) {
    causes.invalid(path, text::Value(approval), "must be the URL of the approval, or start with \"unapproved\"");
  }
}

}  // namespace

void validate_crd(const text::Object& crd, Causes& causes) {
  if (!check_crd_budget(crd, causes)) return;
  CrdRules(crd, causes).check();
  check_stored(crd, causes);
  check_approval(crd, causes);
}

}  // namespace basalt::api
