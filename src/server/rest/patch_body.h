// What the body of a PATCH makes of an object.
#pragma once

#include "server/rest/call_context.h"

namespace basalt::server {

// JSON, merge or strategic merge patch of the latest state, decoded as an object of the kind again.
[[nodiscard]] api::ApiResult<text::Value> patched(CallContext& context, const text::Value& latest);

// What a patch made of an object cannot be decoded, for a reason with code 400: a patch is refused with 422.
[[nodiscard]] std::unexpected<api::ApiError> refuse_patch(const text::Value& result, const api::ApiError& why);

// Server-side apply on the latest state (null: there is none); the result carries its managedFields.
[[nodiscard]] api::ApiResult<text::Value> applied_config(CallContext& context, const text::Value* latest);

}  // namespace basalt::server
