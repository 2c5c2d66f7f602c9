#include "cli/vcctl/vcctl.h"

#include <fmt/format.h>

#include <csignal>
#include <ostream>

#include "cli/vcctl/command_table.h"
#include "cli/vcctl/connect.h"
#include "cli/vcctl/help.h"
#include "cli/vcctl/session.h"
#include "text/path.h"

namespace basalt::cli::vcctl {
namespace {

bool asks_for_help(std::string_view word) { return word == "-h" || word == "--help" || word == "help"; }

int wrong_words(Terminal& terminal, std::string_view message) {
  terminal.err << "Error: " << message << '\n';
  return kWrongWords;
}

int unknown_command(Terminal& terminal, std::string_view word, std::string_view program) {
  if (word.starts_with("-")) return wrong_words(terminal, fmt::format("unknown flag: {}", printable(word)));
  return wrong_words(terminal, fmt::format("unknown command {} for \"{}\"\nRun '{} --help' for usage.",
                                           text::in_quotes(word), program, program));
}

// One word besides the flags is the name, or what the row says; more are a mistake.
Result<void> place_arguments(const Command& command, Flags& flags) {
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
  flags.set("name", flags.arguments()[0]);
  return {};
}

Result<void> carry_out(const Command& command, const Flags& flags, const Connect& connect, Terminal& terminal) {
  if (command.offline != nullptr) return command.offline(flags, terminal);
  const auto client = connect(flags);
  if (!client) return std::unexpected(client.error());
  Session session{.flags = flags, .api = **client, .terminal = terminal};
  return command.run(session);
}

int run_command(const Command& command, std::vector<std::string> words, const Connect& connect, Terminal& terminal) {
  auto flags = parse_flags(flags_of(command), std::move(words));
  if (flags && flags->on("help")) {
    terminal.out << help_of_command(command, terminal.width);
    return kOk;
  }
  if (flags) {
    if (auto placed = place_arguments(command, *flags); !placed) flags = std::unexpected(placed.error());
  }
  if (!flags) {
    // The usage first, so that the last line on the screen is what is wrong.
    terminal.err << help_of_command(command, terminal.width) << '\n';
    return wrong_words(terminal, flags.error().message);
  }
  const auto done = carry_out(command, *flags, connect, terminal);
  if (done) return kOk;
  const bool for_programs = command.shows && (flags->given("output") || flags->given("watch"));
  std::string words_back =
      command.group.empty() ? std::string(command.name) : fmt::format("{} {}", command.name, command.group);
  if (find_tool(command.name) == &command) words_back.clear();
  (for_programs ? terminal.err : terminal.out)
      << fmt::format("Failed to{}{}: {}\n", words_back.empty() ? "" : " ", words_back, done.error().message);
  return kCommandFailed;
}

// `vcctl help job run` and the like.
int help_about(const std::vector<std::string>& words, Terminal& terminal) {
  const std::string first = words.empty() ? "" : words[0], second = words.size() < 2 ? "" : words[1];
  const Group* group = find_group(first);
  const Command* command = group == nullptr ? find_command("", first) : find_command(first, second);
  if (first.empty()) {
    terminal.out << help_of_program();
  } else if (command != nullptr) {
    terminal.out << help_of_command(*command, terminal.width);
  } else if (group != nullptr && second.empty()) {
    terminal.out << help_of_group(*group);
  } else {
    return unknown_command(terminal, group == nullptr ? first : second, "vcctl");
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
  if (words.empty() || asks_for_help(words[0])) {
    if (!words.empty()) words.erase(words.begin());
    return help_about(words, terminal);
  }
  const Group* group = find_group(words[0]);
  if (group != nullptr && (words.size() < 2 || asks_for_help(words[1]))) {
    terminal.out << help_of_group(*group);
    return kOk;
  }
  const size_t used = group == nullptr ? 1 : 2;
  const Command* command = group == nullptr ? find_command("", words[0]) : find_command(words[0], words[1]);
  if (command == nullptr) {
    return unknown_command(terminal, words[used - 1],
                           group == nullptr ? "vcctl" : fmt::format("vcctl {}", group->name));
  }
  words.erase(words.begin(), words.begin() + static_cast<ptrdiff_t>(used));
  return run_command(*command, std::move(words), connect, terminal);
}

int run_tool_words(std::string_view tool, std::vector<std::string> words, const Connect& connect, Terminal& terminal) {
  const Command* command = find_tool(tool);
  if (command == nullptr) return unknown_command(terminal, tool, "vcctl");
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
