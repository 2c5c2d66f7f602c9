// Text in lines of a screen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace basalt::cli::follow {

// A character is taken to be one column wide. `head` and then `text`, broken at blanks into lines of at most `width`
// characters; the lines after the first are indented by the head's width. A word that is longer than a line is broken
// where the line ends. At most `most` lines: what does not fit is "…" at the end of the last. Requires: both are UTF-8,
// most > 0. Cost: O(text).
[[nodiscard]] std::vector<std::string> wrapped_lines(std::string_view head, std::string_view text, size_t width,
                                                     size_t most);

}  // namespace basalt::cli::follow
