#include "server/rest/crd_status.h"

#include <algorithm>

#include "kube/api/object_fields.h"
#include "kube/text/rfc3339.h"
#include "server/rest/object_metadata.h"

namespace basalt::server {
namespace {

using api::string_at;

void set_condition(text::Array& conditions, std::string_view type, std::string_view reason, std::string_view message,
                   Instant now) {
  const text::Value* known = condition_of(conditions, type);
  if (known != nullptr && string_at(known->get_object(), "status") == "True") return;
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
  const text::Array* versions = api::array_at(definition, {"spec", "versions"});
  for (const text::Value& version : versions == nullptr ? text::Array() : *versions) {
    if (!version.is_object() || !api::bool_at(version.get_object(), {"storage"})) continue;
    const text::Value name(string_at(version.get_object(), "name"));
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
  if (const text::Object* names = api::object_at(definition, {"spec", "names"}); names != nullptr) {
    status["acceptedNames"] = *names;
  }
  add_stored_version(definition, api::array_in(status, "storedVersions"));
  text::Array& finalizers = api::array_in(api::metadata_of(definition), "finalizers");
  const text::Value cleanup(kCleanupFinalizer);
  if (std::ranges::find(finalizers, cleanup) == finalizers.end()) finalizers.push_back(cleanup);
  return definition != before;
}

}  // namespace basalt::server
