// From the body of a write to an object of the resource's kind, and the checks that every write must pass.
#pragma once

#include "server/rest/call_context.h"

namespace basalt::server {

// The body as an object of the kind: right apiVersion and kind, known fields only (unknown ones are refused, warned
// about or ignored, as the call says), defaults filled in.
[[nodiscard]] api::ApiResult<text::Value> decode_object(CallContext& context, text::Value body);

// The same without defaults: a configuration for server-side apply owns only what it says.
[[nodiscard]] api::ApiResult<void> decode_config(CallContext& context, text::Value& body);
[[nodiscard]] api::ApiResult<void> fill_defaults(const api::ApiResource& resource, text::Value& object);

// Fields that a kind does not have: refused, added to `warnings`, or passed over.
[[nodiscard]] api::ApiResult<void> report_unknown(api::FieldValidation validation,
                                                  const std::vector<std::string>& unknown,
                                                  std::vector<std::string>& warnings);

// The body of a subresource, which is of another kind than the resource: "io.k8s.api.autoscaling.v1.Scale". Decoded as
// objects of built-in kinds are, without defaults. Requires: the name of a built-in type.
[[nodiscard]] api::ApiResult<void> decode_as(CallContext& context, std::string_view type, text::Value& body);

// Schema limits (custom kinds), metadata and the kind's own rules; 422 with all causes. Requires: objects.
[[nodiscard]] api::ApiResult<void> validate_new(CallContext& context, const text::Value& whole);
[[nodiscard]] api::ApiResult<void> validate_change(CallContext& context, const text::Value& whole,
                                                   const text::Value& former);

// The admission chain on a create, update or delete, in its two rows: what changes the object, before it is validated,
// and what only judges, after that. `next` null: a delete; `old` null: a create.
[[nodiscard]] api::ApiResult<void> admit_mutating(const CallContext& context, text::Object* next,
                                                  const text::Object* old);
[[nodiscard]] api::ApiResult<void> admit_validating(const CallContext& context, const text::Object* next,
                                                    const text::Object* old);
// Warnings about a new object that was admitted (server/chain/admission_warnings.h).
[[nodiscard]] std::vector<std::string> warnings_for(const CallContext& context, const text::Object& created);

}  // namespace basalt::server
