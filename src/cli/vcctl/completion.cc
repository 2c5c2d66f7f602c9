// vcctl completion: scripts for bash, zsh and fish, made from the rows of the command table. They ask no server.
#include <fmt/format.h>

#include <ostream>

#include "cli/vcctl/command_table.h"

namespace basalt::cli::vcctl {
namespace {

struct Line {
  std::string path;   // "job run", "version", "" for vcctl itself; a tool: its name with a '/' before it
  std::string words;  // what may come next
};

std::string flag_words(const Command& command) {
  std::string words;
  for (const Flag& flag : flags_of(command)) {
    if (flag.hidden) continue;
    words += fmt::format("{}--{}", words.empty() ? "" : " ", flag.name);
    if (flag.letter != '\0') words += fmt::format(" -{}", flag.letter);
  }
  return words;
}

std::string path_of(const Command& command) {
  return command.group.empty() ? std::string(command.name) : fmt::format("{} {}", command.group, command.name);
}

std::vector<Line> lines() {
  std::vector<Line> out{{.path = "", .words = "help"}};
  for (const Group& group : groups()) out[0].words += fmt::format(" {}", group.name);
  for (const Group& group : groups()) {
    Line line{.path = std::string(group.name), .words = {}};
    for (const Command& command : commands()) {
      if (command.group == group.name) line.words += fmt::format("{}{}", line.words.empty() ? "" : " ", command.name);
    }
    out.push_back(std::move(line));
  }
  for (const Command& command : commands()) {
    if (command.group.empty()) out[0].words += fmt::format(" {}", command.name);
    const std::string_view words = command.words;
    out.push_back({.path = path_of(command),
                   .words = fmt::format("{}{}{}", words, words.empty() ? "" : " ", flag_words(command))});
  }
  for (const Command& tool : tools()) out.push_back({.path = fmt::format("/{}", tool.name), .words = flag_words(tool)});
  return out;
}

// Values of flags that have a fixed set: "job list/-o" → "json yaml wide name".
std::vector<Line> choices() {
  std::vector<Line> out;
  const auto add = [&out](const Command& command, const std::string& path) {
    for (const Flag& flag : flags_of(command)) {
      if (flag.choices.empty()) continue;
      out.push_back({.path = fmt::format("{}/--{}", path, flag.name), .words = std::string(flag.choices)});
      out.push_back({.path = fmt::format("{}/-{}", path, flag.letter), .words = std::string(flag.choices)});
    }
  };
  for (const Command& command : commands()) add(command, path_of(command));
  for (const Command& tool : tools()) add(tool, fmt::format("/{}", tool.name));
  return out;
}

// Flags after which a file name comes.
constexpr std::string_view kFileFlags = "-f|--file|--filename|-k|--kubeconfig";

std::string cases(const std::vector<Line>& rows, std::string_view set) {
  std::string out;
  for (const Line& row : rows) out += fmt::format("    \"{}\") {}=\"{}\" ;;\n", row.path, set, row.words);
  return out;
}

// One function for vcctl and the tools; it finds the command among the words before the cursor.
std::string bash_script() {
  std::string tool_names;
  for (const Command& tool : tools()) tool_names += fmt::format(" {}", tool.name);
  return fmt::format(R"(# bash completion for vcctl and its stand-alone tools
_vcctl() {{
  local cur prev path="" word words=""
  cur="${{COMP_WORDS[COMP_CWORD]}}"
  prev="${{COMP_WORDS[COMP_CWORD-1]}}"
  case "${{COMP_WORDS[0]##*/}}" in
    vcctl)
      for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$word" in
          -*) break ;;
          *) path="${{path:+$path }}$word" ;;
        esac
      done ;;
    *) path="/${{COMP_WORDS[0]##*/}}" ;;
  esac
  case "$prev" in
    {0}) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  case "$path/$prev" in
{1}  esac
  if [[ -z $words ]]; then
    case "$path" in
{2}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -F _vcctl vcctl{3}
)",
                     kFileFlags, cases(choices(), "words"), cases(lines(), "words"), tool_names);
}

// zsh runs the function for bash by its own emulation of it.
std::string zsh_script() {
  return "#compdef vcctl vsub vjobs vqueues vcancel vsuspend vresume\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script();
}

std::string fish_flag(std::string_view program, std::string_view condition, const Flag& flag) {
  std::string line = fmt::format("complete -c {}{} -l {}", program, condition, flag.name);
  if (flag.letter != '\0') line += fmt::format(" -s {}", flag.letter);
  if (flag.kind != FlagKind::Switch) line += " -r";
  if (!flag.choices.empty()) line += fmt::format(" -f -a '{}'", flag.choices);
  return line + fmt::format(" -d '{}'\n", flag.help);
}

std::string fish_script() {
  std::string out = "# fish completion for vcctl and its stand-alone tools\n";
  std::string first = "help";
  for (const Group& group : groups()) first += fmt::format(" {}", group.name);
  for (const Command& command : commands()) {
    if (command.group.empty()) first += fmt::format(" {}", command.name);
  }
  out += fmt::format("complete -c vcctl -f -n __fish_use_subcommand -a '{}'\n", first);
  for (const Command& command : commands()) {
    std::string here = fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
    if (!command.group.empty()) {
      out += fmt::format(
          "complete -c vcctl -f -n '__fish_seen_subcommand_from {0}; and not __fish_seen_subcommand_from "
          "run list view suspend resume create operate get describe delete' -a {1} -d '{2}'\n",
          command.group, command.name, command.summary);
      here = fmt::format(" -n '__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}'", command.group,
                         command.name);
    }
    if (!command.words.empty()) out += fmt::format("complete -c vcctl -f{} -a '{}'\n", here, command.words);
    for (const Flag& flag : flags_of(command)) {
      if (!flag.hidden) out += fish_flag("vcctl", here, flag);
    }
  }
  for (const Command& tool : tools()) {
    for (const Flag& flag : flags_of(tool)) {
      if (!flag.hidden) out += fish_flag(tool.name, "", flag);
    }
  }
  return out;
}

}  // namespace

Result<void> print_completion(const Flags& flags, Terminal& terminal) {
  const std::string shell = flags.arguments().empty() ? "" : flags.arguments()[0];
  if (shell == "bash") {
    terminal.out << bash_script();
  } else if (shell == "zsh") {
    terminal.out << zsh_script();
  } else if (shell == "fish") {
    terminal.out << fish_script();
  } else {
    return invalid("name a shell: bash, zsh or fish");
  }
  return {};
}

}  // namespace basalt::cli::vcctl
