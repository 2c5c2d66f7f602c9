#include "programs/cli/vcctl/text_table.h"

#include <algorithm>
#include <ostream>

#include "kube/text/utf8.h"

namespace basalt::cli::vcctl {
namespace {

constexpr size_t kGrownBlanks = 2;     // behind a value that outgrew its fixed column
constexpr size_t kSpaciousHeader = 2;  // see WidthRule::Spacious
constexpr size_t kSpaciousValue = 8;

size_t width_of(const TableColumn& column, size_t longest, bool last) {
  const size_t header = column.header.size();
  switch (column.width.rule) {
    case WidthRule::Longest:
      return std::max(header, longest) + column.width.blanks;
    case WidthRule::Spacious:
      return std::max(header + kSpaciousHeader, longest + kSpaciousValue);
    case WidthRule::Fixed:
      break;
  }
  const size_t needed = std::max(header, longest);
  return last || needed < column.width.blanks ? column.width.blanks : needed + kGrownBlanks;
}

void print_cell(Terminal& terminal, const Cell& cell, size_t width) {
  const size_t used = text::character_count(cell.text);
  terminal.out << painted(terminal, cell.text, cell.tone) << std::string(width > used ? width - used : 0, ' ');
}

}  // namespace

Cell phase_cell(std::string_view phase) { return {.text = std::string(phase), .tone = tone_of(phase)}; }

void Table::hide_empty_columns(std::vector<std::vector<Cell>>& rows) {
  for (size_t i = columns_.size(); i-- > 0;) {
    const auto says = [i](const std::vector<Cell>& row) { return !row[i].text.empty(); };
    if (!columns_[i].hide_when_empty || std::any_of(rows.begin(), rows.end(), says)) continue;
    for (auto& row : rows) row.erase(row.begin() + static_cast<ptrdiff_t>(i));
    columns_.erase(columns_.begin() + static_cast<ptrdiff_t>(i));
  }
}

void Table::measure(const std::vector<std::vector<Cell>>& rows) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t longest = 0;
    for (const auto& row : rows) longest = std::max(longest, text::character_count(row[i].text));
    widths_.push_back(width_of(columns_[i], longest, i + 1 == columns_.size()));
  }
}

void Table::print(Terminal& terminal, std::span<const client::ObjectPtr> objects) {
  const Instant now = terminal.now();
  std::vector<std::vector<Cell>> rows;
  for (const client::ObjectPtr& object : objects) {
    std::vector<Cell>& row = rows.emplace_back();
    for (const TableColumn& column : columns_) {
      row.push_back(column.cell(object->get_object(), now));
      row.back().text = printable(row.back().text);
    }
  }
  if (widths_.empty()) {
    hide_empty_columns(rows);
    measure(rows);
    for (size_t i = 0; i < columns_.size(); ++i) {
      print_cell(terminal, {.text = std::string(columns_[i].header)}, widths_[i]);
    }
    terminal.out << '\n';
  }
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) print_cell(terminal, row[i], widths_[i]);
    terminal.out << '\n';
  }
}

}  // namespace basalt::cli::vcctl
