#include "kube/api/custom_resource_definition.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "kube/api/object_fields.h"
#include "kube/api/schema/structural.h"

namespace basalt::api {
namespace {

std::vector<std::string> strings_at(const text::Object& object, std::string_view key) {
  std::vector<std::string> strings;
  const text::Array* list = array_at(object, {key});
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    if ((*list)[i].is_string()) strings.emplace_back(std::string_view((*list)[i].get_string()));
  }
  return strings;
}

const KindRules& custom_rules() {
  static const KindRules kRules{.name_rule = NameRule::Subdomain, .counts_generation = true};
  return kRules;
}

void read_columns(const text::Object& version, ApiResource& row) {
  const text::Array* columns = array_at(version, {"additionalPrinterColumns"});
  for (size_t i = 0; columns != nullptr && i < columns->size(); ++i) {
    if (!(*columns)[i].is_object()) continue;
    const text::Object& column = (*columns)[i].get_object();
    row.columns.push_back({.name = std::string(string_at(column, "name")),
                           .type = std::string(string_at(column, "type")),
                           .format = std::string(string_at(column, "format")),
                           .description = std::string(string_at(column, "description")),
                           .json_path = std::string(string_at(column, "jsonPath")),
                           .priority = static_cast<int32_t>(int_at(column, {"priority"}))});
  }
}

void read_subresources(const text::Object& version, ApiResource& row) {
  row.has_status = object_at(version, {"subresources", "status"}) != nullptr;
  if (const text::Object* scale = object_at(version, {"subresources", "scale"})) {
    row.scale = ScalePaths{.spec_replicas = std::string(string_at(*scale, "specReplicasPath")),
                           .status_replicas = std::string(string_at(*scale, "statusReplicasPath")),
                           .label_selector = std::string(string_at(*scale, "labelSelectorPath"))};
  }
}

void read_selectable_fields(const text::Object& version, ApiResource& row) {
  const text::Array* fields = array_at(version, {"selectableFields"});
  for (size_t i = 0; fields != nullptr && i < fields->size(); ++i) {
    if (!(*fields)[i].is_object()) continue;
    std::string_view path = string_at((*fields)[i].get_object(), "jsonPath");
    if (path.starts_with('.')) path.remove_prefix(1);
    row.selectable_fields.emplace_back(path);
  }
}

std::string_view storage_version(const text::Array* versions) {
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    const text::Object* version = (*versions)[i].if_object();
    if (version != nullptr && bool_at(*version, {"storage"})) return string_at(*version, "name");
  }
  return {};
}

// What all versions have in common.
ApiResource common_row(const text::Object& crd) {
  static const text::Object kNothing;
  const text::Object* given = object_at(crd, {"spec", "names"});
  const text::Object& names = given == nullptr ? kNothing : *given;
  ApiResource row;
  row.group = string_at(crd, {"spec", "group"});
  row.kind = string_at(names, "kind");
  row.list_kind = string_at(names, "listKind");
  row.plural = string_at(names, "plural");
  row.singular = string_at(names, "singular");
  if (row.list_kind.empty()) row.list_kind = row.kind + "List";
  if (row.singular.empty()) row.singular = lower(row.kind);
  row.short_names = strings_at(names, "shortNames");
  row.categories = strings_at(names, "categories");
  row.namespaced = string_at(crd, {"spec", "scope"}) != "Cluster";
  row.rules = &custom_rules();
  row.custom = true;
  row.storage_group = row.group;
  return row;
}

}  // namespace

void complete_crd(text::Object& crd) {
  text::Object& spec = object_in(crd, "spec");
  text::Object& names = object_in(spec, "names");
  const std::string kind(string_at(names, "kind"));
  if (string_at(names, "singular").empty() && !kind.empty()) names["singular"] = lower(kind);
  if (string_at(names, "listKind").empty() && !kind.empty()) names["listKind"] = kind + "List";
  if (object_at(spec, {"conversion"}) == nullptr) object_in(spec, "conversion")["strategy"] = "None";
  if (object_at(spec, {"conversion", "webhook", "clientConfig", "service"}) != nullptr) {
    text::Object& webhook = object_in(object_in(spec, "conversion"), "webhook");
    text::Object& service = object_in(object_in(webhook, "clientConfig"), "service");
    if (!service.contains("port")) service["port"] = 443;
  }
  const text::Array* stored = array_at(crd, {"status", "storedVersions"});
  if (stored != nullptr && !stored->empty()) return;
  const std::string_view version = storage_version(array_at(spec, {"versions"}));
  if (!version.empty()) array_in(object_in(crd, "status"), "storedVersions") = {text::Value(version)};
}

ApiResult<std::vector<ApiResource>> resources_of(const text::Object& crd) {
  const ApiResource common = common_row(crd);
  auto schemas = std::make_shared<SchemaSet>();
  Causes causes;
  ValidationWork work{.most = kMaxDefaultSteps};
  std::vector<ApiResource> rows;
  const text::Array* versions = array_at(crd, {"spec", "versions"});
  const std::string_view stored = storage_version(versions);
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    const text::Object* version = (*versions)[i].if_object();
    if (version == nullptr || !bool_at(*version, {"served"})) continue;
    const std::string path = "spec.versions[" + std::to_string(i) + "].schema.openAPIV3Schema";
    const text::Value* schema = value_at(*version, {"schema", "openAPIV3Schema"});
    ApiResource row = common;
    row.version = string_at(*version, "name");
    if (stored != row.version) row.storage_version = stored;
    row.schema = compile_structural(schema == nullptr ? text::Value() : *schema, *schemas, causes, path, work);
    if (row.schema == nullptr) continue;
    row.schemas = schemas;
    read_columns(*version, row);
    read_subresources(*version, row);
    read_selectable_fields(*version, row);
    rows.push_back(std::move(row));
  }
  if (!causes.empty()) {
    return std::unexpected(
        invalid_object("apiextensions.k8s.io", "CustomResourceDefinition", name_of(crd), causes.take()));
  }
  return rows;
}

}  // namespace basalt::api
