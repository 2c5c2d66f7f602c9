// Tables of Volcano's tools: text to the left, every column as wide as its rule says.
//
// The widths are Volcano's where the values fit; where Volcano would run two columns into each other, ours grows, so
// that tables always line up. Cells are made printable; a tone colours the text, never the blanks around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client/object_client.h"
#include "programs/cli/vcctl/terminal.h"

namespace basalt::cli::vcctl {

enum class WidthRule : uint8_t {
  Fixed,     // `blanks` columns; more when a value needs it
  Longest,   // the longest of header and values, and `blanks` more
  Spacious,  // the header and 2 more, or the longest value and 8 more
};

struct Width {
  WidthRule rule = WidthRule::Longest;
  size_t blanks = 4;
};

// Of lists that Volcano fits to their values.
inline constexpr Width kListWidth{.rule = WidthRule::Longest, .blanks = 4};

struct Cell {
  std::string text;
  Tone tone = Tone::Plain;
};

// A word that says how something is, in its colour.
[[nodiscard]] Cell phase_cell(std::string_view phase);

struct TableColumn {
  std::string_view header;
  Width width;
  std::function<Cell(const text::Object& object, Instant now)> cell;
  bool hide_when_empty = false;  // left out while no row has anything to say in it
};

// Prints rows under headers; rows that come later (a watch) keep the widths of the first ones.
class Table {
 public:
  explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  // The first call also prints the headers. Requires: every pointer is an object. Cost: O(cells).
  void print(Terminal& terminal, std::span<const client::ObjectPtr> objects);

 private:
  void hide_empty_columns(std::vector<std::vector<Cell>>& rows);
  void measure(const std::vector<std::vector<Cell>>& rows);

  std::vector<TableColumn> columns_;
  std::vector<size_t> widths_;  // empty: nothing was printed yet
};

}  // namespace basalt::cli::vcctl
