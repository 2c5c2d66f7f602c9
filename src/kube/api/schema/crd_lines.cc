#include "kube/api/schema/crd_lines.h"

#include <charconv>
#include <utility>

#include "kube/api/schema/type_words.h"

namespace basalt::api {
namespace {

std::unexpected<Error> unknown(std::string_view word) { return invalid("unknown word \"" + std::string(word) + "\""); }

std::vector<std::string> cut_at_commas(std::string_view value) {
  std::vector<std::string> parts;
  while (true) {
    const size_t comma = value.find(',');
    parts.emplace_back(value.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    value.remove_prefix(comma + 1);
  }
}

std::string* text_of(CrdRow& row, std::string_view name) {
  if (name == "group") return &row.group;
  if (name == "version") return &row.version;
  if (name == "plural") return &row.plural;
  if (name == "singular") return &row.singular;
  if (name == "scope") return &row.scope;
  return nullptr;
}

}  // namespace

Result<CrdRow> read_crd_line(const TypeLine& line) {
  if (line.words.size() < 2) return invalid("crd wants the name of its type");
  CrdRow row;
  row.kind = line.words[1];
  for (size_t i = 2; i < line.words.size(); ++i) {
    const auto [name, value] = split_word(line.words[i]);
    if (std::string* text = text_of(row, name)) {
      *text = value;
    } else if (name == "short") {
      row.short_names = cut_at_commas(value);
    } else if (line.words[i] == "status") {
      row.status = true;
    } else if (line.words[i] == "no-subresources") {
      row.no_subresources = true;
    } else {
      return unknown(line.words[i]);
    }
  }
  if (row.group.empty() || row.version.empty() || row.plural.empty() || row.singular.empty()) {
    return invalid("crd wants group= version= plural= and singular=");
  }
  if (row.scope != "Namespaced" && row.scope != "Cluster") return invalid("scope= is Namespaced or Cluster");
  return row;
}

Result<CrdColumn> read_column_line(const TypeLine& line) {
  if (line.words.size() < 4 || line.words[0] != "column") return invalid("expected: column NAME TYPE .path");
  CrdColumn column;
  column.name = line.words[1];
  column.type = line.words[2];
  column.json_path = line.words[3];
  for (size_t i = 4; i < line.words.size(); ++i) {
    const std::string_view word = line.words[i];
    if (word.starts_with('"')) {
      auto description = quoted_text(word);
      if (!description) return std::unexpected(description.error());
      column.description = std::move(*description);
      continue;
    }
    const auto [name, value] = split_word(word);
    if (name != "priority") return unknown(word);
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), column.priority);
    if (error != std::errc{} || end != value.data() + value.size()) return invalid("priority= wants a whole number");
  }
  return column;
}

}  // namespace basalt::api
