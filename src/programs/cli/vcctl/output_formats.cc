#include "programs/cli/vcctl/output_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "kube/api/object_fields.h"
#include "kube/text/document_path.h"
#include "kube/text/yaml_writer.h"

namespace basalt::cli::vcctl {
namespace {

// Depth is bounded by the parser that made the value (text::kMaxJsonDepth).
text::Value sorted(const text::Value& value) {
  if (value.is_array()) {
    text::Array out;
    for (const text::Value& element : value.get_array()) out.push_back(sorted(element));
    return out;
  }
  if (!value.is_object()) return value;
  std::vector<const text::Object::value_type*> members;
  for (const auto& member : value.get_object()) members.push_back(&member);
  std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->key() < b->key(); });
  text::Object out;
  for (const auto* member : members) out.emplace(member->key(), sorted(member->value()));
  return out;
}

void print_value(Terminal& terminal, Format format, const text::Value& value) {
  if (format == Format::Json) {
    terminal.out << text::to_pretty_json(value) << '\n';
    return;
  }
  const std::string yaml = text::to_yaml(value);
  terminal.out << yaml << (yaml.ends_with('\n') ? "" : "\n");
}

void print_name(Terminal& terminal, const VcctlKind& kind, const text::Object& object) {
  terminal.out << kind.full_name() << '/' << printable(api::name_of(object)) << '\n';
}

}  // namespace

Result<Format> read_format(std::string_view word) {
  if (word.empty()) return Format::Table;
  if (word == "wide") return Format::Wide;
  if (word == "json") return Format::Json;
  if (word == "yaml") return Format::Yaml;
  if (word == "name") return Format::Name;
  return invalid(fmt::format("unknown output format {}; there are json, yaml, wide and name", text::in_quotes(word)));
}

text::Value shown(const VcctlKind& kind, const text::Object& object) {
  text::Object copy = object;
  copy["apiVersion"] = kind.api_version();
  copy["kind"] = kind.kind;
  if (copy.contains("metadata")) api::metadata_of(copy).erase("managedFields");
  return sorted(copy);
}

void print_one(Terminal& terminal, Format format, const VcctlKind& kind, const text::Object& object) {
  if (format == Format::Name) return print_name(terminal, kind, object);
  print_value(terminal, format, shown(kind, object));
}

void print_list(Terminal& terminal, Format format, const VcctlKind& kind, std::span<const client::ObjectPtr> objects) {
  if (format == Format::Name) {
    for (const client::ObjectPtr& object : objects) print_name(terminal, kind, object->get_object());
    return;
  }
  text::Array items;
  for (const client::ObjectPtr& object : objects) items.push_back(shown(kind, object->get_object()));
  print_value(terminal, format,
              text::Object{{"apiVersion", "v1"},
                           {"items", std::move(items)},
                           {"kind", "List"},
                           {"metadata", text::Object{{"resourceVersion", ""}}}});
}

void print_later(Terminal& terminal, Format format, const VcctlKind& kind, std::span<const client::ObjectPtr> objects) {
  for (const client::ObjectPtr& object : objects) {
    if (format == Format::Yaml) terminal.out << "---\n";
    print_one(terminal, format, kind, object->get_object());
  }
}

}  // namespace basalt::cli::vcctl
