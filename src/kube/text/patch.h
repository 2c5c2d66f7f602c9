// The two schemaless patches of JSON documents: JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7386).
//
// Both are pure. JSON Patch behaves as the implementation inside Kubernetes does where that one differs from the RFC:
// a negative array index counts from the end, `test` takes an absent member for null, `replace` sets a member that is
// not there yet.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "kube/text/json.h"

namespace basalt::text {

// Kubernetes' own bound on the operations of one patch. A longer patch fails with ErrorCode::Unsupported.
inline constexpr size_t kMaxJsonPatchOperations = 10'000;
// `copy` can double a document with every operation; what all copies of a patch add is bounded, as in Kubernetes.
inline constexpr size_t kMaxJsonPatchCopiedBytes = size_t{3} * 1024 * 1024;
// What goes into a list or out of it shifts all elements behind it; this bounds the elements that one patch shifts,
// and the values that are walked to know how deeply it nests. 10,000 changes at the front of a list of 2,000 pass.
inline constexpr size_t kMaxJsonPatchMoves = 20'000'000;

// Applies the operations in order. The error's code tells the server how to answer:
//   Invalid      the patch is malformed (no list, an operation that is no object)      → 400 BadRequest
//   Unsupported  more than kMaxJsonPatchOperations operations                          → 413 RequestEntityTooLarge
//   NotFound     well formed, but cannot be applied: a path that does not exist, a
//                failed `test`, an unknown `op`, more copies or moves than allowed     → 422 (reason Invalid)
// The message names the operation by index. Cost: O(document + patch) and at most kMaxJsonPatchMoves.
[[nodiscard]] Result<Value> json_patch(Value document, const Value& patch);

// Null in the patch removes, objects merge, everything else replaces. A patch that is no object replaces the document
// (Kubernetes answers 400 to such a patch before it comes here).
// Requires: nesting of both within kMaxJsonDepth (parse_json guarantees it). Cost: O(patch) and what it replaces.
[[nodiscard]] Value merge_patch(Value document, const Value& patch);

}  // namespace basalt::text
