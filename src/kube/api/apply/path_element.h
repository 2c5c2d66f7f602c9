// One step of a path through an object, as field ownership names it.
//
//   Field  f:image                        text: image
//   Key    k:{"port":80,"protocol":"TCP"} text: {"port":80,"protocol":"TCP"}  names sorted, no blanks
//   Value  v:"basalt.io/hold"             text: "basalt.io/hold"              a JSON scalar
//   Index  i:3                            text: 3
//
// The text is canonical: two elements are the same when kind and text are. An element is two words and a view; who owns
// the text is up to the FieldArena that made it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "kube/text/json.h"

namespace basalt::api {

enum class PathElementKind : uint8_t { Field, Key, Value, Index };

struct PathElement {
  PathElementKind kind = PathElementKind::Field;
  std::string_view text;

  friend bool operator==(const PathElement&, const PathElement&) = default;
};

// The order in which fieldsV1 lists elements: fields by name, then keys, values and indices; numbers by size. Total.
[[nodiscard]] std::strong_ordering order_of(const PathElement& left, const PathElement& right);

// Appends a JSON scalar (or any value) in canonical form: whole doubles as integers, <, > and & escaped as Go does.
void append_canonical(std::string& out, const text::Value& value);
void append_canonical_string(std::string& out, std::string_view text);

// Appends `.image`, `[name="a"]`, `[="x"]`, `[3]`: how conflicts name it.
void append_readable(std::string& out, const PathElement& element);

}  // namespace basalt::api
