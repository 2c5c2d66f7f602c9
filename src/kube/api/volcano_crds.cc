#include "kube/api/volcano_crds.h"

#include <string>

#include "base/check.h"
#include "kube/api/schema/structural_writer.h"
#include "kube/api/schema/type_language.h"

namespace basalt::api {
namespace {

text::Array columns_of(const CrdRow& row) {
  text::Array columns;
  for (const CrdColumn& column : row.columns) {
    text::Object entry{{"name", column.name}, {"type", column.type}, {"jsonPath", column.json_path}};
    if (!column.description.empty()) entry["description"] = column.description;
    if (column.priority != 0) entry["priority"] = column.priority;
    columns.push_back(std::move(entry));
  }
  return columns;
}

text::Object version_of(const CrdRow& row) {
  text::Object version{{"name", row.version}, {"served", true}, {"storage", true}};
  version["schema"] = text::Object{{"openAPIV3Schema", structural_schema(*row.type)}};
  if (!row.columns.empty()) version["additionalPrinterColumns"] = columns_of(row);
  if (row.status) version["subresources"] = text::Object{{"status", text::Object{}}};
  if (row.no_subresources) version["subresources"] = text::Object{};
  return version;
}

text::Value definition_of(const CrdRow& row) {
  text::Object names{
      {"kind", row.kind}, {"listKind", row.kind + "List"}, {"plural", row.plural}, {"singular", row.singular}};
  if (!row.short_names.empty()) names["shortNames"] = text::Array(row.short_names.begin(), row.short_names.end());
  return text::Object{
      {"apiVersion", "apiextensions.k8s.io/v1"},
      {"kind", "CustomResourceDefinition"},
      {"metadata", text::Object{{"name", row.plural + "." + row.group}}},
      {"spec", text::Object{{"group", row.group},
                            {"names", std::move(names)},
                            {"scope", row.scope},
                            {"versions", text::Array{version_of(row)}}}},
  };
}

}  // namespace

std::vector<text::Value> volcano_crds() {
  const auto library = parse_types(volcano_type_texts(), &builtin_schemas());
  check(library.has_value(), library ? "" : library.error().message);
  std::vector<text::Value> definitions;
  definitions.reserve(library->crds.size());
  for (const CrdRow& row : library->crds) definitions.push_back(definition_of(row));
  return definitions;
}

}  // namespace basalt::api
