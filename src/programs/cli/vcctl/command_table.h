// Every command of vcctl and every stand-alone tool, as rows: words, flags, what it does. Parsing, help and completion
// read these rows; a new command is one more.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "programs/cli/flag_table.h"
#include "programs/cli/vcctl/commands.h"

namespace basalt::cli::vcctl {

struct Command {
  std::string_view group;              // "job" of `vcctl job run`; "" for `vcctl version` and for stand-alone tools
  std::string_view name;               // "run", "version", "vsub"
  std::string_view summary, examples;  // examples: lines without an end
  std::span<const Flag> flags;         // its own; flags_of() adds the common ones
  bool shows = false;                  // it has --output and --watch
  bool hidden = false;                 // neither in the help nor completed
  std::string_view words = {};         // what one word besides flags may be: "bash zsh fish"; "": see takes_name()
  // Exactly one of the two is set: with a server or without.
  Result<void> (*run)(CommandSession& session) = nullptr;
  Result<void> (*offline)(const FlagValues& flags, Terminal& terminal) = nullptr;
};

struct CommandGroup {
  std::string_view name, summary;
};

[[nodiscard]] std::span<const CommandGroup> groups();  // in the order of the help
[[nodiscard]] std::span<const Command> commands();     // of vcctl, group by group
[[nodiscard]] std::span<const Command> tools();        // vsub, vjobs …

// nullptr: there is none.
[[nodiscard]] const Command* find_command(std::string_view group, std::string_view name);
[[nodiscard]] const Command* find_tool(std::string_view name);
[[nodiscard]] const CommandGroup* find_group(std::string_view name);

// All flags of a command, the common ones last.
[[nodiscard]] std::vector<Flag> flags_of(const Command& command);

// What the --name of a command may be completed with: the group of the kind ("job") whose objects it names; "" where it
// names a new one, or where there is no such flag.
[[nodiscard]] std::string_view kind_of_name(const Command& command);

// Whether one word besides the flags stands for --name.
[[nodiscard]] bool takes_name(const Command& command);

}  // namespace basalt::cli::vcctl
