// What anybody may have sent, made fit for one line of a log: nobody writes lines, columns or terminal commands of
// their own into it.
//
// Escaped are control characters (C0, DEL and C1), the separators of lines and paragraphs, marks that turn the
// direction of writing, and bytes that are no UTF-8: as \n, \t, \xNN or \u{NNNN}. What comes out is UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace basalt::text {

// The first `most` bytes, not cut within a character; "…" at the end says that there was more. Only bytes that are no
// UTF-8 are escaped here. Cost of all three: O(most).
[[nodiscard]] std::string cut_text(std::string_view text, size_t most);

// A message. A backslash stays as it is.
[[nodiscard]] std::string log_text(std::string_view text, size_t most);

// The value of key=value: as it is when it is a plain word, else in double quotes, in which " and \ are escaped, too.
// So a blank or a quote within a value never begins another key.
[[nodiscard]] std::string log_value(std::string_view value, size_t most);

}  // namespace basalt::text
