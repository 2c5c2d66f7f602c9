#include "server/table/render_table.h"

#include <utility>

#include "base/check.h"
#include "kube/text/rfc3339.h"
#include "server/table/builtin_columns.h"
#include "server/table/cell_values.h"
#include "server/table/custom_columns.h"

namespace basalt::server {
namespace {

constexpr TableColumnDefinition kPlain[] = {
    {.name = "Name", .format = "name", .description = "The name of the object, unique among its kind."},
    {.name = "Created At", .type = "date", .description = "When the object was created."}};

constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

text::Array definitions_of(std::span<const TableColumnDefinition> columns) {
  text::Array out;
  out.reserve(columns.size());
  for (const TableColumnDefinition& column : columns) {
    out.push_back(column_definition(column));
  }
  return out;
}

// Where the columns of one resource come from; the three sources look alike from here on.
class ColumnSource {
 public:
  explicit ColumnSource(const api::ApiResource& resource)
      : builtin_(resource.custom ? nullptr : columns_of(resource.group, resource.kind)),
        pods_(!resource.custom && resource.group.empty() && resource.kind == "Pod") {
    if (resource.custom) custom_.emplace(resource);
  }

  [[nodiscard]] text::Array definitions() const {
    if (custom_) return custom_->definitions();
    return definitions_of(builtin_ != nullptr ? builtin_->columns : std::span<const TableColumnDefinition>(kPlain));
  }

  [[nodiscard]] text::Value row(const text::Value& object, TableOptions options, Instant now) const {
    text::Object row;
    row.emplace("cells", cells(object, now));
    if (pods_) {
      if (text::Value conditions = row_conditions_of_pod(object); !conditions.is_null()) {
        row.emplace("conditions", std::move(conditions));
      }
    }
    row.emplace("object", shown_object(object, options));
    return row;
  }

 private:
  [[nodiscard]] text::Array cells(const text::Value& object, Instant now) const {
    if (custom_) return custom_->cells(object, now);
    text::Array out;
    if (builtin_ != nullptr) {
      out.reserve(builtin_->columns.size());
      builtin_->fill(object, now, out);
      check(out.size() == builtin_->columns.size(), "every column has its cell");
      return out;
    }
    out.emplace_back(name_of(object));
    out.emplace_back(text::format_time(time_at(object, {"metadata", "creationTimestamp"})));
    return out;
  }

  static text::Value shown_object(const text::Value& object, TableOptions options) {
    if (options.include_none) return nullptr;
    if (options.include_full_object) return object;
    text::Object part{{"kind", "PartialObjectMetadata"}, {"apiVersion", "meta.k8s.io/v1"}};
    part.emplace("metadata", table_metadata(object));
    return part;
  }

  const KindColumns* builtin_;  // null: custom, or a kind without columns of its own
  std::optional<CustomColumns> custom_;
  bool pods_;
};

text::Value table_of(text::Object metadata, const ColumnSource& source, text::Array rows, TableOptions options) {
  text::Object table{{"kind", "Table"}, {"apiVersion", "meta.k8s.io/v1"}};
  table.emplace("metadata", std::move(metadata));
  table.emplace("columnDefinitions", options.headers ? text::Value(source.definitions()) : text::Value(nullptr));
  table.emplace("rows", std::move(rows));
  return table;
}

}  // namespace

text::Value table_metadata(const text::Value& object) {
  const text::Value* found = at(object, {"metadata"});
  if (found == nullptr || !found->is_object()) return text::Object{};
  text::Value metadata = *found;
  text::Value* annotations = metadata.get_object().if_contains("annotations");
  const bool shown_whole = text_at(object, {"kind"}) != "DaemonSet" || text_at(object, {"apiVersion"}) != "apps/v1";
  if (shown_whole || annotations == nullptr || !annotations->is_object()) return metadata;
  annotations->get_object().erase(kTemplateGeneration);
  if (annotations->get_object().empty()) metadata.get_object().erase("annotations");
  return metadata;
}

text::Value render_table(const api::ApiResource& resource, const std::vector<ObjectPtr>& objects,
                         const std::string& list_version, const std::string& continue_token, TableOptions options,
                         Instant now, std::optional<int64_t> remaining) {
  const ColumnSource source(resource);
  text::Array rows;
  rows.reserve(objects.size());
  for (const ObjectPtr& object : objects) rows.push_back(source.row(*object, options, now));

  text::Object metadata{{"resourceVersion", list_version}};
  if (!continue_token.empty()) metadata.emplace("continue", continue_token);
  if (remaining) metadata.emplace("remainingItemCount", *remaining);
  return table_of(std::move(metadata), source, std::move(rows), options);
}

text::Value table_row(const api::ApiResource& resource, const text::Value& object, TableOptions options, Instant now) {
  const ColumnSource source(resource);
  text::Array rows;
  rows.push_back(source.row(object, options, now));
  return table_of(text::Object{{"resourceVersion", text_at(object, {"metadata", "resourceVersion"})}}, source,
                  std::move(rows), options);
}

}  // namespace basalt::server
