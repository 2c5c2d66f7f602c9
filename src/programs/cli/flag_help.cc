#include "programs/cli/flag_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace basalt::cli {
namespace {

constexpr size_t kColumn = 32;     // where the explanations of flags begin
constexpr size_t kNoScreen = 110;  // the width that is assumed without one
constexpr size_t kNarrowest = 60;

// `text` broken into lines of at most `room` columns, where there are blanks to break it.
std::string wrapped(std::string_view text, size_t room, size_t indent) {
  std::string out;
  while (text.size() > room) {
    size_t at = text.rfind(' ', room);
    if (at == std::string_view::npos || at == 0) at = std::min(text.find(' '), text.size());
    out += fmt::format("{}\n{}", text.substr(0, at), std::string(indent, ' '));
    text.remove_prefix(std::min(at + 1, text.size()));
  }
  return out + std::string(text);
}

// pflag's word for the value, after a blank; and how it shows a default.
struct KindWords {
  std::string_view value;
  bool in_quotes = false;
};

KindWords words_of_kind(FlagKind kind) {
  switch (kind) {
    case FlagKind::Number:
    case FlagKind::Integer:
    case FlagKind::Int32:
      return {.value = " int"};
    case FlagKind::Real:
      return {.value = " float"};
    case FlagKind::Length:
      return {.value = " duration"};
    case FlagKind::Switch:
      return {.value = ""};
    case FlagKind::List:
    case FlagKind::Texts:
      return {.value = " strings", .in_quotes = true};
    case FlagKind::Text:
      break;
  }
  return {.value = " string", .in_quotes = true};
}

std::string flag_line(const Flag& flag, size_t width) {
  const KindWords words = words_of_kind(flag.kind);
  std::string left =
      flag.letter == '\0' ? fmt::format("      --{}", flag.name) : fmt::format("  -{}, --{}", flag.letter, flag.name);
  left += words.value;
  std::string text(flag.help);
  if (!flag.value.empty() && flag.value != "0" && flag.value != "false") {
    const std::string_view quote = words.in_quotes ? "\"" : "";
    text += fmt::format(" (default {0}{1}{0})", quote, flag.value);
  }
  const size_t room = std::max(width == 0 ? kNoScreen : width, kNarrowest) - kColumn;
  if (left.size() >= kColumn) left += fmt::format("\n{}", std::string(kColumn, ' '));
  return fmt::format("{:<{}}{}\n", left, kColumn, wrapped(text, room, kColumn));
}

}  // namespace

std::string flag_lines(std::span<const Flag> rows, size_t width) {
  std::string out;
  for (const Flag& row : rows) {
    if (!row.hidden && row.idle.empty()) out += flag_line(row, width);
  }
  return out;
}

std::string grouped_flag_lines(std::span<const Flag> rows, size_t width) {
  static constexpr std::array<std::pair<FlagGroup, std::string_view>, 6> kTitles = {{
      {FlagGroup::Work, "What it does"},
      {FlagGroup::Kubernetes, "The API server"},
      {FlagGroup::Election, "Leader election"},
      {FlagGroup::Health, "Health and metrics"},
      {FlagGroup::Log, "The log"},
      {FlagGroup::Other, "Other"},
  }};
  std::string out, without_effect;
  for (const auto& [group, title] : kTitles) {
    std::vector<Flag> members;
    std::ranges::copy_if(rows, std::back_inserter(members), [group](const Flag& row) { return row.group == group; });
    const std::string lines = flag_lines(members, width);
    if (!lines.empty()) out += fmt::format("\n{}:\n{}", title, lines);
  }
  for (const Flag& row : rows) {
    if (!row.idle.empty()) without_effect += fmt::format("  --{}: {}\n", row.name, row.idle);
  }
  if (!without_effect.empty()) out += "\nTaken for the sake of Volcano's manifests, without effect:\n" + without_effect;
  return out;
}

}  // namespace basalt::cli
