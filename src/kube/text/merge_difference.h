// The merge patch that leads from one object to another.
#pragma once

#include "kube/text/json.h"

namespace basalt::text {

// merge_patch(from, merge_difference(from, to)) is `to`; empty when they are equal. Lists are replaced as a whole.
// Requires: no member of `to` is null (a merge patch cannot write one). Cost: O(both).
[[nodiscard]] Object merge_difference(const Object& from, const Object& to);

}  // namespace basalt::text
