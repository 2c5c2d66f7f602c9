// Manifests in a text that lost its indentation, as web pages do when they are copied: found, and indented again.
//
// A manifest begins at a line "apiVersion: …" and ends where a line cannot be one. The nesting is found from what keys
// can stand where (queues, jobs, groups, priority classes): a key belongs to the innermost place that knows it and does
// not have it yet; where that leads nowhere, further out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace basalt::seeds {

// The manifests, indented; documents in the order of the text.
[[nodiscard]] std::vector<std::string> manifests_in_flat_text(std::string_view text);

// The first line outside of manifests that is exactly `key` (as "policies:") and what belongs to it, indented; "" when
// there is none.
[[nodiscard]] std::string fragment_in_flat_text(std::string_view text, std::string_view key);

}  // namespace basalt::seeds
