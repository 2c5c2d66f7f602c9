// CustomResourceDefinition.
#include "kube/api/custom_resource_definition.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/builtin_kind_rules.h"

namespace basalt::api::rules {
namespace {

// The status of a new definition says only which versions are stored; the server fills in the rest when it serves it.
void begin_definition(text::Object& definition) {
  definition.erase("status");
  text::Object& status = object_in(definition, "status");
  text::Array& stored = array_in(status, "storedVersions");
  const text::Array* versions = api::array_at(definition, {"spec", "versions"});
  for (const text::Value& version : versions == nullptr ? text::Array() : *versions) {
    if (version.is_object() && api::bool_at(version.get_object(), {"storage"})) {
      stored.emplace_back(api::string_at(version.get_object(), "name"));
    }
  }
}

void validate_change(const text::Object& next, const text::Object& old, Causes& causes) {
  validate_crd_update(next, old, causes);
}

}  // namespace

KindRules definition_rules() {
  return {.counts_generation = true,
          .complete = &complete_crd,
          .prepare_create = &begin_definition,
          .validate = &validate_crd,
          .validate_update = &validate_change,
          .validate_create = &validate_crd_name};
}

}  // namespace basalt::api::rules
