#include "server/rest/crd_status.h"

#include <algorithm>

#include "kube/api/object_fields.h"
#include "kube/api/views/condition_view.h"
#include "kube/api/views/definition_view.h"
#include "kube/text/rfc3339.h"
#include "server/rest/object_metadata.h"

namespace basalt::server {
namespace {

void set_condition(text::Array& conditions, std::string_view type, std::string_view reason, std::string_view message,
                   Instant now) {
  const text::Value* known = condition_of(conditions, type);
  if (known != nullptr && api::ConditionView(known->get_object()).status() == "True") return;
  if (known != nullptr) conditions.erase(known);
  text::Object condition;
  condition["type"] = type;
  condition["status"] = "True";
  condition["lastTransitionTime"] = text::format_time(now);
  condition["reason"] = reason;
  condition["message"] = message;
  conditions.emplace_back(std::move(condition));
}

void add_stored_version(text::Object& definition, text::Array& stored) {
  for (const api::CustomResourceDefinitionVersionView version :
       api::CustomResourceDefinitionView(definition).spec().versions()) {
    if (!version.storage()) continue;
    const text::Value name(version.name());
    if (std::ranges::find(stored, name) == stored.end()) stored.push_back(name);
  }
}

}  // namespace

bool establish(text::Object& definition, Instant now) {
  if (is_being_deleted(definition)) return false;
  const text::Object before = definition;
  text::Object& status = api::object_in(definition, "status");
  text::Array& conditions = api::array_in(status, "conditions");
  set_condition(conditions, "NamesAccepted", "NoConflicts", "no conflicts found", now);
  set_condition(conditions, "Established", "InitialNamesAccepted", "the initial names have been accepted", now);
  if (const text::Object* names = api::CustomResourceDefinitionView(definition).spec().names().json();
      names != nullptr) {
    status["acceptedNames"] = *names;
  }
  add_stored_version(definition, api::array_in(status, "storedVersions"));
  text::Array& finalizers = api::array_in(api::metadata_of(definition), "finalizers");
  const text::Value cleanup(kCleanupFinalizer);
  if (std::ranges::find(finalizers, cleanup) == finalizers.end()) finalizers.push_back(cleanup);
  return definition != before;
}

}  // namespace basalt::server
