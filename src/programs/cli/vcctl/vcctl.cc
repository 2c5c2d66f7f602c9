#include "programs/cli/vcctl/vcctl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <ostream>

#include "base/nearest_name.h"
#include "kube/text/document_path.h"
#include "programs/cli/vcctl/command_session.h"
#include "programs/cli/vcctl/command_table.h"
#include "programs/cli/vcctl/connect_by_flags.h"
#include "programs/cli/vcctl/help.h"

namespace basalt::cli::vcctl {
namespace {

bool asks_for_help(std::string_view word) { return word == "-h" || word == "--help" || word == "help"; }

int wrong_words(Terminal& terminal, std::string_view message) {
  terminal.err << "Error: " << message << '\n';
  return kUsageError;
}

// What may stand behind `vcctl`, or behind `vcctl job`.
std::vector<std::string_view> known_words(const CommandGroup* group) {
  std::vector<std::string_view> words;
  for (const CommandGroup& row : groups()) {
    if (group == nullptr) words.push_back(row.name);
  }
  for (const Command& row : commands()) {
    if (!row.hidden && row.group == (group == nullptr ? "" : group->name)) words.push_back(row.name);
  }
  return words;
}

int unknown_command(Terminal& terminal, std::string_view word, const CommandGroup* group) {
  const std::string program = group == nullptr ? "vcctl" : fmt::format("vcctl {}", group->name);
  if (word.starts_with("-")) {
    constexpr std::array<std::string_view, 3> kFlags = {"--help", "--version", "--volcano-output"};
    const std::string_view meant = nearest(word, std::span(kFlags).first(group == nullptr ? kFlags.size() : 1));
    std::string message = fmt::format("unknown flag: {}", printable(word));
    if (terminal.volcano_output) return wrong_words(terminal, message);
    if (!meant.empty()) message += fmt::format("; did you mean {}?", meant);
    return wrong_words(terminal, fmt::format("{}\nRun '{} --help' for usage.", message, program));
  }
  const std::string_view meant = terminal.volcano_output ? "" : nearest(word, known_words(group));
  return wrong_words(terminal,
                     fmt::format("unknown command {} for \"{}\"{}\nRun '{} --help' for usage.", text::in_quotes(word),
                                 program, meant.empty() ? "" : fmt::format("; did you mean \"{}\"?", meant), program));
}

// The refusal of a flag that nobody knows, with the one that may have been meant.
std::string with_meant_flag(const Command& command, const std::string& message) {
  constexpr std::string_view kUnknown = "unknown flag: --";
  if (!message.starts_with(kUnknown)) return message;
  const std::vector<Flag> rows = flags_of(command);
  std::vector<std::string_view> names;
  for (const Flag& row : rows) {
    if (!row.hidden) names.push_back(row.name);
  }
  const std::string_view meant = nearest(std::string_view(message).substr(kUnknown.size()), names);
  return meant.empty() ? message : fmt::format("{}; did you mean --{}?", message, meant);
}

// Volcano: the usage first, so that the last line on the screen is what is wrong.
int wrong_flags(const Command& command, const std::string& message, Terminal& terminal) {
  if (terminal.volcano_output) {
    terminal.err << help_of_command(command, terminal.width) << '\n';
    return wrong_words(terminal, message);
  }
  return wrong_words(
      terminal, fmt::format("{}\nRun '{} --help' for usage.", with_meant_flag(command, message), words_of(command)));
}

// Takes --volcano-output out of the words, so that it may stand anywhere before "--", and looks at the variable.
bool wants_volcanos_output(std::vector<std::string>& words, const Terminal& terminal) {
  const std::string variable = terminal.environment("BASALT_VOLCANO_OUTPUT");
  const auto end = std::find(words.begin(), words.end(), "--");
  const auto kept = std::remove(words.begin(), end, "--volcano-output");
  const bool flag = kept != end;
  words.erase(kept, end);
  return flag || (!variable.empty() && variable != "0" && variable != "false");
}

// One word besides the flags is the name, or what the row says; more are a mistake.
Result<void> place_arguments(const Command& command, FlagValues& flags) {
  const size_t allowed = !command.words.empty() || takes_name(command) ? 1 : 0;
  if (flags.arguments().size() > allowed) {
    return invalid(
        fmt::format("unknown argument {} for \"{}\"", text::in_quotes(flags.arguments()[allowed]), words_of(command)));
  }
  if (flags.arguments().empty() || !command.words.empty()) return {};
  if (flags.given("name")) {
    return invalid(fmt::format("the name is given twice: {} and --name {}", text::in_quotes(flags.arguments()[0]),
                               text::in_quotes(flags.text("name"))));
  }
  flags.set_text("name", flags.arguments()[0]);
  return {};
}

// The exit code of the command.
Result<int> carry_out(const Command& command, const FlagValues& flags, const Connect& connect, Terminal& terminal) {
  if (command.offline != nullptr) {
    if (auto done = command.offline(flags, terminal); !done) return std::unexpected(done.error());
    return kOk;
  }
  const auto client = connect(flags);
  if (!client) return std::unexpected(client.error());
  CommandSession session{.flags = flags, .api = **client, .terminal = terminal};
  if (auto done = command.run(session); !done) return std::unexpected(done.error());
  return session.exit_code;
}

int command_failed(const Command& command, const FlagValues& flags, const std::string& why, Terminal& terminal) {
  const bool tool = find_tool(command.name) == &command;
  const std::string words_back =
      command.group.empty() ? std::string(command.name) : fmt::format("{} {}", command.name, command.group);
  if (!terminal.volcano_output) {
    terminal.err << (tool ? fmt::format("{}: {}\n", command.name, why)
                          : fmt::format("Failed to {}: {}\n", words_back, why));
    return kCommandFailed;
  }
  const bool for_programs = command.shows && (flags.given("output") || flags.given("watch"));
  (for_programs ? terminal.err : terminal.out)
      << (tool ? fmt::format("Failed to: {}\n", why) : fmt::format("Failed to {}: {}\n", words_back, why));
  return kVolcanoFailureCode;
}

int run_command(const Command& command, std::vector<std::string> words, const Connect& connect, Terminal& terminal) {
  auto flags = FlagValues::read(flags_of(command), words, FlagSpelling::Tool);
  if (flags && flags->on("help")) {
    terminal.out << help_of_command(command, terminal.width);
    return kOk;
  }
  if (flags && flags->on("version")) {
    terminal.out << program_version() << '\n';
    return kOk;
  }
  if (flags) {
    if (auto placed = place_arguments(command, *flags); !placed) flags = std::unexpected(placed.error());
  }
  if (!flags) return wrong_flags(command, flags.error().message, terminal);
  const auto done = carry_out(command, *flags, connect, terminal);
  return done ? *done : command_failed(command, *flags, done.error().message, terminal);
}

// `vcctl help job run` and the like.
int help_about(const std::vector<std::string>& words, Terminal& terminal) {
  const std::string first = words.empty() ? "" : words[0], second = words.size() < 2 ? "" : words[1];
  const CommandGroup* group = find_group(first);
  const Command* command = group == nullptr ? find_command("", first) : find_command(first, second);
  if (first.empty()) {
    terminal.out << help_of_program();
  } else if (command != nullptr) {
    terminal.out << help_of_command(*command, terminal.width);
  } else if (group != nullptr && second.empty()) {
    terminal.out << help_of_group(*group);
  } else {
    return unknown_command(terminal, group == nullptr ? first : second, group);
  }
  return kOk;
}

std::vector<std::string> strings(Words words) { return {words.begin(), words.end()}; }

// The client may write to a connection that the server has closed; that is an error, not a reason to die.
void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

int finish(int code, Terminal& terminal) {
  terminal.out.flush();
  return code;
}

}  // namespace

int run_words(std::vector<std::string> words, const Connect& connect, Terminal& terminal) {
  terminal.volcano_output = wants_volcanos_output(words, terminal);
  if (!words.empty() && words[0] == "--version") {
    terminal.out << program_version() << '\n';
    return kOk;
  }
  if (words.empty() || asks_for_help(words[0])) {
    if (!words.empty()) words.erase(words.begin());
    return help_about(words, terminal);
  }
  const CommandGroup* group = find_group(words[0]);
  if (group != nullptr && (words.size() < 2 || asks_for_help(words[1]))) {
    terminal.out << help_of_group(*group);
    return kOk;
  }
  const size_t used = group == nullptr ? 1 : 2;
  const Command* command = group == nullptr ? find_command("", words[0]) : find_command(words[0], words[1]);
  if (command == nullptr) {
    return unknown_command(terminal, words[used - 1], group);
  }
  words.erase(words.begin(), words.begin() + static_cast<ptrdiff_t>(used));
  return run_command(*command, std::move(words), connect, terminal);
}

int run_tool_words(std::string_view tool, std::vector<std::string> words, const Connect& connect, Terminal& terminal) {
  const Command* command = find_tool(tool);
  if (command == nullptr) return unknown_command(terminal, tool, nullptr);
  terminal.volcano_output = wants_volcanos_output(words, terminal);
  return run_command(*command, std::move(words), connect, terminal);
}

int run_vcctl(Words words) {
  ignore_broken_pipes();
  Terminal terminal = real_terminal();
  return finish(run_words(strings(words), &connect_by_flags, terminal), terminal);
}

int run_alias(std::string_view tool, Words words) {
  ignore_broken_pipes();
  Terminal terminal = real_terminal();
  return finish(run_tool_words(tool, strings(words), &connect_by_flags, terminal), terminal);
}

bool is_alias(std::string_view program) { return find_tool(program) != nullptr; }

}  // namespace basalt::cli::vcctl
