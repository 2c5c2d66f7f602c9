// How messages name a place in a document and quote what stands there.
//
// A path reads "spec.containers[0].resources.requests.cpu"; a key that is not a plain word is written in brackets, as
// in "metadata.annotations[volcano.sh/preemptable]". Both the readers (field.h) and the line numbers (line_map.h) build
// paths here, so that they agree.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace basalt::text {

inline constexpr size_t kMaxKeyInPath = 128;  // longer keys are cut, so that a message stays readable
inline constexpr size_t kMaxShownBytes = 64;  // likewise for quoted values

// Appends one step to `path`. Cost: O(key).
void append_key(std::string& path, std::string_view key);
void append_index(std::string& path, size_t index);
[[nodiscard]] std::string element_path(std::string_view list, size_t index);  // "containers[2]"

// `path` without its last step; "" has no parent and stays "". Brackets inside a bracketed key are not understood:
// the answer is then a shorter ancestor, which is good enough for finding a line.
std::string_view parent_path(std::string_view path);

// `text` in double quotes, control characters and quotes escaped, cut after kMaxShownBytes with "…".
std::string in_quotes(std::string_view text);

}  // namespace basalt::text
