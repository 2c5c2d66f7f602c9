// What only a create or only an update of a CustomResourceDefinition is asked: validate_crd_name and
// validate_crd_update of custom_resource_definition.h.
#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "kube/api/custom_resource_definition.h"
#include "kube/api/object_fields.h"

namespace basalt::api {
namespace {

void check_same(const text::Object& next, const text::Object& old, std::initializer_list<std::string_view> path,
                Causes& causes) {
  const std::string_view now = string_at(next, path);
  if (now == string_at(old, path)) return;
  std::string place;
  for (const std::string_view step : path) place.append(place.empty() ? "" : ".").append(step);
  causes.invalid(place, text::Value(now), "field is immutable");
}

}  // namespace

void validate_crd_name(const text::Object& crd, Causes& causes) {
  const std::string name(name_of(crd));
  const std::string plural(string_at(crd, {"spec", "names", "plural"}));
  if (name != plural + "." + std::string(string_at(crd, {"spec", "group"}))) {
    causes.invalid("metadata.name", text::Value(name), "must be spec.names.plural+\".\"+spec.group");
  }
}

void validate_crd_update(const text::Object& next, const text::Object& old, Causes& causes) {
  const text::Array* conditions = array_at(old, {"status", "conditions"});
  const auto established = [](const text::Value& value) {
    return value.is_object() && string_at(value.get_object(), "type") == "Established" &&
           string_at(value.get_object(), "status") == "True";
  };
  if (conditions != nullptr && std::ranges::any_of(*conditions, established)) {
    check_same(next, old, {"spec", "scope"}, causes);
    check_same(next, old, {"spec", "names", "kind"}, causes);
  }
  check_same(next, old, {"spec", "group"}, causes);
  check_same(next, old, {"spec", "names", "plural"}, causes);
}

}  // namespace basalt::api
