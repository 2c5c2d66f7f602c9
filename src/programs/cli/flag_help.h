// The flags of a program as --help shows them, in the layout of pflag:
//
//   -n, --namespace string        the namespace (default "default")
//       --leader-elect            work only while this replica holds the Lease (default true)
#pragma once

#include <span>
#include <string>

#include "programs/cli/flag_table.h"

namespace basalt::cli {

// `width`: of the screen, to break lines; 0: there is none. Hidden rows and idle ones are left out.
[[nodiscard]] std::string flag_lines(std::span<const Flag> rows, size_t width);

// The rows under the titles of their groups, and at the end those that are taken without effect.
[[nodiscard]] std::string grouped_flag_lines(std::span<const Flag> rows, size_t width);

}  // namespace basalt::cli
