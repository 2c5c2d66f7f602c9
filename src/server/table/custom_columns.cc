#include "server/table/custom_columns.h"

#include <array>
#include <charconv>
#include <cmath>

#include "kube/text/json_prefix.h"
#include "kube/text/rfc3339.h"
#include "kube/text/utf8.h"
#include "server/table/builtin_columns.h"
#include "server/table/cell_values.h"

namespace basalt::server {
namespace {

// A number as Go prints it: 2, 1.5, 1e+06.
std::string plain_number(double number) {
  constexpr int kSmallest = -4, kLargest = 6;  // exponents that are written out
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.begin(), buffer.end(), number, std::chars_format::scientific).ptr;
  const std::string_view scientific(buffer.data(), static_cast<size_t>(end - buffer.data()));
  const size_t mark = scientific.find('e');
  if (mark == std::string_view::npos) return std::string(scientific);  // not finite
  int exponent = 0;
  std::from_chars(scientific.data() + mark + 1 + (scientific[mark + 1] == '+' ? 1 : 0), end, exponent);
  if (exponent < kSmallest || exponent >= kLargest) return std::string(scientific);
  std::array<char, 64> fixed{};
  const auto fixed_end = std::to_chars(fixed.begin(), fixed.end(), number, std::chars_format::fixed).ptr;
  return {fixed.data(), fixed_end};
}

// A column may lead to all of an object, and a hundred columns do so for each row: nobody reads that much in a cell.
constexpr size_t kMaxCellBytes = size_t{16} * 1024;

// A cell of type string shows anything: text as it is, null by a word, the rest as JSON.
text::Value shown(const text::Value& value) {
  if (const auto* text = value.if_string())
    return text::Value(text::utf8_prefix({text->data(), text->size()}, kMaxCellBytes));
  if (value.is_null()) return "<no value>";
  if (value.is_double()) return text::Value(plain_number(value.get_double()));
  return text::Value(text::json_prefix(value, kMaxCellBytes));
}

text::Value integer_cell(const text::Value& value) {
  if (value.is_int64()) return value;
  if (!value.is_double()) return nullptr;
  const double number = std::trunc(value.get_double());
  return std::abs(number) < 9.2e18 ? text::Value(static_cast<int64_t>(number)) : text::Value(nullptr);
}

text::Value number_cell(const text::Value& value) {
  // A whole number stays one: JSON does not tell 5 from 5.0, and people read the shorter.
  return value.is_number() ? value : text::Value(nullptr);
}

text::Value date_cell(const text::Value& value, Instant now) {
  if (!value.is_string()) return nullptr;
  const std::string_view written = value.get_string();
  if (written.empty()) return "<unknown>";
  const auto time = text::parse_time(written);
  return text::Value(time ? age_since(*time, now) : "<invalid>");
}

text::Value cell_of(std::string_view type, const text::Value& value, Instant now) {
  if (type == "string") return shown(value);
  if (type == "integer") return integer_cell(value);
  if (type == "number") return number_cell(value);
  if (type == "boolean") return value.is_bool() ? value : text::Value(nullptr);
  if (type == "date") return date_cell(value, now);
  return nullptr;
}

}  // namespace

CustomColumns::CustomColumns(const api::ApiResource& resource) {
  std::vector<api::PrinterColumn> columns = resource.columns;
  if (columns.empty()) {
    columns.push_back({.name = "Age",
                       .type = "date",
                       .description = "How long ago the object was created.",
                       .json_path = ".metadata.creationTimestamp"});
  }
  for (api::PrinterColumn& column : columns) {
    Entry entry;
    if (auto path = text::JsonPath::parse(column.json_path)) entry.path = std::move(*path);
    if (column.description.empty()) column.description = "The value at " + column.json_path;
    entry.column = std::move(column);
    entries_.push_back(std::move(entry));
  }
}

text::Array CustomColumns::definitions() const {
  text::Array out;
  out.push_back(column_definition(
      {.name = "Name", .format = "name", .description = "The name of the object, unique among its kind."}));
  for (const Entry& entry : entries_) {
    const api::PrinterColumn& column = entry.column;
    out.push_back(column_definition({.name = column.name,
                                     .type = column.type,
                                     .priority = column.priority,
                                     .format = column.format,
                                     .description = column.description}));
  }
  return out;
}

text::Array CustomColumns::cells(const text::Value& object, Instant now) const {
  text::Array out;
  out.reserve(entries_.size() + 1);
  out.emplace_back(name_of(object));
  for (const Entry& entry : entries_) {
    const text::Value* found = entry.path ? entry.path->first(object) : nullptr;
    out.push_back(found == nullptr ? text::Value(nullptr) : cell_of(entry.column.type, *found, now));
  }
  return out;
}

}  // namespace basalt::server
