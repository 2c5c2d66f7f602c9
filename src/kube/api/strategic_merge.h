// Strategic merge patch, the patch type of built-in kinds: a merge patch that knows which lists are merged by a key.
//
// The directives `$patch`, `$retainKeys`, `$deleteFromPrimitiveList/<field>` and `$setElementOrder/<field>` are
// honoured as kube-apiserver does. Fields say how they merge (SchemaField.patch_merge, patch_merge_key); a list without
// patch_merge is replaced.
#pragma once

#include <cstddef>

#include "kube/api/api_error.h"
#include "kube/api/schema/schema.h"
#include "kube/text/json.h"

namespace basalt::api {

// Elements of the lists that one patch merges, counted anew each time that a list is merged: a patch that names an
// element often merges what is below it as often.
inline constexpr size_t kMaxStrategicElements = 200'000;

// The object `live` after `patch`. Errors: 400 for a malformed patch or directive, 422 for a patch whose content
// contradicts itself, 413 beyond kMaxStrategicElements, 500 without a reason where Kubernetes answers so (list elements
// without merge key, wrong types). Cost: O(live + patch) and O(n log n) for the elements of merged lists.
[[nodiscard]] ApiResult<text::Value> strategic_merge(const Schema& schema, text::Value live, const text::Value& patch);

}  // namespace basalt::api
