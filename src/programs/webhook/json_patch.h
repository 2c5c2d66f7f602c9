// The JSON Patch (RFC 6902) that leads from one document to another: what a mutating webhook answers.
//
// 1. text::json_patch(from, json_patch_between(from, to)) equals `to`; the patch is empty when they are equal already.
// 2. Objects are compared member by member and lists place by place, so a patch is about as small as the change; a list
//    that grew or shrank changes at its end.
// 3. It has at most text::kMaxJsonPatchOperations operations, which is what kube-apiserver takes: beyond, the members
//    of the document that differ are replaced as a whole.
#pragma once

#include "kube/text/json.h"

namespace basalt::webhook {

// Requires: nesting within text::kMaxJsonDepth or little more; fewer than kMaxJsonPatchOperations members of the
// document itself differ. Cost: O(both).
[[nodiscard]] text::Array json_patch_between(const text::Object& from, const text::Object& to);

}  // namespace basalt::webhook
