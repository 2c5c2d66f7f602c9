#include "programs/cli/vcctl/completion_fish.h"

#include <fmt/format.h>

namespace basalt::cli::vcctl {
namespace {

// Names of a kind, on the server and in the namespace that the words before the cursor name. -n is the namespace in
// vcctl, but for queues, and in basalt; in the other tools it is -N.
constexpr std::string_view kFishFunctions = R"fish(function __vcctl_names
    set -l words $argv
    set -l tokens (commandline -opc)
    set -l program (string replace -r '.*/' '' -- $tokens[1])
    set -l place -N
    if test "$program" = basalt; or test "$program" = vcctl
        set place -n
    end
    if test "$program" = vcctl; and test "$tokens[2]" = queue
        set place
    end
    set -l before ''
    for token in $tokens[2..-1]
        if contains -- $before -k --kubeconfig --context -s --master
            set -a words $before $token
        else if contains -- $before --namespace $place
            set -a words -n $token
        else if string match -q -- '--namespace=*' $token
            set -a words -n (string replace -- --namespace= '' $token)
        end
        set before $token
    end
    BASALT_VOLCANO_OUTPUT= vcctl names $words 2>/dev/null
end
function __basalt_flags
    basalt (commandline -opc)[2] --help 2>/dev/null | string match -ra -- '--[a-z][a-z-]*'
end
function __basalt_follows
    __fish_seen_subcommand_from follow
end
complete -c basalt -f -n __fish_use_subcommand -a '(basalt --help | string replace -rf "^  ([a-z]+) .*" "\$1")'
complete -c basalt -n 'not __fish_use_subcommand' -a '(__basalt_flags)'
complete -c basalt -f -n '__basalt_follows; and not __fish_seen_subcommand_from job' -a job
complete -c basalt -f -n '__basalt_follows; and __fish_seen_subcommand_from job' -a '(__vcctl_names job)'
complete -c basalt -f -n __basalt_follows -s n -l namespace -r -a '(__vcctl_names namespace)'
complete -c basalt -f -n __basalt_follows -l until -r -a 'Running Completed'
)fish";

// The word besides the flags, where it is the name of an object.
std::string fish_names(std::string_view program, std::string_view condition, const Command& command) {
  const std::string_view kind = kind_of_name(command);
  return kind.empty() ? "" : fmt::format("complete -c {} -f{} -a '(__vcctl_names {})'\n", program, condition, kind);
}

std::string fish_flag(std::string_view program, std::string_view condition, const Command& command, const Flag& flag) {
  const std::string_view kind = kind_behind(command, flag);
  std::string line = fmt::format("complete -c {}{} -l {}", program, condition, flag.name);
  if (flag.letter != '\0') line += fmt::format(" -s {}", flag.letter);
  if (flag.kind != FlagKind::Switch) line += " -r";
  if (!kind.empty()) line += fmt::format(" -f -a '(__vcctl_names {})'", kind);
  if (!flag.choices.empty()) line += fmt::format(" -f -a '{}'", flag.choices);
  std::string help(flag.help);
  for (size_t at = 0; (at = help.find('\'', at)) != std::string::npos; at += 2) help.insert(at, 1, '\\');
  return line + fmt::format(" -d '{}'\n", help);
}

}  // namespace

std::string fish_script() {
  std::string out = "# fish completion for vcctl, its stand-alone tools and basalt\n" + std::string(kFishFunctions);
  std::string first = "help";
  for (const CommandGroup& group : groups()) first += fmt::format(" {}", group.name);
  for (const Command& command : commands()) {
    if (command.group.empty() && !command.hidden) first += fmt::format(" {}", command.name);
  }
  out += fmt::format("complete -c vcctl -f -n __fish_use_subcommand -a '{}'\n", first);
  for (const Command& command : commands()) {
    if (command.hidden) continue;
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
    out += fish_names("vcctl", here, command);
    for (const Flag& flag : flags_of(command)) {
      if (!flag.hidden) out += fish_flag("vcctl", here, command, flag);
    }
  }
  for (const Command& tool : tools()) {
    out += fish_names(tool.name, "", tool);
    for (const Flag& flag : flags_of(tool)) {
      if (!flag.hidden) out += fish_flag(tool.name, "", tool, flag);
    }
  }
  return out;
}

}  // namespace basalt::cli::vcctl
