// The help texts, made from the rows of the command table.
#pragma once

#include <cstddef>
#include <string>

#include "programs/cli/vcctl/command_table.h"

namespace basalt::cli::vcctl {

// `width`: of the screen; 0 for none. FlagValues stand in lines of their own, wrapped to the width.
[[nodiscard]] std::string help_of_program();
[[nodiscard]] std::string help_of_group(const CommandGroup& group);
[[nodiscard]] std::string help_of_command(const Command& command, size_t width);

// "vcctl job run", "vsub".
[[nodiscard]] std::string words_of(const Command& command);

}  // namespace basalt::cli::vcctl
