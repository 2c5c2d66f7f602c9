// PUT and PATCH: an object takes the place of its former state. Also of the status subresource.
#pragma once

#include "server/rest/call_context.h"

namespace basalt::server {

void update(const ContextPtr& context);
void patch(const ContextPtr& context);

// How a change comes about: from the latest state (never null) to the wished one. Called again when another writer won.
using ComputeUpdate = std::function<api::ApiResult<text::Value>(const text::Value& latest)>;

// Computes, checks and writes a change of the object that the call names; answers the call. `tracked`: the computed
// object carries its managedFields already.
void change_object(const ContextPtr& context, const ComputeUpdate& compute, bool tracked);

}  // namespace basalt::server
