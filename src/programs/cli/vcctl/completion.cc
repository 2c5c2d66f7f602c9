// vcctl completion: scripts for bash, zsh and fish, made from the rows of the command table. Names of objects
// they ask of the server, by `vcctl names`; the verbs of basalt and their flags, of its help.
#include <fmt/format.h>

#include <ostream>

#include "programs/cli/vcctl/command_table.h"
#include "programs/cli/vcctl/completion_fish.h"

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
  for (const CommandGroup& group : groups()) out[0].words += fmt::format(" {}", group.name);
  for (const CommandGroup& group : groups()) {
    Line line{.path = std::string(group.name), .words = {}};
    for (const Command& command : commands()) {
      if (command.group == group.name) line.words += fmt::format("{}{}", line.words.empty() ? "" : " ", command.name);
    }
    out.push_back(std::move(line));
  }
  for (const Command& command : commands()) {
    if (command.hidden) continue;
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
      if (flag.letter != '\0')
        out.push_back({.path = fmt::format("{}/-{}", path, flag.letter), .words = std::string(flag.choices)});
    }
  };
  for (const Command& command : commands()) add(command, path_of(command));
  for (const Command& tool : tools()) add(tool, fmt::format("/{}", tool.name));
  return out;
}

// Where names of objects stand: "job view/-N" → "job"; "job view" for the word besides the flags.
std::vector<Line> named() {
  std::vector<Line> out;
  const auto add = [&out](const Command& command, const std::string& path) {
    for (const Flag& flag : flags_of(command)) {
      const std::string_view kind = kind_behind(command, flag);
      if (kind.empty()) continue;
      out.push_back({.path = fmt::format("{}/--{}", path, flag.name), .words = std::string(kind)});
      if (flag.letter != '\0')
        out.push_back({.path = fmt::format("{}/-{}", path, flag.letter), .words = out.back().words});
    }
    if (!kind_of_name(command).empty()) out.push_back({.path = path, .words = std::string(kind_of_name(command))});
  };
  for (const Command& command : commands()) {
    if (!command.hidden) add(command, path_of(command));
  }
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

// Verbs, their flags, and the names behind `basalt follow job`.
constexpr std::string_view kBasaltFunction = R"sh(_basalt() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" verb="${COMP_WORDS[1]}" words=""
  if ((COMP_CWORD == 1)); then
    words="$(basalt --help 2>/dev/null | sed -n "s/^  \([a-z][a-z]*\) .*/\1/p")"
  elif [[ $verb == vcctl ]]; then
    COMP_WORDS=(vcctl "${COMP_WORDS[@]:2}")
    COMP_CWORD=$((COMP_CWORD - 1))
    _vcctl
    return
  elif [[ $cur == -* ]]; then
    words="$(basalt "$verb" --help 2>/dev/null | grep -oE -- "--[a-z][a-z-]*" | sort -u)"
  elif [[ $verb == follow ]]; then
    case "$prev" in
      -k|--kubeconfig) COMPREPLY=($(compgen -f -- "$cur")); return ;;
      -n|--namespace) words="$(_vcctl_names namespace)" ;;
      --until) words="Running Completed" ;;
      -*) ;;
      follow) words="job" ;;
      *) words="$(_vcctl_names job)" ;;
    esac
  else
    COMPREPLY=($(compgen -f -- "$cur"))
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _basalt basalt
)sh";

// One function for vcctl and the tools; it finds the command among the words before the cursor.
std::string bash_script() {
  std::string tool_names;
  for (const Command& tool : tools()) tool_names += fmt::format(" {}", tool.name);
  return fmt::format(R"sh(# bash completion for vcctl, its stand-alone tools and basalt
_vcctl_names() {{
  local word before="" words=("$1") limit=()
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$before" in
      -k|--kubeconfig|--context|-s|--master) words+=("$before" "$word") ;;
      --namespace) words+=(-n "$word") ;;
      -n) case "${{COMP_WORDS[0]##*/}} ${{COMP_WORDS[1]}}" in
          "vcctl queue") ;;
          vcctl*|basalt*) words+=(-n "$word") ;;
        esac ;;
      -N) [[ ${{COMP_WORDS[0]##*/}} != vcctl ]] && words+=(-n "$word") ;;
    esac
    before="$word"
  done
  command -v timeout >/dev/null && limit=(timeout 5)
  BASALT_VOLCANO_OUTPUT= "${{limit[@]}}" vcctl names "${{words[@]}}" 2>/dev/null
}}
_vcctl() {{
  local cur prev path="" word words="" kind=""
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
  case "$path/$prev" in
{4}  esac
  if [[ -n $kind ]]; then
    words="$(_vcctl_names "$kind")"
  elif [[ -z $words ]]; then
    case "$path" in
{2}    esac
    if [[ $cur != -* ]]; then
      case "$path" in
{4}      esac
      [[ -z $kind ]] || words="$words $(_vcctl_names "$kind")"
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -F _vcctl vcctl{3}
{5})sh",
                     kFileFlags, cases(choices(), "words"), cases(lines(), "words"), tool_names, cases(named(), "kind"),
                     kBasaltFunction);
}

// zsh runs the function for bash by its own emulation of it.
std::string zsh_script() {
  return "#compdef vcctl vsub vjobs vqueues vcancel vsuspend vresume basalt\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script();
}

}  // namespace

Result<void> print_completion(const FlagValues& flags, Terminal& terminal) {
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
