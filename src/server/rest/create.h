// POST: a new object.
#pragma once

#include "server/rest/call_context.h"

namespace basalt::server {

void create(const ContextPtr& context);

// The part behind decoding, shared with server-side apply of an object that does not exist. `tracked`: managedFields
// are already in it.
void create_decoded(const ContextPtr& context, text::Value object, bool tracked);

// Whether a body sets labels: those of a Job stay as they are, while labels that come from its template follow that.
[[nodiscard]] bool gives_labels(const text::Value& body);

}  // namespace basalt::server
