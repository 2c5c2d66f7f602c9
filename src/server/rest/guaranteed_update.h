// A change that the server itself makes to an object, past the rules for clients: a binding sets spec.nodeName.
#pragma once

#include "server/rest/call_context.h"

namespace basalt::server {

// Whether an edit that succeeds leaves the object different in any case: then nobody has to compare.
enum class EditEffect : uint8_t { MayBeNone, Changes };

// Edits the latest state of the object that the call names, again when another writer won. The first refusal of `edit`
// is the answer. The object vanishes when the edit made it free to go. `finish`: see commit.h.
void guaranteed_update(const ContextPtr& context, const std::function<api::ApiResult<void>(text::Object&)>& edit,
                       const std::function<ApiResponse(const store::RecordPtr&)>& finish,
                       EditEffect effect = EditEffect::MayBeNone);

// metav1.Status "Success", as the answer to a created binding or eviction.
[[nodiscard]] ApiResponse success_response();

}  // namespace basalt::server
