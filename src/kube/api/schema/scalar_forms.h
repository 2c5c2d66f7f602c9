// The canonical text of scalars that Go reads into something other than a string: quantities, times, bytes.
//
// Each takes a value as decoded, and puts the canonical form in its place. nullptr: done; otherwise why it was refused.
// A value that is canonical already, as most are, is left alone.
#pragma once

#include "kube/text/json.h"

namespace basalt::api {

// "0.5" → "500m", 2 → "2", "1024Mi" → "1Gi".
[[nodiscard]] const char* make_canonical_quantity(text::Value& value);

// RFC 3339 → UTC with whole seconds / six digits. Go's zero time becomes null.
[[nodiscard]] const char* make_canonical_time(text::Value& value);
[[nodiscard]] const char* make_canonical_micro_time(text::Value& value);

// A double without a fraction → a whole number, as Go writes one, as far as a double tells whole numbers apart.
void make_canonical_number(text::Value& value);

// Base64 with padding; line ends are dropped, as Go's decoder skips them.
[[nodiscard]] const char* make_canonical_bytes(text::Value& value);

}  // namespace basalt::api
