// The script of `vcctl completion fish`.
#pragma once

#include <string>
#include <string_view>

#include "programs/cli/vcctl/command_table.h"

namespace basalt::cli::vcctl {

// The kind of object whose names stand behind a flag; "": none.
[[nodiscard]] inline std::string_view kind_behind(const Command& command, const Flag& flag) {
  return flag.name == "name" ? kind_of_name(command) : flag.names;
}

[[nodiscard]] std::string fish_script();

}  // namespace basalt::cli::vcctl
