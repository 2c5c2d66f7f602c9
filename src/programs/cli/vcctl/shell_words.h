// Splitting a command line into words as a shell does, without expanding anything: what `vsub --command` takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace basalt::cli::vcctl {

// Blanks separate; '…' is literal; in "…" a backslash escapes the next character; outside quotes too; # at the start of
// a word begins a comment up to the end of the line. Cost: O(text).
[[nodiscard]] Result<std::vector<std::string>> split_shell_words(std::string_view text);

}  // namespace basalt::cli::vcctl
