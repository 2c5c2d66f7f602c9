#include "programs/cli/vcctl/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "programs/cli/flag_help.h"

namespace basalt::cli::vcctl {
namespace {

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
  return out + flag_lines(flags_of(command), width);
}

}  // namespace basalt::cli::vcctl
