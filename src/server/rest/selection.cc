#include "server/rest/selection.h"

#include <algorithm>
#include <array>

#include "server/rest/storage_conversion.h"

namespace basalt::server {
namespace {

bool offers_field(const api::ApiResource& resource, const std::string& field) {
  if (field == "metadata.name") return true;
  if (field == "metadata.namespace") return resource.namespaced;
  return std::ranges::find(resource.selectable_fields, field) != resource.selectable_fields.end();
}

// Fields of built-in kinds that stand under another name, or read as something where they are absent.
struct FieldReading {
  std::string_view kind, field, path, other_path, zero;
};
constexpr std::array kReadings = {
    FieldReading{"Node", "spec.unschedulable", "spec.unschedulable", "", "false"},
    FieldReading{"Pod", "spec.hostNetwork", "spec.hostNetwork", "", "false"},
    FieldReading{"Pod", "spec.host", "spec.nodeName", "", ""},
    FieldReading{"Job", "status.successful", "status.succeeded", "", "0"},
    FieldReading{"ReplicationController", "status.replicas", "status.replicas", "", "0"},
    FieldReading{"Event", "source", "source.component", "reportingComponent", ""},
};

}  // namespace

api::ApiResult<Selection> Selection::parse(const api::ApiResource& resource, const api::Call& call) {
  Selection selection;
  auto labels = api::LabelQuery::parse(call.label_selector);
  if (!labels) return std::unexpected(api::bad_request(labels.error().message));
  auto fields = api::FieldQuery::parse(call.field_selector);
  if (!fields) return std::unexpected(api::bad_request(fields.error().message));
  for (const api::FieldTerm& term : fields->terms()) {
    if (offers_field(resource, term.field)) continue;
    return std::unexpected(api::bad_request("field label not supported: " + term.field));
  }
  for (const FieldReading& reading : kReadings) {
    if (resource.custom || resource.kind != reading.kind) continue;
    fields->read_as(reading.field, reading.path, reading.other_path, reading.zero);
  }
  selection.labels_ = std::move(*labels);
  selection.fields_ = std::move(*fields);
  if (resource.namespaced && !call.namespace_name.empty()) selection.prefix_ = call.namespace_name + "/";
  if (const std::string* name = selection.fields_.required_value("metadata.name"); name != nullptr) {
    if (!resource.namespaced || !selection.prefix_.empty()) selection.only_key_ = selection.prefix_ + *name;
  }
  if (!call.name.empty() && call.verb == api::Verb::Watch) selection.only_key_ = selection.prefix_ + call.name;
  return selection;
}

bool Selection::matches(const api::ApiResource& resource, const store::Record& record) const {
  if (!covers(record.key())) return false;
  if (by_key_only()) return true;
  const ObjectPtr object = shown(resource, record);
  return labels_.matches(*object) && fields_.matches(*object);
}

}  // namespace basalt::server
