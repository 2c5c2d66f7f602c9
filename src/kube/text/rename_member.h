// One member of an object under another key.
//
// An insert moves the whole table of an object: pointers, references and views into it are wrong afterwards. So
// `object[to] = std::move(*object.if_contains(from))` reads freed memory whenever the table has to grow; the tidy rule
// json-alias refuses such lines.
#pragma once

#include <string_view>

#include "kube/text/json.h"

namespace basalt::text {

// What stood under `from` stands under `to`, in place of what was there. Returns whether there was a member `from`.
// The two keys must not be views into the object's values. Cost: O(1).
bool rename_member(Object& object, std::string_view from, std::string_view to);

}  // namespace basalt::text
