// YAML documents, typed as Kubernetes and Volcano type them, as text::Value.
//
// Plain scalars follow YAML 1.1 as Go's yaml.v2 reads it: ~ and null are null; y yes on true / n no off false are
// booleans; whole numbers (decimal, 0x, 0b, 0o, leading 0 for octal, "_" between digits) are int64 and numbers with a
// fraction or exponent are doubles; all else, and everything quoted, is a string. Timestamps stay strings. Keys become
// strings ("1", "true"). Merge keys (<<) are applied; keys in the mapping itself win.
//
// Refused with line and remedy: a key given twice, keys that are lists, mappings or null, unknown or self-containing
// anchors, and what exceeds the bounds below. Aliases are copies and count in full, against a bound of their own, so a
// small text cannot grow into a huge value.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/text/field.h"
#include "kube/text/json.h"
#include "kube/text/line_map.h"

namespace basalt::text {

inline constexpr size_t kMaxYamlBytes = size_t{32} * 1024 * 1024;  // of text
inline constexpr size_t kMaxYamlDepth = 100;                       // of nesting, aliases expanded
inline constexpr size_t kMaxYamlWeight = size_t{4} * 1024 * 1024;  // nodes plus string bytes / 16, aliases expanded
inline constexpr size_t kMaxYamlAliasWeight = size_t{256} * 1024;  // the part of it that anchors and aliases add
inline constexpr size_t kMaxYamlDocuments = 100'000;               // in one stream

struct Document {
  Value value;
  LineMap lines;

  // A cursor whose errors name the line. The document must outlive it.
  [[nodiscard]] Field root() const& { return Field(value, &lines); }
  Field root() const&& = delete;
};

// Exactly one document; an empty text is null. Cost: O(text + expanded aliases).
[[nodiscard]] Result<Document> parse_yaml(std::string_view text);

// All documents of a stream ("---" between them), empty ones left out.
[[nodiscard]] Result<std::vector<Document>> parse_yaml_stream(std::string_view text);

// A manifest file: JSON if it starts with "{" and is JSON, else a YAML stream.
[[nodiscard]] Result<std::vector<Document>> parse_documents(std::string_view text);

// The value of one plain (unquoted) scalar; see above for the rules.
[[nodiscard]] Value plain_scalar(std::string_view text);

}  // namespace basalt::text
