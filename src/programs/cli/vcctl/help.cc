#include "programs/cli/vcctl/help.h"

#include <fmt/format.h>

#include <algorithm>

namespace basalt::cli::vcctl {
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

std::string flag_line(const VcctlFlag& flag, size_t width) {
  std::string left =
      flag.letter == '\0' ? fmt::format("      --{}", flag.name) : fmt::format("  -{}, --{}", flag.letter, flag.name);
  if (flag.kind != VcctlFlagKind::Switch) left += flag.kind == VcctlFlagKind::Number ? " int" : " string";
  std::string text(flag.help);
  if (!flag.value.empty() && flag.value != "0") {
    text += flag.kind == VcctlFlagKind::Number ? fmt::format(" (default {})", flag.value)
                                               : fmt::format(" (default \"{}\")", flag.value);
  }
  const size_t room = std::max(width == 0 ? kNoScreen : width, kNarrowest) - kColumn;
  return fmt::format("{:<{}}{}\n", left, left.size() < kColumn ? kColumn : left.size() + 1,
                     wrapped(text, room, kColumn));
}

std::string indented(std::string_view lines) {
  std::string out;
  for (size_t at = 0; at < lines.size();) {
    const size_t end = std::min(lines.find('\n', at), lines.size());
    out += fmt::format("  {}\n", lines.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace

std::string words_of(const Command& command) {
  if (find_tool(command.name) == &command) return std::string(command.name);
  return command.group.empty() ? fmt::format("vcctl {}", command.name)
                               : fmt::format("vcctl {} {}", command.group, command.name);
}

std::string help_of_program() {
  std::string out = "vcctl works with jobs, queues and what belongs to them.\n\nUsage:\n  vcctl [command]\n\n";
  out += "Available Commands:\n";
  for (const CommandGroup& group : groups()) out += fmt::format("  {:<13}{}\n", group.name, group.summary);
  for (const Command& command : commands()) {
    if (command.group.empty() && !command.hidden) out += fmt::format("  {:<13}{}\n", command.name, command.summary);
  }
  return out + "\nUse \"vcctl [command] --help\" for more information about a command.\n";
}

std::string help_of_group(const CommandGroup& group) {
  std::string out =
      fmt::format("{}\n\nUsage:\n  vcctl {} [command]\n\nAvailable Commands:\n", group.summary, group.name);
  for (const Command& command : commands()) {
    if (command.group == group.name) out += fmt::format("  {:<10}{}\n", command.name, command.summary);
  }
  return out + fmt::format("\nUse \"vcctl {} [command] --help\" for more information about a command.\n", group.name);
}

std::string help_of_command(const Command& command, size_t width) {
  std::string usage = words_of(command);
  if (!command.words.empty()) {
    std::string words(command.words);
    std::replace(words.begin(), words.end(), ' ', '|');
    usage += " " + words;
  } else if (takes_name(command)) {
    usage += " [name]";
  }
  std::string out = fmt::format("{}\n\nUsage:\n  {} [flags]\n\nExamples:\n{}\nFlags:\n", command.summary, usage,
                                indented(command.examples));
  for (const VcctlFlag& flag : flags_of(command)) {
    if (!flag.hidden) out += flag_line(flag, width);
  }
  return out;
}

}  // namespace basalt::cli::vcctl
